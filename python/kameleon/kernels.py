"""Kernels of the Kameleon samplers. They can be added, and multiplied by a number.

>>> import kameleon as km
>>> km.kernels.Gaussian() + 0.1 * km.kernels.Matern(order=2.5)
Gaussian(sigma=1.0) + 0.1 * Matern(order=2.5, rho=1.0)

The length scale of a kernel matters only with ``bandwidth="fixed"``; by default it is learned by the median heuristic.
"""

from . import _kernels
from ._kernel import Kernel
from ._kernels import *  # noqa: F403

__all__ = ["Kernel"]
__all__ += _kernels.__all__
