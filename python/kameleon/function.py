"""Python functions as log densities: with data, with noise, or with exceptions that are rejections."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .errors import SettingsError

OnError = Literal["stop", "reject"]
Gradient = Callable[..., Any] | bool | None
"""A function that returns the gradient, or whether the log density returns it as the second of a pair."""
GENERATORS = ("rng", "generator", "rngs", "generators")
"""The names of a second argument that is certainly a generator, or one for each row."""


@dataclass(frozen=True)
class How:
    """How a log density is to be called."""

    noisy: bool = False
    normals: int = 0
    vectorized: bool = False
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    on_error: OnError = "stop"
    gradient: Gradient = None

    def check(self) -> None:
        """Raises an error for what cannot be."""
        if not isinstance(self.normals, Integral) or self.normals < 0:
            raise SettingsError("normals", f"must be a whole number, 0 or more, not {self.normals!r}")
        if self.noisy not in (True, False):
            raise SettingsError("noisy", f"must be True or False, not {self.noisy!r}")
        if self.on_error not in ("stop", "reject"):
            raise SettingsError("on_error", f'must be "stop" or "reject", not {self.on_error!r}')
        if isinstance(self.args, str) or not isinstance(self.args, Sequence):
            raise SettingsError("args", f"must be a tuple of further arguments of log_density, not {self.args!r}")
        if not isinstance(self.kwargs, Mapping):
            raise SettingsError("kwargs", f"must be a dictionary of arguments of log_density, not {self.kwargs!r}")
        if self.gradient not in (None, True, False) and not callable(self.gradient):
            what = "must be a function of the arguments of log_density, or True if that returns (log density, gradient)"
            raise SettingsError("gradient", f"{what}, not {self.gradient!r}")

    def refuse(self, what: str) -> None:
        """Raises an error for settings that are for Python functions only."""
        given = {"vectorized": self.vectorized, "args": len(self.args), "kwargs": len(self.kwargs)}
        given["gradient"] = bool(self.gradient)
        for name in (name for name, value in given.items() if value):
            raise SettingsError(name, f"is for Python functions, not for {what}")


@dataclass
class WithData:
    """A function with data after the point, and after the noise if it takes any."""

    function: Callable[..., Any]
    args: Sequence[Any]
    kwargs: Mapping[str, Any]

    def __call__(self, *first: Any) -> Any:
        return self.function(*first, *self.args, **self.kwargs)


@dataclass
class First:
    """A function that returns its log density and the gradient, without the gradient."""

    function: Callable[..., Any]

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)[0]


@dataclass
class Seeded:
    """A noisy function of a generator as a function of a seed."""

    function: Callable[..., Any]

    def __call__(self, x: NDArray[np.float64], seed: int) -> Any:
        return self.function(x, np.random.default_rng(seed))


class SeededRows(Seeded):
    """The same for a vectorised function, which takes a generator for each row."""

    def __call__(self, x: NDArray[np.float64], seed: Any) -> Any:
        return self.function(x, [np.random.default_rng(each) for each in seed])


def takes_noise(function: Callable[..., Any], how: How) -> bool:
    """Whether the function takes noise as its second argument; an error if that is not clear."""
    free = _free(function, how)
    if how.normals:
        if not free:
            raise SettingsError("normals", "need a second argument of log_density, which takes the point only")
        return True
    if not free:
        return False
    if len(free) == 1 and (how.noisy or free[0] in GENERATORS):
        return True
    also = f"takes {', '.join(free)} besides the point: pass data by args= or kwargs="
    noise = "; if it is noisy and takes a random generator, set noisy=True" if len(free) == 1 else ""
    raise SettingsError("log_density", also + noise)


def _free(function: Callable[..., Any], how: How) -> list[str]:
    """The positional arguments after the point that must be given, and are not; none if that is not known."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    empty = inspect.Parameter.empty
    positional = [p for p in parameters.values() if p.kind in kinds and p.name not in how.kwargs]
    needed = [p.name for p in positional if p.default is empty]
    unknown = [name for name in how.kwargs if name not in parameters]
    if unknown and not any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
        raise SettingsError("kwargs", f"log_density has no argument {unknown[0]!r}")
    return needed[1 : max(len(needed) - len(how.args), 1)]
