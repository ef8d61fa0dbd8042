"""Names, shapes, bounds, priors and starts of parameters: from arguments to the settings of a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from math import prod
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import SettingsError

Shape = int | Sequence[int]


class Periodic(NamedTuple):
    """Bounds whose two ends are the same place: of an angle, a phase, a time of day.

    An end that is not given is that of the prior. For an array parameter the ends may be arrays of its shape.

    >>> import kameleon as km
    >>> km.Periodic(0, 24)
    Periodic(lower=0, upper=24)
    """

    lower: Any = None
    """Where the circle begins. Draws are in [lower, upper)."""
    upper: Any = None
    """Where it ends, at the same place."""


Bounds = Periodic | tuple[float | None, float | None]

Table = dict[str, dict[str, Any]]
"""What is known of each coordinate."""

_ENTRY = re.compile(r"(.+)\[(\d+(?:,\d+)*)\]")


def names_of(parameters: Sequence[str] | Mapping[str, Shape] | None) -> list[str]:
    """One name for each coordinate, from names or from shapes.

    >>> from kameleon.parameters import names_of
    >>> names_of({"mu": 2, "log_sigma": ()})
    ['mu[0]', 'mu[1]', 'log_sigma']
    """
    if parameters is None:
        return []
    if isinstance(parameters, str) or not isinstance(parameters, Iterable):
        what = "a string" if isinstance(parameters, str) else repr(parameters)
        raise SettingsError("parameters", f"must be a list of names or a dictionary of names and shapes, not {what}")
    if not isinstance(parameters, Mapping):
        names = [str(name) for name in parameters]
        twice = [name for at, name in enumerate(names) if name in names[:at]]
        if twice:
            raise SettingsError("parameters", f"two of them are named {twice[0]!r}")
        return names
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


def labelled(
    names: Sequence[str],
    variables: Mapping[str, Sequence[int]],
    dims: Mapping[str, Sequence[str]],
    coords: Mapping[str, Sequence[Any]],
) -> list[str]:
    """The names with labels of coordinates in the place of numbers, where arrays have them.

    >>> from kameleon.parameters import labelled
    >>> labelled(["s", "mu[0]", "mu[1]"], {"s": (), "mu": (2,)}, {"mu": ["city"]}, {"city": ["Bonn", "Oslo"]})
    ['s', 'mu[Bonn]', 'mu[Oslo]']
    """
    found: list[str] = []
    for name, shape in variables.items():
        labels = [coords.get(dim, ()) for dim in dims.get(name, ())]
        if not shape or [len(label) for label in labels] != list(shape):
            labels = [range(size) for size in shape]
        entries = [f"{name}[{', '.join(map(str, index))}]" if index else name for index in product(*labels)]
        found += entries if any(dims.get(name, ())) else names[len(found) : len(found) + prod(shape)]
    return found


def unknown(name: str, known: Iterable[str]) -> str:
    """The words for a name that no parameter has.

    >>> from kameleon.parameters import unknown
    >>> unknown("b", ["a"]), unknown("b", ["a", "c"])
    ("there is no parameter 'b'; there is only a", "there is no parameter 'b'; there are a, c")
    """
    names = list(known)
    return f"there is no parameter {name!r}; there {'is only' if len(names) == 1 else 'are'} {', '.join(names)}"


def numbered(count: int) -> list[str]:
    """The names of parameters that have none."""
    return [f"x{k}" for k in range(1, count + 1)]


def within(names: Sequence[str], bounds: Any) -> Table:
    """The section ``parameters`` of a run, with the bounds."""
    table: Table = {name: {} for name in names}
    for name, bound in each("bounds", _as_pairs(bounds, len(names)), names, _split_pair).items():
        try:
            lower, upper = bound
        except (TypeError, ValueError):
            raise SettingsError("bounds", f"of {name} must be a pair (lower, upper), not {bound!r}") from None
        table[name].update(lower=_limit(lower), upper=_limit(upper))
        if isinstance(bound, Periodic):
            table[name]["periodic"] = True
    return table


def count_of(bounds: Any) -> int:
    """The number of parameters that bounds are for; 0 for one pair for all of them.

    >>> from kameleon.parameters import count_of
    >>> import numpy as np
    >>> count_of([(0, 1), None, None]), count_of((np.zeros(3), np.ones(3))), count_of((0, 1))
    (3, 3, 0)
    """
    ends = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") and hasattr(bounds, "ub") else bounds
    if _is_pair(ends):
        return 0
    is_array = [isinstance(end, np.ndarray) or np.size(end) > 2 for end in ends]
    arrays = isinstance(ends, tuple) and len(ends) == 2 and all(is_array)
    return max(np.size(end) for end in ends) if arrays else len(bounds)


def _is_pair(bounds: Any) -> bool:
    """Whether it is one pair of numbers, of which one may be None, or both of a circle."""
    plain = (
        isinstance(bounds, tuple) and len(bounds) == 2 and all(end is None or isinstance(end, Real) for end in bounds)
    )
    return plain and (bounds != (None, None) or isinstance(bounds, Periodic))


def _as_pairs(bounds: Any, count: int) -> Any:
    """A pair for each parameter, from one for all, two arrays, or an object with ``lb`` and ``ub`` as in scipy."""
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        bounds = (np.asarray(bounds.lb, dtype=float), np.asarray(bounds.ub, dtype=float))
    if not isinstance(bounds, tuple) or len(bounds) != 2:
        return bounds
    if _is_pair(bounds):
        return [bounds] * count
    # Two lists may as well be the pairs of two parameters.
    ends = np.ndarray if count == 2 else (np.ndarray, list)
    if not all(isinstance(end, ends) for end in bounds):
        return bounds
    try:
        return list(zip(*(np.broadcast_to(end, count).tolist() for end in bounds), strict=True))
    except ValueError:
        shapes = " and ".join(str(np.shape(end)) for end in bounds)
        raise SettingsError("bounds", f"arrays of lower and upper ends have shapes {shapes}, not ({count},)") from None


def _split_pair(pair: Any, shape: Sequence[int]) -> list[Any]:
    """A pair for each entry of an array parameter, whose ends may be arrays of its shape."""
    try:
        lower, upper = pair
        ends = [np.broadcast_to(np.asarray(end, dtype=object), tuple(shape)).ravel() for end in (lower, upper)]
    except (TypeError, ValueError):
        return _repeat(pair, shape)
    pairs = list(zip(*ends, strict=True))
    return [Periodic(*ends) for ends in pairs] if isinstance(pair, Periodic) else pairs


def _limit(value: float | None) -> float | None:
    """An infinite bound is no bound."""
    return None if value is None or np.isinf(value) else float(value)


def _repeat(value: Any, shape: Sequence[int]) -> list[Any]:
    return [value] * prod(shape)


def each(
    what: str,
    given: Mapping[str, Any] | Sequence[Any] | None,
    names: Sequence[str],
    split: Callable[[Any, Sequence[int]], list[Any]] = _repeat,
) -> dict[str, Any]:
    """The value for each coordinate; a value for an array holds for all its entries, or is split among them."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        if len(given) != len(names):
            raise SettingsError(what, f"there are {len(given)} for {len(names)} parameters")
        return {name: value for name, value in zip(names, given, strict=True) if value is not None}
    arrays = dict(group(names))
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in names and name not in arrays:
            raise SettingsError(what, unknown(str(name), arrays))
        shape = arrays.get(name, [])
        entries = [_entry(name, index) for index in product(*map(range, shape))]
        found.update(zip(entries, split(value, shape), strict=True))
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
        others = [str(name) for name in start if name not in known]
        if others:
            raise SettingsError("start", unknown(others[0], known))
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
