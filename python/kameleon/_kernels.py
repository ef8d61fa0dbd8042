"""The built-in kernels of the library.

Generated from the registry of the Rust library by ``make python-registry``; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass

from ._kernel import Profile

__all__ = [
    "Gaussian",
    "InverseMultiquadric",
    "Linear",
    "Matern",
    "Polynomial",
    "RationalQuadratic",
]


@dataclass(frozen=True)
class Gaussian(Profile):
    """gaussian: exp(−‖x − x'‖²/2σ²).

    Args:
        sigma: The bandwidth σ. (> 0)
    """

    sigma: float = 1.0
    _name = "gaussian"


@dataclass(frozen=True)
class Matern(Profile):
    """matern: the Matérn family in the paper's scaling, a function of ‖x − x'‖/ρ.

    Args:
        order: The order ϑ, above 1 so that the kernel has a gradient. (> 1, ≤ 50)
        rho: The scale ρ; a common parametrisation with length ℓ has ρ = ℓ/√(2ϑ). (> 0)
    """

    order: float = 1.5
    rho: float = 1.0
    _name = "matern"


@dataclass(frozen=True)
class RationalQuadratic(Profile):
    """rational-quadratic: (1 + ‖x − x'‖²/2αℓ²)^−α.

    Args:
        alpha: α: the smaller, the heavier the tail. (> 0)
        length: The length scale ℓ. (> 0)
    """

    alpha: float = 1.0
    length: float = 1.0
    _name = "rational-quadratic"


@dataclass(frozen=True)
class InverseMultiquadric(Profile):
    """inverse-multiquadric: (1 + ‖x − x'‖²/c²)^−½.

    Args:
        length: The length scale c. (> 0)
    """

    length: float = 1.0
    _name = "inverse-multiquadric"


@dataclass(frozen=True)
class Linear(Profile):
    """linear: ⟨x, x'⟩: the proposal becomes that of adaptive Metropolis."""

    _name = "linear"


@dataclass(frozen=True)
class Polynomial(Profile):
    """polynomial: (1 + ⟨x, x'⟩)^degree.

    Args:
        degree: The power p. (1 to 16)
    """

    degree: int = 2
    _name = "polynomial"
