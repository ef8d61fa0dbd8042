"""The built-in samplers of the library.

Generated from the registry of the Rust library by ``make python-registry``; do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ._kernel import Kernel
from ._kernels import Gaussian
from ._sampler import Sampler

__all__ = [
    "AM",
    "AMPCA",
    "DEMCZ",
    "KAMH",
    "KMC",
    "MALA",
    "PMALA",
    "SM",
    "Kameleon",
    "KameleonPCA",
]


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Kameleon(Sampler):
    """kameleon: the default: learned metric, local steps and jumps across the target.

    Args:
        n: The number n of past states from which local steps are built. (10 to 100000)
    """

    n: int = 1000
    _name = "kameleon"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class SM(Sampler):
    """SM: standard Metropolis: isotropic steps of fixed scale.

    Args:
        nu: The scale ν of a step; 2.38/√d if not given. (> 0)
    """

    nu: float | None = None
    _name = "SM"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class AM(Sampler):
    """AM-LS: adaptive Metropolis: learned covariance and learned scale. AM-FS: adaptive Metropolis: learned covariance,
    fixed scale 2.38/√d.

    Args:
        learn_scale: Whether the scale ν is learned too (AM-LS; Andrieu & Thoms 2008) or stays at 2.38/√d (AM-FS;
            Haario).
        variances: The variances of the initial covariance; 1 if not given. (> 0)
        mean_from_zero: Whether the mean starts at zero instead of at the first state learned from.
        discard: The number of iterations before anything is learned.
        every: Mean and covariance are learned from one state in every this many. (≥ 1)
        covariance_power: Mean and covariance are learned with step sizes t^−a: a = 1 averages the history; ½, as
            published, never settles. (> 0)
        scale_power: ln ν² is learned with step sizes t^−a; this is a. (> 0)
        ridge: Added to the diagonal of the covariance. (≥ 0)
        until: When learning ends.
        published: Whether the defaults are those of the published experiments, which never settle.
    """

    learn_scale: bool = True
    variances: Sequence[float] | None = None
    mean_from_zero: bool = False
    discard: int = 500
    every: int = 1
    covariance_power: float = 1.0
    scale_power: float = 0.5
    ridge: float = 1e-10
    until: Literal["warmup", "forever"] = "warmup"
    published: bool = False
    _name = "AM-LS"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class AMPCA(Sampler):
    """AM-PCA: steps along one principal direction of the learned covariance at a time.

    Args:
        components: The number m of principal directions; all d if not given. With fewer, a frozen chain stays in a
            subspace. (≥ 1)
        discard: The number of iterations before anything is learned.
        until: When learning ends.
    """

    components: int | None = None
    discard: int = 500
    until: Literal["warmup", "forever"] = "warmup"
    _name = "AM-PCA"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class KAMH(Sampler):
    """KAMH-LS: Kameleon: covariance follows the local shape of the target, learned scale. KAMH: Kameleon with fixed
    scale.

    Args:
        learn_scale: Whether the scale ν² is learned (KAMH-LS) or stays as given (KAMH).
        kernel: The kernel.
        bandwidth: The kernel's bandwidth: from z by the median heuristic, fixed as given with the kernel, or a
            number.
        n: The number n of past states in the subsample z. (1 to 1000000)
        gamma: The exploration term γ, in the target's own units. (> 0)
        gamma_decay: γ decreases as (1 + k)^−a with the number k of changes of z; this is a. (≥ 0)
        nu2: The scale ν² at the start. (> 0)
        discard: The number of first iterations, whose states never enter z; nothing is learned before.
        history: Where z is drawn from: a reservoir of n states, or the whole stored past.
        schedule: The probability p_t of a new z at iteration t: a number, {power: a} for t^−a, or {steps: [[t, p],
            …]}.
        drift: Whether steps drift along the gradient of the log density: N(y + ½R∇log π, R). The target must have a
            gradient.
        drift_cut: The longest drift, in units of √d, about the length of the random part of a step. (> 0)
        acceptance: The acceptance rate that the scale is learned for. (> 0, < 1)
        until: When learning ends.
        z: A fixed z, as a list of points; then only the scale is learned.
        published: Whether z is drawn anew from the stored past at every iteration, as in the published experiments.
    """

    learn_scale: bool = True
    kernel: Kernel = Gaussian()  # noqa: RUF009 (a frozen value)
    bandwidth: Literal["median", "fixed"] | float = "median"
    n: int = 1000
    gamma: float = 0.2
    gamma_decay: float = 0.0
    nu2: float = 0.1
    discard: int = 500
    history: Literal["reservoir", "stored"] = "reservoir"
    schedule: float | dict[str, Any] = 1.0
    drift: bool = False
    drift_cut: float = 0.3
    acceptance: float = 0.234
    until: Literal["warmup", "forever"] = "warmup"
    z: Sequence[Sequence[float]] | None = None
    published: bool = False
    _name = "KAMH-LS"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class KameleonPCA(Sampler):
    """PCA-Kameleon: steps along one kernel principal direction at a time.

    Args:
        components: The number m of principal directions, fewer than n; the smaller of 20 and n − 1 if not given. (≥
            1)
        learn_scale: Whether the scale ν² is learned (KAMH-LS) or stays as given (KAMH).
        kernel: The kernel.
        bandwidth: The kernel's bandwidth: from z by the median heuristic, fixed as given with the kernel, or a
            number.
        n: The number n of past states in the subsample z. (1 to 1000000)
        gamma: The exploration term γ, in the target's own units. (> 0)
        gamma_decay: γ decreases as (1 + k)^−a with the number k of changes of z; this is a. (≥ 0)
        nu2: The scale ν² at the start. (> 0)
        discard: The number of first iterations, whose states never enter z; nothing is learned before.
        history: Where z is drawn from: a reservoir of n states, or the whole stored past.
        schedule: The probability p_t of a new z at iteration t: a number, {power: a} for t^−a, or {steps: [[t, p],
            …]}.
        until: When learning ends.
        z: A fixed z, as a list of points; then only the scale is learned.
        published: Whether z is drawn anew from the stored past at every iteration, as in the published experiments.
    """

    components: int | None = None
    learn_scale: bool = True
    kernel: Kernel = Gaussian()  # noqa: RUF009 (a frozen value)
    bandwidth: Literal["median", "fixed"] | float = "median"
    n: int = 200
    gamma: float = 0.2
    gamma_decay: float = 0.0
    nu2: float = 0.1
    discard: int = 500
    history: Literal["reservoir", "stored"] = "reservoir"
    schedule: float | dict[str, Any] = 1.0
    until: Literal["warmup", "forever"] = "warmup"
    z: Sequence[Sequence[float]] | None = None
    published: bool = False
    _name = "PCA-Kameleon"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class DEMCZ(Sampler):
    """DE-MC(Z): differential evolution: steps along differences of past states; not of the paper.

    Args:
        first: The number of initial states in Z, drawn around the start with unit variance; 10 per dimension if not
            given. (4 to 1000000)
        every: One state in every this many iterations joins Z. (≥ 1)
        snooker: The probability of a snooker update: a step along the line through a state of Z. (0 to 1)
        whole: The probability that a step has factor 1, which may lead from mode to mode. (0 to 1)
        noise: The standard deviation of the noise added to each coordinate. (> 0)
        until: When Z stops growing.
    """

    first: int | None = None
    every: int = 10
    snooker: float = 0.1
    whole: float = 0.1
    noise: float = 1e-06
    until: Literal["warmup", "forever"] = "warmup"
    _name = "DE-MC(Z)"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class PMALA(Sampler):
    """PMALA: Langevin steps with a learned covariance; needs a gradient; not of the paper.

    Args:
        learn_covariance: Whether the covariance Σ is learned (PMALA) or stays as given (MALA).
        learn_scale: Whether the scale ν is learned.
        nu: The scale ν at the start; 1.65 d^−1/6, best for a Gaussian target in many dimensions, if not given. (>
            0)
        variances: The variances of the initial covariance; 1 if not given. (> 0)
        drift_cut: The longest drift, in units of √d, about the length of the random part of a step. (> 0)
        acceptance: The acceptance rate that the scale is learned for. (> 0, < 1)
        discard: The number of iterations before a covariance is learned.
        until: When learning ends.
    """

    learn_covariance: bool = True
    learn_scale: bool = True
    nu: float | None = None
    variances: Sequence[float] | None = None
    drift_cut: float = 1.0
    acceptance: float = 0.574
    discard: int = 500
    until: Literal["warmup", "forever"] = "warmup"
    _name = "PMALA"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class MALA(Sampler):
    """MALA: Langevin steps: isotropic, with drift along the gradient; needs a gradient; not of the paper.

    Args:
        learn_covariance: Whether the covariance Σ is learned (PMALA) or stays as given (MALA).
        learn_scale: Whether the scale ν is learned.
        nu: The scale ν at the start; 1.65 d^−1/6, best for a Gaussian target in many dimensions, if not given. (>
            0)
        variances: The variances of the initial covariance; 1 if not given. (> 0)
        drift_cut: The longest drift, in units of √d, about the length of the random part of a step. (> 0)
        acceptance: The acceptance rate that the scale is learned for. (> 0, < 1)
        discard: The number of iterations before a covariance is learned.
        until: When learning ends.
    """

    learn_covariance: bool = False
    learn_scale: bool = True
    nu: float | None = None
    variances: Sequence[float] | None = None
    drift_cut: float = 1.0
    acceptance: float = 0.574
    discard: int = 500
    until: Literal["warmup", "forever"] = "warmup"
    _name = "MALA"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class KMC(Sampler):
    """KMC: Hamiltonian paths without gradients: of a density fitted to the history, by kernels; not of the paper. KMC-
    finite: the same with random Fourier features; not of the paper.

    Args:
        finite: Whether f is a sum of random Fourier features (KMC-finite) or of kernels at past states (KMC).
        n: The number of kernels or of features. (1 to 5000)
        history: The most past states that f is fitted to. Bandwidth and regularisation are those whose fit to each
            half is best on the other. (80 to 1000000)
        gaussian: Whether the fitted density is a Gaussian times exp f, or exp f alone, as published.
        steps: The largest number of leapfrog steps of a path; a path has at least half of it. (1 to 1000)
        path: The longest path, in units of the history's standard deviation: quarter of the period of a Gaussian is
            1.57. (> 0)
        walk: The share of random walk steps. (0 to 1)
        acceptance: The acceptance rate that the length of a path is learned for. (> 0, < 1)
        discard: The number of iterations before a covariance or a density is learned.
    """

    finite: bool = False
    n: int = 300
    history: int = 1000
    gaussian: bool = True
    steps: int = 10
    path: float = 2.0
    walk: float = 0.1
    acceptance: float = 0.4
    discard: int = 500
    _name = "KMC"
