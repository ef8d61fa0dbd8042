"""Priors that only Python can evaluate: their log densities and draws, in this process and on workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kameleon
from .errors import SettingsError

LogPrior = Callable[[NDArray[np.float64]], Any]
"""A log density of all parameters."""
Draws = ArrayLike | Callable[[np.random.Generator, int], ArrayLike] | None
Ends = tuple[float | None, float | None]
"""A lower and an upper bound, with None for no bound."""


class Marginal(Protocol):
    """A prior of one parameter, within its bounds and normalised there."""

    @property
    def bounds(self) -> Ends:
        """Where the density is positive."""

    @property
    def about(self) -> str:
        """As it was written."""

    def log_density(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """The log density at each of some values."""

    def draw(self, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
        """Independent draws, strictly inside."""


@dataclass(frozen=True)
class BuiltIn:
    """A built-in prior next to others that only Python can evaluate."""

    about: str
    bounds: Ends

    @classmethod
    def within(cls, text: str, name: str, bounds: Ends) -> BuiltIn:
        """The prior of this parameter, cut by its bounds."""
        try:
            return cls(text, _kameleon.prior_support(text, bounds))
        except SettingsError as error:
            raise SettingsError("priors", f"{name}: {error.what}") from None

    def log_density(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """The log density at each of some values."""
        return _kameleon.prior_log_density(self.about, self.bounds, x)

    def draw(self, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
        """Independent draws, strictly inside."""
        return _kameleon.prior_draws(self.about, self.bounds, int(rng.integers(2**63)), count)


@dataclass(frozen=True)
class Function:
    """A prior of one parameter that is known by its log density only, up to a constant: it cannot be drawn from."""

    function: Callable[[float], Any]
    bounds: Ends

    @classmethod
    def within(cls, function: Callable[[float], Any], name: str, bounds: Ends) -> Function:
        """The prior of this parameter within its bounds."""
        return cls(function, bounds)

    @property
    def about(self) -> str:
        """The name of the function."""
        return f"the Python function {getattr(self.function, '__qualname__', type(self.function).__name__)}"

    def log_density(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """The log density at each of some values."""
        return np.array([float(self.function(float(value))) for value in x])

    def draw(self, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
        """NaN: there are no draws."""
        return np.full(count, np.nan)


@dataclass(frozen=True)
class Joint:
    """A prior of all parameters together, known by a function, and by draws if there are any."""

    function: LogPrior
    draws: NDArray[np.float64] | Callable[[np.random.Generator, int], ArrayLike] | None
    vectorized: bool = False

    @property
    def about(self) -> str:
        """The name of the function or distribution."""
        function = self.function
        own = getattr(function, "about", None)
        return str(own or f"the Python function {getattr(function, '__qualname__', type(function).__name__)}")

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
            return rows_of(self.draws(rng, count), count)
        rows = len(self.draws)
        return self.draws[rng.choice(rows, count, replace=count > rows)]


def rows_of(draws: ArrayLike, count: int | None = None) -> NDArray[np.float64]:
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
    """The part of a prior that only Python can evaluate: of some parameters, of each of them, or of all together."""

    dim: int
    marginals: Mapping[int, Marginal]
    joint: Joint | None = None

    @property
    def is_proper(self) -> bool:
        """Whether it is normalised and can be drawn from; a function with draws is taken at its word."""
        if self.joint is not None:
            return self.joint.draws is not None
        known = [marginal for marginal in self.marginals.values() if not isinstance(marginal, Function)]
        return len(known) == self.dim

    @property
    def about(self) -> str:
        """What it is, for people."""
        if self.joint is not None:
            return self.joint.about
        return ", ".join(marginal.about for marginal in self.marginals.values())

    def log_density(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """The log density at each row."""
        if self.joint is not None:
            return self.joint.log_density(points)
        total = np.zeros(len(points))
        for k, marginal in self.marginals.items():
            total += marginal.log_density(np.ascontiguousarray(points[:, k]))
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
                columns = "1 column" if rows.shape[1] == 1 else f"{rows.shape[1]} columns"
                raise SettingsError("prior_draws", f"has {columns} for {self.dim} parameters")
            return rows
        rows = np.full((count, self.dim), np.nan)
        for k, marginal in self.marginals.items():
            rows[:, k] = marginal.draw(rng, count)
        return rows
