"""What is sampled: whatever the user gave, as a target of the Rust library or a vectorised function."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from . import _kameleon
from ._prior import PythonPrior
from .errors import SettingsError
from .function import First, Gradient, How, Seeded, SeededRows, WithData, takes_noise
from .targets import Expression, Target, UMBridge

WITH_PRIOR = " with the prior "
"""Stands in the description of a model between the log density and a prior that is no proper one."""


class Back(Protocol):
    """Transforms draws from the coordinates of the chains to those of the user."""

    def __call__(self, points: NDArray[np.float64]) -> NDArray[np.float64]: ...

    names: Sequence[str]


@dataclass
class Problem:
    """A log density, ready to be run."""

    model: dict[str, Any]
    """The section ``model`` of the run's settings."""
    names: list[str]
    """The parameters, if they are known."""
    native: _kameleon.Target | None = None
    """The target; none for a vectorised function."""
    function: Callable[..., Any] | None = None
    """The vectorised function."""
    gradient: Gradient = None
    """The gradient of the vectorised function: a function, or whether that returns it too."""
    attached: bool = False
    """Whether evaluating the target needs the interpreter."""
    seeded: bool = False
    normals: int = 0
    reject: bool = False
    """Whether an exception of the function rejects the point."""
    prior: PythonPrior | None = None
    """A proper prior that only Python can evaluate; then the log density is that of the likelihood."""
    start: list[list[float]] | None = None
    """The default start of the chains."""
    back: Back | None = None
    dims: Mapping[str, Sequence[str]] = field(default_factory=dict)
    coords: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    pymc: Any = None
    """The PyMC model, if it is one."""
    observed: Mapping[str, Any] = field(default_factory=dict)
    """The data of a target that was given them as arrays."""


Recipe = Callable[[], Problem]
"""Makes the problem, also anew on a worker."""


@dataclass
class RowsUnder:
    """A vectorised function plus a log prior; rows where the prior is zero are not evaluated."""

    function: Callable[..., Any]
    prior: PythonPrior

    def __call__(self, x: NDArray[np.float64], *second: Any) -> Any:
        total = self.prior.log_density(x)
        inside = np.flatnonzero(~np.isneginf(total))
        if len(inside) == 0:
            return total
        second = tuple(s[inside] if isinstance(s, np.ndarray) else [s[k] for k in inside] for s in second)
        values = self.function(x[inside], *second)
        if np.shape(values) != (len(inside),):
            what = f"log_density must return {len(inside)} numbers, one for each row, not an array of shape"
            raise ValueError(f"{what} {np.shape(values)}")
        total[inside] += values
        return total


def under(recipe: Recipe, prior: PythonPrior) -> Problem:
    """A problem under a prior that Python evaluates: next to the likelihood if it is proper, else as a part of it."""
    what = recipe()
    kinds = ("external", "log-density", "program", "library", "url", "target")
    about = next(what.model[kind] for kind in kinds if kind in what.model)
    noisy = what.model.get("noisy") or bool(what.model.get("noise"))
    if prior.is_proper:
        model = {"external": str(about), "external-prior": prior.about, "noisy": noisy}
        return replace(what, model=model, prior=prior)
    model = {"external": f"{about}{WITH_PRIOR}{prior.about}", "noisy": noisy}
    if what.function is not None:
        function = First(what.function) if what.gradient is True else what.function
        return replace(what, model=model, function=RowsUnder(function, prior), gradient=None)
    assert what.native is not None
    return replace(what, model=model, native=what.native.under(prior))


def by_rows(what: Problem) -> Problem:
    """The problem with a vectorised function as a target, which gets the rows of all chains, or of a batch."""
    if what.function is None:
        return what
    native = _kameleon.Target.rows(what.function, what.seeded, what.normals, what.reject, what.gradient)
    return replace(what, function=None, native=native)


def opened(settings: str) -> Problem:
    """The model in the settings (JSON) of a run."""
    given = json.loads(settings)
    return Problem(given["model"], list(given["parameters"]), native=_kameleon.Target.open(settings))


def make(log_density: Any, names: list[str], how: How) -> Problem:
    """The problem that the arguments of ``km.sample`` describe."""
    how.check()
    what = _make(log_density, names, how)
    return what if how.on_error == "stop" else replace(what, model={**what.model, "on-error": how.on_error})


def _make(log_density: Any, names: list[str], how: How) -> Problem:
    normals = how.normals
    if isinstance(log_density, str):
        log_density = _from_text(log_density, names)
    if isinstance(log_density, Target):
        how.refuse(type(log_density).__name__)
        return _of_target(log_density, names)
    if type(log_density).__module__.partition(".")[0] == "pymc" and hasattr(log_density, "value_vars"):
        from ._pymc import problem

        how.refuse("PyMC models")
        return problem(log_density, how.on_error == "reject")
    pointer = _pointer(log_density, normals)
    if pointer is not None:
        how.refuse("compiled functions")
        given: Any = {"normals": normals} if normals else pointer[1] == 3 and "seed"
        return Problem({"external": _about(log_density), "noisy": given or how.noisy}, names, native=pointer[0])
    if log_density is None:
        raise SettingsError("log_density", "pass the function that is to be sampled, or another log density")
    if not callable(log_density):
        what = "a function, a target of km.targets, a PyMC model, or the address of a UM-Bridge server"
        raise SettingsError("log_density", f"must be {what}, not {log_density!r}")
    return _of_function(log_density, names, how)


def _from_text(text: str, names: list[str]) -> Target:
    """A server by its address, or an expression."""
    if not names:
        raise SettingsError("parameters", "a server or an expression needs the names of the parameters")
    return UMBridge(text, names) if "://" in text else Expression(text, names)


def _of_target(target: Target, names: list[str]) -> Problem:
    names = names or target._names()
    return Problem(target._model(), names, native=target._native(names), observed=target._observed())


def _of_function(function: Callable[..., Any], names: list[str], how: How) -> Problem:
    normals, reject = how.normals, how.on_error == "reject"
    seeded = takes_noise(function, how) and not normals
    given: Any = {"normals": normals} if normals else "seed" if seeded else how.noisy
    model = {"external": f"the Python function {_about(function)}", "noisy": given}
    gradient = how.gradient
    if how.args or how.kwargs:
        function = WithData(function, how.args, how.kwargs)
        gradient = WithData(gradient, how.args, how.kwargs) if callable(gradient) else gradient
    kind: dict[str, Any] = {"attached": True, "seeded": seeded, "normals": normals, "reject": reject}
    if seeded:
        by_seed = SeededRows if how.vectorized else Seeded
        function, gradient = by_seed(function), by_seed(gradient) if callable(gradient) else gradient
    if how.vectorized:
        return Problem(model, names, function=function, gradient=gradient, **kind)
    native = _kameleon.Target.callable(function, seeded, normals, reject, gradient)
    return Problem(model, names, native=native, **kind)


def _pointer(log_density: Any, normals: int) -> tuple[_kameleon.Target, int] | None:
    """A compiled function by its address: a numba cfunc, or a ctypes function with argtypes."""
    if isinstance(log_density, ctypes._CFuncPtr):  # type: ignore[attr-defined]
        arguments = getattr(log_density, "argtypes", None)
        if arguments is None or log_density.restype is not ctypes.c_double:
            raise SettingsError("log_density", "a ctypes function needs argtypes, and c_double as restype")
        address, count = ctypes.cast(log_density, ctypes.c_void_p).value, len(arguments)
    elif hasattr(log_density, "address") and hasattr(log_density, "native_name"):
        address, count = log_density.address, len(log_density._sig.args)
    else:
        return None
    if (count == 4) != (normals > 0):
        raise SettingsError("normals", "must be given for a compiled function of (x, dim, normals, count) only")
    return _kameleon.Target.pointer(address or 0, count, normals, log_density), count


def _about(function: Any) -> str:
    """The name of a function."""
    return str(getattr(function, "__qualname__", None) or getattr(function, "__name__", type(function).__name__))
