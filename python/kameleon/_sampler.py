"""The base class of all samplers: plain settings that the Rust library checks."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from . import _kameleon
from ._kernel import Kernel
from .errors import SettingsError


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Sampler:
    """A sampler; its settings are checked when it is made.

    The attributes are the arguments as given; ``settings`` are the values in use.
    """

    _name: ClassVar[str]
    name: str = field(init=False)
    """The sampler's name in the paper."""
    _json: str = field(init=False)
    _needs_gradient: bool = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(kernel := getattr(self, "kernel", Kernel()), Kernel):
            raise SettingsError("kernel", f"must be an instance of a class in km.kernels, not {kernel!r}")
        arguments = [(each, getattr(self, each.name)) for each in fields(self) if each.init]
        # Defaults are left to the library, where one setting may determine others.
        given = {each.name: value for each, value in arguments if not _same(value, each.default)}
        name, text, needs_gradient = _kameleon.check_sampler(json.dumps({"name": self._name, **given}, default=plain))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "_json", text)
        object.__setattr__(self, "_needs_gradient", needs_gradient)

    @property
    def settings(self) -> dict[str, Any]:
        """All settings in use; those without a value are omitted.

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
    """Converts kernels and NumPy arrays and scalars for JSON."""
    if isinstance(value, Kernel):
        return value._value()
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} cannot be a setting")
