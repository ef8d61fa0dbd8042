"""Thinning: a few draws that stand for all of them."""

from __future__ import annotations

import json
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kameleon
from .errors import ParameterError, SettingsError
from .parameters import unknown

if TYPE_CHECKING:
    from .result import Result

__all__ = ["Thinned"]


@dataclass(frozen=True, eq=False, repr=False)
class Thinned(Mapping[str, NDArray[np.float64]]):
    """Draws that stand for all draws of a run, with equal weights: a mapping from each parameter to its values.

    >>> import kameleon as km
    >>> result = km.sample(km.targets.Banana(2, b=0.03), draws=2000, warmup=2000, chains=2, seed=1)
    >>> thinned = result.thin_to(50)
    >>> thinned["x1"].shape, bool(thinned.mmd < 0.5 * thinned.mmd_standard)
    ((50,), True)
    """

    points: NDArray[np.float64]
    """The kept draws, one in each row."""
    chain: NDArray[np.int64]
    """The chain of each: ``result.draws[thinned.chain, thinned.draw]`` are the kept draws."""
    draw: NDArray[np.int64]
    """Which draw of its chain each one is; with ``weighted=True``, the draw that its step ended in."""
    log_density: NDArray[np.float64]
    """The log density at each, or its estimate; NaN with ``weighted=True``, where a weight is known instead."""
    mmd: float
    """The maximum mean discrepancy between the kept draws and all, estimated within about 4 %."""
    mmd_standard: float
    """The same for standard thinning to the same number of draws."""
    bandwidth: float
    """The bandwidth of the Gaussian kernel, in standard deviations of the parameters."""
    of: int
    """The number of draws that there were."""
    weighted: bool
    """Whether they were weighted."""
    seed: int
    """The seed of the choice."""
    _variables: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        at = 0
        for known, shape in self._variables.items():
            if known == name:
                return self.points[:, at : at + prod(shape)].reshape(len(self.points), *shape)
            at += prod(shape)
        raise ParameterError(unknown(name, self._variables))

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)

    def __repr__(self) -> str:
        what = "weighted draws" if self.weighted else "draws"
        return (
            f"<{len(self.points)} of {self.of} {what} of {', '.join(self._variables)}, "
            f"MMD to all of them {self.mmd:.4f} (by standard thinning {self.mmd_standard:.4f})>"
        )

    def _kept(self) -> str:
        """For the report, as the program writes it."""
        values: dict[str, Any] = {
            name: getattr(self, name) for name in ("of", "weighted", "seed", "mmd", "mmd_standard", "bandwidth")
        }
        values |= {"chain": self.chain.tolist(), "draw": self.draw.tolist(), "points": self.points.ravel().tolist()}
        values["log_density"] = [value if np.isfinite(value) else None for value in self.log_density.tolist()]
        return json.dumps(values)


def choose(
    points: ArrayLike, to: int, log_weights: ArrayLike | None, seed: int, periods: Sequence[Any] = ()
) -> dict[str, Any]:
    """The kept rows of an array, in ``kept``, and how well they stand for all. Columns with a period are angles."""
    rows = np.asarray(points, dtype=float)
    if rows.ndim != 2:
        raise SettingsError("points", f"must have the shape (draws, parameters), not {rows.shape}")
    weights = None if log_weights is None else np.ascontiguousarray(log_weights, dtype=float).ravel()
    try:
        number = operator.index(to)
    except TypeError:
        raise SettingsError("to", f"must be a whole number, not {to!r}") from None
    for name, value in {"to": number, "seed": seed}.items():
        if value < 0:
            raise SettingsError(name, f"must not be negative, not {value}")
    ends = [None if period is None else (period[0], period[1]) for period in periods]
    found: dict[str, Any] = json.loads(_kameleon.thin(rows, weights, number, seed, ends))
    return found


def thin_to(result: Result, to: int, weighted: bool, log_weights: ArrayLike | None, seed: int) -> Thinned:
    """The draws of a run, or its weighted draws, thinned."""
    if weighted and log_weights is not None:
        raise SettingsError("log_weights", "cannot be given with weighted=True, whose draws have weights of their own")
    periods = result._posterior["periods"]
    if weighted:
        points, weights = result.weighted_draws()
        jumps = [chain["draws"]["jumps"]["draw"] for chain in result._posterior["chains"]]
        chain = np.repeat(np.arange(len(jumps)), [len(of) for of in jumps])
        draw, log_density = np.concatenate(jumps), np.full(len(points), np.nan)
        found = choose(points, to, weights, seed, periods)
    else:
        draws = result.draws
        chains, length, dim = draws.shape
        points, log_density = draws.reshape(-1, dim), result.log_density.ravel()
        chain, draw = (each.ravel() for each in np.indices((chains, length)))
        if log_weights is not None and np.shape(log_weights) != (chains, length):
            raise SettingsError("log_weights", f"must have the shape {(chains, length)}, not {np.shape(log_weights)}")
        found = choose(points, to, log_weights, seed, periods)
    kept = found["kept"]
    return Thinned(
        points=points[kept],
        chain=chain[kept],
        draw=draw[kept],
        log_density=log_density[kept],
        mmd=found["mmd"],
        mmd_standard=found["mmd_standard"],
        bandwidth=found["bandwidth"],
        of=len(points),
        weighted=weighted or log_weights is not None,
        seed=seed,
        _variables=result.variables,
    )
