"""The base class of all kernels: sums, multiples, and their form in settings."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any

from . import _kameleon


class Kernel:
    """A positive definite kernel: an instance of a class in ``km.kernels``, a sum, or a multiple."""

    def _value(self) -> Any:
        raise NotImplementedError

    def __add__(self, other: Kernel) -> Kernel:
        return _Sum((*_terms(self), *_terms(other)))

    def __mul__(self, factor: float) -> Kernel:
        return _Scaled(float(factor), self)

    __rmul__ = __mul__

    def _checked(self) -> Any:
        """The kernel as the Rust library stores it."""
        return json.loads(_kameleon.check_kernel(json.dumps(self._value())))


class Profile(Kernel):
    """A kernel of the registry."""

    _name: str

    def _value(self) -> Any:
        settings = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {"name": self._name, **settings}


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
