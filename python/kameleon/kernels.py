"""Kernels. They can be added, and multiplied by a number.

>>> import kameleon as km
>>> km.kernels.Gaussian() + 0.1 * km.kernels.Matern(order=2.5)
Gaussian(sigma=1.0) + 0.1 * Matern(order=2.5, rho=1.0)

The length scale of a kernel is used with ``bandwidth="fixed"``; by default the median heuristic sets it.
"""

from ._kernel import Kernel
from ._registry import Gaussian, InverseMultiquadric, Linear, Matern, Polynomial, RationalQuadratic

__all__ = ["Gaussian", "InverseMultiquadric", "Kernel", "Linear", "Matern", "Polynomial", "RationalQuadratic"]
