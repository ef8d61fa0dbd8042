"""The paper's three targets in NumPy, with a count of evaluations and the truth that draws are held against."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

Array = NDArray[np.float64]


@dataclass
class Density:
    """A log density that counts how often it is asked; sub-classes say what it is."""

    name: str
    box: Array
    """For samplers that need a box as prior: lower and upper bounds, two rows, around all mass that matters."""

    def __post_init__(self) -> None:
        self.evaluations = 0

    @property
    def dim(self) -> int:
        return self.box.shape[1]

    def log_density(self, x: Array) -> float:
        """At one point."""
        self.evaluations += 1
        return float(self.value(x[None, :])[0])

    def log_densities(self, x: Array) -> Array:
        """At the rows of x."""
        self.evaluations += len(x)
        return self.value(x)

    def from_cube(self, u: Array) -> Array:
        """The point of the box that belongs to one of the unit cube, or many, one in each row."""
        low, high = self.box
        return low + (high - low) * u

    def value(self, x: Array) -> Array:
        raise NotImplementedError


@dataclass
class Target(Density):
    """A density with a budget of evaluations and the truth about its mean."""

    budget: int
    mean: Array
    total_variance: float

    def value(self, x: Array) -> Array:
        return -0.5 * self.squared_radius(x)

    def squared_radius(self, x: Array, xp: ModuleType = np) -> Array:
        """−2 log density of each row, in NumPy or in JAX's copy of it."""
        raise NotImplementedError

    def levels(self, x: Array) -> Array:
        """The probability of the region around the ridge that reaches out to each row: uniform under the truth."""
        raise NotImplementedError

    def start(self, count: int, seed: int) -> Array:
        """Starts that know nothing of the target."""
        return np.random.default_rng(seed).uniform(-2, 2, (count, self.dim))


class Banana(Target):
    """B(b, v): x2 bent by b (x1² − v), x1 of variance v, the others standard normal."""

    def __init__(self, b: float, v: float, dim: int, budget: int) -> None:
        self.b, self.v = b, v
        box = np.tile([[-8.0], [8.0]], dim)
        box[:, 0] = np.array([-6.0, 6.0]) * np.sqrt(v)
        box[:, 1] = [-b * v - 8.0, b * (36.0 * v - v) + 8.0]
        # Var x2 = 1 + b² Var(x1²) = 1 + 2 b² v².
        variance = v + 1.0 + 2.0 * (b * v) ** 2 + dim - 2
        super().__init__(f"B({b:g},{v:g})", box, budget, np.zeros(dim), variance)

    def squared_radius(self, x: Array, xp: ModuleType = np) -> Array:
        straight = x[:, 1] - self.b * (x[:, 0] ** 2 - self.v)
        return x[:, 0] ** 2 / self.v + straight**2 + (x[:, 2:] ** 2).sum(axis=1)

    def levels(self, x: Array) -> Array:
        return chi2.cdf(self.squared_radius(x), self.dim)


class Flower(Target):
    """F(r0, a, omega, sigma): a band around a circle whose radius waves."""

    def __init__(self, r0: float, a: float, omega: float, sigma: float, dim: int, budget: int) -> None:
        self.r0, self.a, self.omega, self.sigma = r0, a, omega, sigma
        reach = r0 + abs(a) + 8.0 * sigma
        box = np.tile([[-8.0], [8.0]], dim)
        box[:, :2] = np.array([[-reach], [reach]])
        # The density carries a factor r in polar form: E r² = ∫ r³ / ∫ r over radius and angle.
        theta = (np.arange(4096) + 0.5) * 2 * np.pi / 4096
        mu = r0 + a * np.cos(omega * theta)
        variance = float((mu**3 + 3 * mu * sigma**2).mean() / mu.mean()) + dim - 2
        super().__init__(f"F({r0:g},{a:g},{omega:g},{sigma:g})", box, budget, np.zeros(dim), variance)

    def squared_radius(self, x: Array, xp: ModuleType = np) -> Array:
        ridge = self.r0 + self.a * xp.cos(self.omega * xp.arctan2(x[:, 1], x[:, 0]))
        across = (xp.hypot(x[:, 0], x[:, 1]) - ridge) / self.sigma
        return across**2 + (x[:, 2:] ** 2).sum(axis=1)

    def levels(self, x: Array) -> Array:
        return chi2.cdf(self.squared_radius(x), self.dim - 1)


def paper_targets() -> list[Target]:
    """The paper's three, each with as many evaluations as a chain of the paper has iterations."""
    return [Banana(0.03, 100.0, 8, 40_000), Banana(0.1, 100.0, 8, 80_000), Flower(10.0, 6.0, 6.0, 1.0, 8, 120_000)]
