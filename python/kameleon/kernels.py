"""Kernels of the Kameleon samplers. They can be added, and multiplied by a number.

>>> import kameleon as km
>>> km.kernels.Gaussian() + 0.1 * km.kernels.Matern(order=2.5)
Gaussian(sigma=1.0) + 0.1 * Matern(order=2.5, rho=1.0)

The length scale of a kernel matters only with ``bandwidth="fixed"``; by default it is learned by the median heuristic.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any

from . import _kameleon

__all__ = ["Gaussian", "InverseMultiquadric", "Kernel", "Linear", "Matern", "Polynomial", "RationalQuadratic"]


class Kernel:
    """A positive definite kernel; choose one of the classes of this module."""

    def _value(self) -> Any:
        raise NotImplementedError

    def __add__(self, other: Kernel) -> Kernel:
        return _Sum((*_terms(self), *_terms(other)))

    def __mul__(self, factor: float) -> Kernel:
        return _Scaled(float(factor), self)

    __rmul__ = __mul__

    def _checked(self, bandwidth: float | None = None) -> Any:
        """The kernel as the Rust side stores it."""
        return json.loads(_kameleon.check_kernel(json.dumps(self._value()), bandwidth))


class _Profile(Kernel):
    """A kernel with parameters of its own."""

    _name: str

    def _value(self) -> Any:
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {self._name: values or None}


@dataclass(frozen=True)
class Gaussian(_Profile):
    """exp(−‖x − x'‖²/2σ²)"""

    sigma: float = 1.0
    _name = "gaussian"


@dataclass(frozen=True)
class Matern(_Profile):
    """The Matérn kernel of any order above 1, in the paper's scaling: ρ = ℓ/√(2·order) for a usual length ℓ."""

    order: float = 1.5
    rho: float = 1.0
    _name = "matern"


@dataclass(frozen=True)
class RationalQuadratic(_Profile):
    """(1 + ‖x − x'‖²/2αℓ²)^−α"""

    alpha: float = 1.0
    length: float = 1.0
    _name = "rational-quadratic"


@dataclass(frozen=True)
class InverseMultiquadric(_Profile):
    """(1 + ‖x − x'‖²/c²)^−½"""

    length: float = 1.0
    _name = "inverse-multiquadric"


@dataclass(frozen=True)
class Linear(_Profile):
    """⟨x, x'⟩: the proposal becomes that of adaptive Metropolis."""

    _name = "linear"


@dataclass(frozen=True)
class Polynomial(_Profile):
    """(1 + ⟨x, x'⟩)^degree"""

    degree: int = 2
    _name = "polynomial"


@dataclass(frozen=True, repr=False)
class _Sum(Kernel):
    terms: tuple[Kernel, ...]

    def _value(self) -> Any:
        return {"sum": [term._value() for term in self.terms]}

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.terms))


@dataclass(frozen=True, repr=False)
class _Scaled(Kernel):
    factor: float
    kernel: Kernel

    def _value(self) -> Any:
        return {"scaled": [self.factor, self.kernel._value()]}

    def __repr__(self) -> str:
        inner = f"({self.kernel!r})" if isinstance(self.kernel, _Sum) else repr(self.kernel)
        return f"{self.factor:g} * {inner}"


def _terms(kernel: Kernel) -> tuple[Kernel, ...]:
    return kernel.terms if isinstance(kernel, _Sum) else (kernel,)
