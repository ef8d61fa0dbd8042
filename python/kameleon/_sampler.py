"""What all samplers have in common: plain settings that the Rust side checks."""

from __future__ import annotations

import inspect
import json
from typing import Any

from . import _kameleon
from ._kernel import Kernel
from .errors import SettingsError


class Sampler:
    """A sampler and its settings: plain values, checked when it is made."""

    _name: str

    def __init__(self, **settings: Any) -> None:
        if not isinstance(settings.get("kernel", Kernel()), Kernel):
            raise SettingsError("kernel", f"must be one of the classes of km.kernels, not {settings['kernel']!r}")
        # What is as it is by default is left to the library, where one setting may decide over others.
        parameters = inspect.signature(type(self)).parameters
        given = {key: value for key, value in settings.items() if not _same(value, parameters[key].default)}
        self.name, self._json = _kameleon.check_sampler(json.dumps({"name": self._name, **given}, default=plain))
        """The sampler's name in the paper."""

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, as the library stores them; what is left open is left out.

        >>> import kameleon as km
        >>> km.SM(nu=0.5).settings
        {'nu': 0.5}
        """
        settings = json.loads(self._json)
        return {key.replace("-", "_"): value for key, value in settings.items() if key != "name"}

    def __repr__(self) -> str:
        settings = ", ".join(f"{key}={value!r}" for key, value in self.settings.items())
        return f"{type(self).__name__}({settings})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sampler) and self._json == other._json

    def __hash__(self) -> int:
        return hash(self._json)


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))


def plain(value: Any) -> Any:
    """Kernels, and numpy's arrays and numbers, as JSON has them."""
    if isinstance(value, Kernel):
        return value._value()
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} is no setting")
