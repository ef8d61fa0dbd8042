"""Priors as users give them: texts, frozen distributions of ``scipy.stats``, or one function of all parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _scipy
from ._scipy import Marginal
from .errors import SettingsError
from .parameters import Table, each

Prior = str | Any
"""A text such as "normal(0, 1)", or a frozen distribution of ``scipy.stats``."""
LogPrior = Callable[[NDArray[np.float64]], Any]
"""A log density of all parameters."""
Priors = Mapping[str, Prior] | Sequence[Prior | None] | LogPrior | Prior | None
Draws = ArrayLike | Callable[[np.random.Generator, int], ArrayLike] | None


@dataclass(frozen=True)
class Joint:
    """A prior of all parameters together, known by a function, and by draws if there are any."""

    function: LogPrior
    draws: NDArray[np.float64] | Callable[[np.random.Generator, int], ArrayLike] | None
    vectorized: bool = False

    def log_density(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """The log density at each row."""
        values = self.function(points) if self.vectorized else [self.function(x) for x in points]
        try:
            found = np.asarray(values, dtype=float)
        except (TypeError, ValueError):
            raise TypeError(f"the log prior must return a number for a point, not {values!r}") from None
        if found.shape != (len(points),):
            rows = f"{len(points)} numbers, one for each row" if self.vectorized else "a number for a point"
            raise TypeError(f"the log prior must return {rows}, not an array of shape {found.shape}")
        return found

    def draw(self, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
        """Draws, one in each row; of an array, rows in random order."""
        if self.draws is None:
            raise SettingsError("prior_draws", "is needed: a prior that is only a function cannot be drawn from")
        if callable(self.draws):
            return _rows(self.draws(rng, count), count)
        rows = len(self.draws)
        return self.draws[rng.choice(rows, count, replace=count > rows)]


def _rows(draws: ArrayLike, count: int | None = None) -> NDArray[np.float64]:
    """Draws, one in each row, if they are that, and as many as there should be."""
    rows = np.asarray(draws, dtype=float)
    if rows.ndim != 2 or rows.size == 0 or len(rows) != (count or len(rows)):
        shape = f"({count or 'draws'}, parameters)"
        raise SettingsError("prior_draws", f"must have the shape {shape}, not {rows.shape}")
    if not np.isfinite(rows).all():
        raise SettingsError("prior_draws", "must be finite")
    return rows


@dataclass(frozen=True)
class PythonPrior:
    """The part of a prior that only Python can evaluate: of some parameters, or of all together."""

    dim: int
    marginals: Mapping[int, Marginal]
    joint: Joint | None = None

    @property
    def is_proper(self) -> bool:
        """Whether it is normalised, as far as one can tell: a function with draws is taken at its word."""
        return self.joint is None or self.joint.draws is not None

    @property
    def about(self) -> str:
        """What it is, for people."""
        if self.joint is not None:
            function = self.joint.function
            return f"the Python function {getattr(function, '__qualname__', type(function).__name__)}"
        return ", ".join(dict.fromkeys(_scipy.about(each.prior) for each in self.marginals.values()))

    def log_density(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """The log density at each row."""
        if self.joint is not None:
            return self.joint.log_density(points)
        total = np.zeros(len(points))
        for k, marginal in self.marginals.items():
            total += marginal.log_density(points[:, k])
        return total

    def __call__(self, x: NDArray[np.float64]) -> float:
        """The log density at a point."""
        return float(self.log_density(x[None])[0])

    def draw(self, seed: int, count: int) -> NDArray[np.float64]:
        """Draws, one in each row; NaN in the columns of parameters that it does not know."""
        rng = np.random.default_rng(seed)
        if self.joint is not None:
            rows = self.joint.draw(rng, count)
            if rows.shape[1] != self.dim:
                raise SettingsError("prior_draws", f"has {rows.shape[1]} columns for {self.dim} parameters")
            return rows
        rows = np.full((count, self.dim), np.nan)
        for k, marginal in self.marginals.items():
            rows[:, k] = marginal.draw(rng, count)
        return rows

    def starts(self, table: Table, seed: int, chains: int) -> list[list[float]] | None:
        """Draws for chains to start at: whole points, or in the table for the parameters that it knows."""
        if not self.is_proper:
            return None
        draws = self.draw(seed, chains)
        if self.joint is not None:
            return [[float(x) for x in row] for row in draws]
        for name, column in zip(table, draws.T, strict=True):
            if not np.isnan(column).any():
                table[name]["start"] = [float(x) for x in column]
        return None


def joint_of(priors: Any, draws: Draws, vectorized: bool) -> Joint | None:
    """The prior of all parameters together, if that is what was given."""
    is_joint = callable(priors) and not hasattr(priors, "freeze")
    if draws is not None and not is_joint:
        raise SettingsError("prior_draws", "belongs to a prior that is a function of all parameters")
    if not is_joint:
        return None
    return Joint(priors, draws if draws is None or callable(draws) else _rows(draws), vectorized)


def settle(names: Sequence[str], table: Table, priors: Priors) -> PythonPrior | None:
    """Puts the priors of single parameters into the table, and returns those that only Python can evaluate."""
    if priors is not None and (isinstance(priors, str) or not isinstance(priors, Mapping | Sequence)):
        # One for every parameter.
        priors = [priors] * len(names)
    marginals: dict[int, Marginal] = {}
    for name, given in each("priors", priors, names, _split).items():
        prior, entry = _one(name, given), table[name]
        if isinstance(prior, str):
            entry["prior"] = prior
            continue
        marginal = Marginal.within(prior, name, (entry.get("lower"), entry.get("upper")))
        entry["lower"], entry["upper"] = marginal.bounds
        marginals[names.index(name)] = marginal
    return PythonPrior(len(names), marginals) if marginals else None


def _split(prior: Prior, shape: Sequence[int]) -> list[Prior]:
    if not _scipy.is_frozen(prior):
        return [prior] * prod(shape)
    try:
        return _scipy.split(prior, shape)
    except ValueError as error:
        raise SettingsError("priors", str(error)) from None


def _one(name: str, prior: Prior) -> Prior:
    """The prior of one coordinate: a text, where there is a built-in prior, or the distribution."""
    if isinstance(prior, str):
        return prior
    if not _scipy.is_frozen(prior) and not hasattr(prior, "freeze"):
        what = f'must be a text such as "normal(0, 1)" or a distribution such as scipy.stats.norm(0, 1), not {prior!r}'
        raise SettingsError("priors", f"{name}: {what}")
    why = _scipy.refusal(prior)
    if why is not None:
        raise SettingsError("priors", f"{name}: {why}")
    return _scipy.built_in(prior) or prior
