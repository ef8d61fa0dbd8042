"""The built-in targets of the library.

Generated from the registry of the Rust library by ``make python-registry``; do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .target import BuiltInTarget, ExactTarget, PosteriorTarget

__all__ = [
    "Banana",
    "BirthWeight",
    "Cbpp",
    "Coal",
    "Dugongs",
    "EightSchools",
    "Flower",
    "Funnel",
    "Garch",
    "LynxHare",
    "MixedBanana",
    "Nile",
    "Ring",
    "ScaledGaussian",
    "StackLoss",
    "StochasticVolatility",
    "StudentT",
    "Thurber",
    "TwoModes",
    "WarpBreaks",
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
class MixedBanana(BuiltInTarget):
    """mixed-banana: the same in coordinates that are mixed and in very different units.

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
    _name = "mixed-banana"


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
class BirthWeight(ExactTarget):
    """birth-weight: low weight of 189 babies: logistic regression with ten covariates.

    Parameters and priors: intercept ~ normal(0, 2.5), age ~ normal(0, 2.5), lwt ~ normal(0, 2.5), black ~ normal(0,
    2.5), other ~ normal(0, 2.5), smoke ~ normal(0, 2.5), ptd ~ normal(0, 2.5), ht ~ normal(0, 2.5), ui ~ normal(0,
    2.5), ftv1 ~ normal(0, 2.5), ftv2 ~ normal(0, 2.5).
    """

    _name = "birth-weight"


@dataclass(frozen=True)
class Coal(ExactTarget):
    """coal: disasters in British coal mines, 1851 to 1962: Poisson rates with a change point.

    Parameters and priors: early ~ exponential(1), late ~ exponential(1), change ~ uniform(1851, 1963).
    """

    _name = "coal"


@dataclass(frozen=True)
class Dugongs(ExactTarget):
    """dugongs: lengths of 27 dugongs by age: nonlinear growth curve.

    Parameters and priors: alpha ~ half-normal(10), beta ~ half-normal(10), gamma ~ uniform(0.5, 1), sigma ~ half-
    normal(1).
    """

    _name = "dugongs"


@dataclass(frozen=True)
class EightSchools(ExactTarget):
    """eight-schools: effects of coaching in 8 schools: hierarchical normal model, non-centred.

    Parameters and priors: mu ~ normal(0, 5), tau ~ half-cauchy(5), z1 ~ normal(0, 1), z2 ~ normal(0, 1), z3 ~ normal(0,
    1), z4 ~ normal(0, 1), z5 ~ normal(0, 1), z6 ~ normal(0, 1), z7 ~ normal(0, 1), z8 ~ normal(0, 1).
    """

    _name = "eight-schools"


@dataclass(frozen=True)
class Garch(ExactTarget):
    """garch: 945 daily returns of sterling: GARCH(1, 1).

    Parameters and priors: mean ~ normal(0, 1), sd ~ half-normal(2), persistence ~ uniform(0, 1), share ~ uniform(0, 1).
    """

    _name = "garch"


@dataclass(frozen=True)
class LynxHare(ExactTarget):
    """lynx-hare: pelts of hares and lynxes, 1900 to 1920: differential equations of Lotka and Volterra.

    Parameters and priors: alpha ~ truncated-normal(1, 0.5, 0, inf), beta ~ truncated-normal(0.05, 0.05, 0, inf), gamma
    ~ truncated-normal(1, 0.5, 0, inf), delta ~ truncated-normal(0.05, 0.05, 0, inf), hare ~ log-
    normal(2.302585092994046, 1), lynx ~ log-normal(2.302585092994046, 1), sd_hare ~ log-normal(-1, 1), sd_lynx ~ log-
    normal(-1, 1).
    """

    _name = "lynx-hare"


@dataclass(frozen=True)
class Nile(ExactTarget):
    """nile: flow of the Nile, 1871 to 1970: local level model, by the Kalman filter.

    Parameters and priors: level ~ normal(1000, 500), sd_flow ~ half-normal(500), sd_level ~ half-normal(500).
    """

    _name = "nile"


@dataclass(frozen=True)
class StackLoss(ExactTarget):
    """stack-loss: ammonia lost by a plant on 21 days: linear regression with Student-t errors.

    Parameters and priors: intercept ~ normal(20, 10), air ~ normal(0, 10), water ~ normal(0, 10), acid ~ normal(0, 10),
    scale ~ half-normal(10), freedom ~ gamma(2, 0.1).
    """

    _name = "stack-loss"


@dataclass(frozen=True)
class Thurber(ExactTarget):
    """thurber: mobility of electrons at 37 densities: regression on a rational function (NIST).

    Parameters and priors: b1 ~ log-normal(7, 0.5), b2 ~ log-normal(7, 0.5), b3 ~ log-normal(6, 0.5), b4 ~ log-normal(4,
    1), b5 ~ log-normal(0, 0.5), b6 ~ log-normal(-1, 0.5), b7 ~ log-normal(-3, 1), sigma ~ half-normal(50).
    """

    _name = "thurber"


@dataclass(frozen=True)
class WarpBreaks(ExactTarget):
    """warp-breaks: breaks of yarn on 54 looms: negative binomial regression on two factors.

    Parameters and priors: intercept ~ normal(3, 1), wool_b ~ normal(0, 1), tension_m ~ normal(0, 1), tension_h ~
    normal(0, 1), wool_b_tension_m ~ normal(0, 1), wool_b_tension_h ~ normal(0, 1), phi ~ gamma(2, 0.1).
    """

    _name = "warp-breaks"


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
