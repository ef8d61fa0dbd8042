"""The built-in targets of the library.

Generated from the registry of the Rust library by ``make python-registry``; do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .target import BuiltInTarget, PosteriorTarget

__all__ = [
    "Banana",
    "Cbpp",
    "Flower",
    "Funnel",
    "Ring",
    "ScaledGaussian",
    "StochasticVolatility",
    "StudentT",
    "TwoModes",
]


@dataclass(frozen=True)
class Banana(BuiltInTarget):
    """banana: twisted Gaussian B(b, v): the second coordinate is moved by b(x₁² − v).

    Args:
        dim: The dimension. (2 to 1000000)
        b: The strength of the twist.
        v: The variance of the first coordinate. (> 0)
        noise: The standard deviation of noise on the log density, for pseudo-marginal chains. (≥ 0)
    """

    dim: int = 8
    b: float = 0.1
    v: float = 100.0
    noise: float = 0.0
    _name = "banana"


@dataclass(frozen=True)
class Flower(BuiltInTarget):
    """flower: band around a circle whose radius waves, r₀ + A cos ωθ.

    Args:
        dim: The dimension. (2 to 1000000)
        r0: The radius r₀ of the circle. (> 0)
        amplitude: The amplitude A of the waves, of size below r₀.
        omega: The number of waves ω, a whole number. (≥ 0)
        sigma: The standard deviation across the band. (> 0)
        noise: The standard deviation of noise on the log density, for pseudo-marginal chains. (≥ 0)
    """

    dim: int = 8
    r0: float = 10.0
    amplitude: float = 6.0
    omega: float = 6.0
    sigma: float = 1.0
    noise: float = 0.0
    _name = "flower"


@dataclass(frozen=True)
class Ring(BuiltInTarget):
    """ring: band around a circle.

    Args:
        dim: The dimension. (2 to 1000000)
        radius: The radius of the circle. (> 0)
        variance: The variance across the band. (> 0)
        noise: The standard deviation of noise on the log density, for pseudo-marginal chains. (≥ 0)
    """

    dim: int = 8
    radius: float = 3.5
    variance: float = 0.05
    noise: float = 0.0
    _name = "ring"


@dataclass(frozen=True)
class ScaledGaussian(BuiltInTarget):
    """gaussian: Gaussian of mean zero, badly scaled or correlated on demand.

    Args:
        dim: The dimension. (2 to 1000000)
        condition: The variances fall in equal ratios from 1 to 1/condition. (≥ 1)
        correlation: The correlation of every pair of coordinates. (> -1, < 1)
        variances: The variances themselves, in place of the condition. (> 0)
        noise: The standard deviation of noise on the log density, for pseudo-marginal chains. (≥ 0)
    """

    dim: int = 8
    condition: float = 1.0
    correlation: float = 0.0
    variances: Sequence[float] | None = None
    noise: float = 0.0
    _name = "gaussian"


@dataclass(frozen=True)
class Funnel(BuiltInTarget):
    """funnel: Neal's funnel: the first coordinate is the log variance of the others.

    Args:
        dim: The dimension. (2 to 1000000)
        s: The standard deviation of the log variance. (> 0)
        noise: The standard deviation of noise on the log density, for pseudo-marginal chains. (≥ 0)
    """

    dim: int = 8
    s: float = 3.0
    noise: float = 0.0
    _name = "funnel"


@dataclass(frozen=True)
class StudentT(BuiltInTarget):
    """student-t: Student's t with unit scale.

    Args:
        dim: The dimension. (2 to 1000000)
        freedom: The degrees of freedom ν, above 2 so that there is a variance. (> 2)
        noise: The standard deviation of noise on the log density, for pseudo-marginal chains. (≥ 0)
    """

    dim: int = 8
    freedom: float = 3.0
    noise: float = 0.0
    _name = "student-t"


@dataclass(frozen=True)
class TwoModes(BuiltInTarget):
    """two-modes: two unit Gaussians at a distance along the first axis.

    Args:
        dim: The dimension. (2 to 1000000)
        distance: The distance of the modes along the first axis. (> 0)
        weight: The weight of the mode on the negative side. (> 0, < 1)
        noise: The standard deviation of noise on the log density, for pseudo-marginal chains. (≥ 0)
    """

    dim: int = 8
    distance: float = 6.0
    weight: float = 0.5
    noise: float = 0.0
    _name = "two-modes"


@dataclass(frozen=True)
class Cbpp(PosteriorTarget):
    """cbpp: cattle disease in 15 herds: logistic regression with random effects, by importance sampling.

    Args:
        n_imp: The number of importance samples for each herd. (1 to 1000000)
    """

    n_imp: int = 2
    _name = "cbpp"


@dataclass(frozen=True)
class StochasticVolatility(PosteriorTarget):
    """sv: stochastic volatility of 945 daily returns of sterling, by a particle filter.

    Args:
        particles: The number of particles. (1 to 1000000)
    """

    particles: int = 150
    _name = "sv"
