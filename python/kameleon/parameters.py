"""Names, shapes, bounds, priors and starts of parameters: from arguments to the settings of a run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import SettingsError

Shape = int | Sequence[int]
Bounds = tuple[float | None, float | None]

_ENTRY = re.compile(r"(.+)\[(\d+(?:,\d+)*)\]")


def names_of(parameters: Sequence[str] | Mapping[str, Shape] | None) -> list[str]:
    """One name for each coordinate, from names or from shapes.

    >>> from kameleon.parameters import names_of
    >>> names_of({"mu": 2, "log_sigma": ()})
    ['mu[0]', 'mu[1]', 'log_sigma']
    """
    if parameters is None:
        return []
    if isinstance(parameters, str):
        raise SettingsError("parameters", "must be a list of names or a dictionary of names and shapes, not a string")
    if not isinstance(parameters, Mapping):
        return [str(name) for name in parameters]
    return [entry for name, shape in parameters.items() for entry in _entries(name, shape)]


def _entries(name: str, shape: Shape) -> list[str]:
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise SettingsError("parameters", f"the shape of {name} must consist of positive integers, not {shape!r}")
    return [_entry(name, index) for index in product(*map(range, sizes))]


def _entry(name: str, index: Sequence[int]) -> str:
    return f"{name}[{','.join(map(str, index))}]" if index else name


def group(names: Sequence[str]) -> list[tuple[str, list[int]]]:
    """The arrays whose entries are named mu[0], mu[1], …; every other name is a scalar.

    >>> from kameleon.parameters import group
    >>> group(["mu[0]", "mu[1]", "log_sigma", "rho[1]"])
    [('mu', [2]), ('log_sigma', []), ('rho[1]', [])]
    """
    variables: list[tuple[str, list[int]]] = []
    at = 0
    while at < len(names):
        name, shape = _array_at(names, at)
        variables.append((name, shape))
        at += prod(shape)
    return variables


def _array_at(names: Sequence[str], at: int) -> tuple[str, list[int]]:
    """The array whose entries begin at this position, complete and in order; or the scalar there."""
    found = _ENTRY.fullmatch(names[at])
    if found:
        name = found[1]
        last = at
        while last + 1 < len(names) and (m := _ENTRY.fullmatch(names[last + 1])) and m[1] == name:
            last += 1
        shape = [int(i) + 1 for i in _ENTRY.fullmatch(names[last])[2].split(",")]  # type: ignore[index]
        if list(names[at : last + 1]) == [_entry(name, index) for index in product(*map(range, shape))]:
            return name, shape
    return names[at], []


def settings_of(
    names: Sequence[str],
    bounds: Mapping[str, Bounds] | Sequence[Bounds | None] | None,
    priors: Mapping[str, str] | Sequence[str | None] | None,
) -> list[str] | dict[str, Any]:
    """The section ``parameters`` of a run."""
    if bounds is None and priors is None:
        return list(names)
    if not names:
        raise SettingsError("parameters", "bounds and priors need the names of the parameters")
    table: dict[str, dict[str, Any]] = {name: {} for name in names}
    for name, bound in _each("bounds", bounds, names).items():
        try:
            lower, upper = bound
        except (TypeError, ValueError):
            raise SettingsError("bounds", f"of {name} must be a pair (lower, upper), not {bound!r}") from None
        table[name].update(lower=_limit(lower), upper=_limit(upper))
    for name, prior in _each("priors", priors, names).items():
        table[name]["prior"] = prior
    return table


def _limit(value: float | None) -> float | None:
    """An infinite bound is no bound."""
    return None if value is None or np.isinf(value) else float(value)


def _each(what: str, given: Mapping[str, Any] | Sequence[Any] | None, names: Sequence[str]) -> dict[str, Any]:
    """The value for each coordinate; a value for an array holds for all its entries."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        if len(given) != len(names):
            raise SettingsError(what, f"there are {len(given)} for {len(names)} parameters")
        return {name: value for name, value in zip(names, given, strict=True) if value is not None}
    arrays = {name: [_entry(name, i) for i in product(*map(range, shape))] for name, shape in group(names)}
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in names and name not in arrays:
            raise SettingsError(what, f"there is no parameter {name!r}; there are {', '.join(arrays)}")
        found.update(dict.fromkeys(arrays.get(name, [name]), value))
    return found


def starts_of(start: ArrayLike | Mapping[str, ArrayLike] | None, names: Sequence[str]) -> list[list[float]] | None:
    """One starting point or one for each chain, from an array or a dictionary of arrays."""
    if start is None:
        return None
    if isinstance(start, Mapping):
        missing = [name for name, _ in group(names) if name not in start]
        if missing or not names:
            raise SettingsError("start", f"lacks {', '.join(missing) or 'any known parameter'}")
        known = [name for name, _ in group(names)]
        unknown = [str(name) for name in start if name not in known]
        if unknown:
            raise SettingsError("start", f"there is no parameter {', '.join(unknown)}; there are {', '.join(known)}")
        start = [entry for name in known for entry in np.ravel(start[name])]
    try:
        points: NDArray[np.float64] = np.asarray(start, dtype=float)
    except (TypeError, ValueError) as error:
        raise SettingsError("start", f"must consist of numbers: {error}") from None
    if points.ndim not in (1, 2):
        raise SettingsError("start", f"must have the shape (parameters,) or (chains, parameters), not {points.shape}")
    if not np.isfinite(points).all():
        raise SettingsError("start", "every coordinate must be finite")
    return [[float(x) for x in point] for point in np.atleast_2d(points)]


def shapes_of(start: Mapping[str, ArrayLike]) -> dict[str, tuple[int, ...]]:
    """The shapes of parameters, from their starts."""
    return {name: np.shape(value) for name, value in start.items()}
