"""Problems with a box as prior and known evidence: most are those that nested samplers are tested on.

Their numbers are those of `crates/kameleon/examples/population/problems.rs`, except for the centres of the modes, which
are random there too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, logsumexp
from targets import Array, Banana, Density, Flower, Target

LOG_TWO_PI = float(np.log(2 * np.pi))


@dataclass
class Modes:
    """Where the modes are, how wide, and how much of the mass each has."""

    centres: Array
    sds: Array
    weights: Array

    def largest_error(self, points: Array, weights: Array) -> float:
        """The largest error of a mode's weight in a weighted sample, whose points belong to their nearest mode."""
        apart = ((points[:, None] - self.centres) ** 2).sum(axis=2) / self.sds**2
        found = np.bincount(apart.argmin(axis=1), weights / weights.sum(), len(self.weights))
        return float(np.abs(found - self.weights).max())


@dataclass
class Problem(Density):
    """A log likelihood under a prior that is uniform in the box."""

    log_likelihood: Callable[[Array], Array]
    log_mass: float
    """ln of the integral of the likelihood."""
    modes: Modes | None = None

    @property
    def log_z(self) -> float:
        low, high = self.box
        return self.log_mass - float(np.log(high - low).sum())

    def value(self, x: Array) -> Array:
        return self.log_likelihood(x)


def cube(low: float, high: float, dim: int) -> Array:
    return np.tile([[low], [high]], dim)


def log_normal(z: Array, sd: Array | float) -> Array:
    """ln of the normal density in one dimension."""
    return -0.5 * (z / sd) ** 2 - np.log(sd) - 0.5 * LOG_TWO_PI


def mixture(name: str, box: Array, modes: Modes) -> Problem:
    # One product of matrices for all modes: |x − c|² = |x|² − 2 x·c + |c|².
    squares = (modes.centres**2).sum(axis=1)
    constant = np.log(modes.weights) - box.shape[1] * (np.log(modes.sds) + 0.5 * LOG_TWO_PI)

    def log_likelihood(x: Array) -> Array:
        apart = (x**2).sum(axis=1)[:, None] - 2 * x @ modes.centres.T + squares
        of = constant - 0.5 * apart / modes.sds**2
        top = of.max(axis=1)
        return top + np.log(np.exp(of - top[:, None]).sum(axis=1))

    return Problem(name, box, log_likelihood, 0.0, modes)


def four_modes(dim: int) -> Problem:
    """Weights .1 to .4, standard deviations 1.5 to .5, centres 10 to 20 apart, in a box of ±100."""
    rng = np.random.default_rng(5 + dim)
    while True:
        ways = rng.standard_normal((4, dim))
        centres = ways * rng.uniform(7, 12, (4, 1)) / np.linalg.norm(ways, axis=1)[:, None]
        apart = np.linalg.norm(centres[:, None] - centres, axis=2)[np.triu_indices(4, 1)]
        if apart.min() > 10 and apart.max() < 20:
            break
    modes = Modes(centres, np.array([1.5, 1.0, 0.7, 0.5]), np.array([0.1, 0.2, 0.3, 0.4]))
    return mixture(f"4 modes, d {dim}", cube(-100, 100, dim), modes)


def eight_modes(dim: int, seed: int) -> Problem:
    """Eight modes anywhere in ±50, with standard deviations e^U(−1, 1): other ones for every seed."""
    rng = np.random.default_rng(1000 * dim + seed)
    modes = Modes(rng.uniform(-50, 50, (8, dim)), np.exp(rng.uniform(-1, 1, 8)), rng.dirichlet(np.full(8, 3.0)))
    return mixture(f"8 modes, d {dim}", cube(-60, 60, dim), modes)


def shells(dim: int) -> Problem:
    """Two shells of radius 2 and thickness .1, that do not touch."""

    def log_likelihood(x: Array) -> Array:
        rest = (x[:, 1:] ** 2).sum(axis=1)
        radii = [np.sqrt((x[:, 0] - centre) ** 2 + rest) for centre in (-3.5, 3.5)]
        return np.logaddexp(*(log_normal(radius - 2, 0.1) for radius in radii))

    radius = 0.8 + 1e-4 * (np.arange(24_000) + 0.5)
    along = np.log((1e-4 * np.exp((dim - 1) * np.log(radius) + log_normal(radius - 2, 0.1))).sum())
    area = np.log(2) + 0.5 * dim * np.log(np.pi) - gammaln(0.5 * dim)
    centres = np.zeros((2, dim))
    centres[:, 0] = -3.5, 3.5
    modes = Modes(centres, np.ones(2), np.full(2, 0.5))
    return Problem(f"shells, d {dim}", cube(-6, 6, dim), log_likelihood, float(np.log(2) + area + along), modes)


def eggbox() -> Problem:
    def log_likelihood(x: Array) -> Array:
        return (2 + np.cos(0.5 * x[:, 0]) * np.cos(0.5 * x[:, 1])) ** 5

    grid = (np.arange(3000) + 0.5) / 3000 * 10 * np.pi
    rows = [logsumexp(log_likelihood(np.column_stack([np.full(3000, at), grid]))) for at in grid]
    mass = float(logsumexp(rows)) + 2 * np.log(grid[1] - grid[0])
    return Problem("eggbox, d 2", cube(0, 10 * np.pi, 2), log_likelihood, float(mass))


def log_gamma(dim: int) -> Problem:
    """Four modes of log-gamma and normal sides, in the unit cube."""
    sd, gammas = 1 / 30, (dim + 2) // 2

    def gamma(z: Array) -> Array:
        return z / sd - np.exp(np.minimum(z / sd, 700.0)) - np.log(sd)

    def log_likelihood(x: Array) -> Array:
        low, high = x[:, :2] - 1 / 3, x - 2 / 3
        first = np.logaddexp(gamma(low[:, 0]), gamma(high[:, 0]))
        second = np.logaddexp(log_normal(low[:, 1], sd), log_normal(high[:, 1], sd))
        rest = gamma(high[:, 2:gammas]).sum(axis=1) + log_normal(high[:, gammas:], sd).sum(axis=1)
        return first + second + rest - 2 * np.log(2)

    centres = np.full((4, dim), 2 / 3)
    centres[:2, 0] = centres[::2, 1] = 1 / 3
    modes = Modes(centres, np.ones(4), np.full(4, 0.25))
    return Problem(f"log-gamma, d {dim}", cube(0, 1, dim), log_likelihood, 0.0, modes)


def of_paper(target: Target, name: str, box: Array, log_mass_of_plane: float) -> Problem:
    """A target of the paper: the integral over its first two coordinates is given, the others are standard normal."""
    return Problem(name, box, target.value, log_mass_of_plane + 0.5 * (target.dim - 2) * LOG_TWO_PI)


def banana(b: float) -> Problem:
    box = cube(-10, 10, 8)
    box[:, 0], box[:, 1] = [-60, 60], [-40, {0.03: 120, 0.1: 360}[b]]
    return of_paper(Banana(b, 100.0, 8, 0), f"B({b:g}), d 8", box, LOG_TWO_PI + np.log(10))


def flower() -> Problem:
    target = Flower(10.0, 6.0, 6.0, 1.0, 8, 0)
    # ∫ r exp(−(r − μ)²/2) dr, over a grid of r and over angles.
    angle, radius = (np.arange(512) + 0.5) * 2 * np.pi / 512, 1e-3 * (np.arange(24_000) + 0.5)
    ridge = 10 + 6 * np.cos(6 * angle)
    mass = sum(float((radius * np.exp(-0.5 * (radius - at) ** 2)).sum()) for at in ridge) * 1e-3 * 2 * np.pi / 512
    return of_paper(target, "flower, d 8", target.box, float(np.log(mass)))


PROBLEMS: dict[str, Callable[[int], Problem]] = {
    "4 modes, d 5": lambda seed: four_modes(5),
    "8 modes, d 5": lambda seed: eight_modes(5, seed),
    "B(0.1), d 8": lambda seed: banana(0.1),
    "shells, d 5": lambda seed: shells(5),
    "eggbox, d 2": lambda seed: eggbox(),
    "log-gamma, d 10": lambda seed: log_gamma(10),
    "B(0.03), d 8": lambda seed: banana(0.03),
    "flower, d 8": lambda seed: flower(),
}
"""The problems by name; a seed makes the random ones."""
