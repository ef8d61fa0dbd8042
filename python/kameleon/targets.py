"""Log densities that need no Python while they are sampled: built-in ones, and models in other languages.

>>> import kameleon as km
>>> banana = km.targets.Banana(2, b=0.1)
>>> banana.log_density([0.0, -10.0])
0.0
>>> banana.mean()
array([0., 0.])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kameleon
from .gp import GPClassification, glass
from .target import Target

__all__ = [
    "Banana",
    "BuiltIn",
    "Cbpp",
    "Expression",
    "Flower",
    "GPClassification",
    "Gaussian",
    "Program",
    "Ring",
    "SharedLibrary",
    "StochasticVolatility",
    "Target",
    "UMBridge",
    "glass",
]

Noise = Literal["own", "seed"] | int | bool


class _Evaluated(Target):
    """A target that can be asked for its value at a point."""

    def log_density(self, x: ArrayLike, *, seed: int = 0) -> float:
        """The log density at a point; with noise, one estimate of it, made with this seed."""
        return self._native().log_density(np.asarray(x, dtype=float), seed)


class _Known(_Evaluated):
    """A target whose truth is known."""

    def sample(self, count: int, *, seed: int = 0) -> NDArray[np.float64]:
        """Exact, independent draws."""
        return self._native().sample(count, seed)

    def mean(self) -> NDArray[np.float64]:
        """The exact mean."""
        return self._native().mean()

    def total_variance(self) -> float:
        """The exact trace of the covariance."""
        return self._native().total_variance()

    def levels(self, x: ArrayLike) -> NDArray[np.float64]:
        """For each point, the probability of the smallest exact region that holds it: uniform for exact draws."""
        return self._native().levels(np.atleast_2d(np.asarray(x, dtype=float)))


@dataclass(frozen=True)
class BuiltIn(_Known):
    """A built-in target by its text, as in the program: ``BuiltIn("banana:b=0.03", 8)``.

    ``noise`` multiplies the density by an unbiased factor whose logarithm has this standard deviation.
    """

    text: str
    dim: int = 8
    noise: float = 0.0

    def _model(self) -> dict[str, Any]:
        return {"target": self.text, "dim": self.dim, "noise": self.noise}


def _text(name: str, **values: float) -> str:
    return name + ":" + ",".join(f"{key}={value!r}" for key, value in values.items())


@dataclass(frozen=True)
class Banana(_Known):
    """The twisted Gaussian B(b, v): N(0, diag(v, 1, …, 1)) with the second coordinate moved by b(x₁² − v)."""

    dim: int = 8
    b: float = 0.1
    v: float = 100.0
    noise: float = 0.0

    def _model(self) -> dict[str, Any]:
        return {"target": _text("banana", b=self.b, v=self.v), "dim": self.dim, "noise": self.noise}


@dataclass(frozen=True)
class Flower(_Known):
    """The flower: a band of width σ around a circle whose radius waves, r₀ + A cos ωθ; other coordinates are normal."""

    dim: int = 8
    r0: float = 10.0
    amplitude: float = 6.0
    omega: float = 6.0
    sigma: float = 1.0
    noise: float = 0.0

    def _model(self) -> dict[str, Any]:
        text = _text("flower", r0=self.r0, a=self.amplitude, omega=self.omega, sigma=self.sigma)
        return {"target": text, "dim": self.dim, "noise": self.noise}


@dataclass(frozen=True)
class Ring(_Known):
    """A band around a circle."""

    dim: int = 8
    radius: float = 3.5
    variance: float = 0.05
    noise: float = 0.0

    def _model(self) -> dict[str, Any]:
        text = _text("ring", radius=self.radius, variance=self.variance)
        return {"target": text, "dim": self.dim, "noise": self.noise}


class Gaussian(_Known):
    """N(mean, covariance).

    >>> import kameleon as km
    >>> km.targets.Gaussian([1.0, 2.0], [[4.0, 1.0], [1.0, 9.0]]).total_variance()
    13.0
    """

    def __init__(self, mean: ArrayLike, covariance: ArrayLike, *, noise: float = 0.0) -> None:
        self._mean = np.asarray(mean, dtype=float)
        self.covariance = np.asarray(covariance, dtype=float)
        """The covariance."""
        self.noise = noise
        """The standard deviation of the noise on the log density."""
        self._native()

    def _model(self) -> dict[str, Any]:
        about = f"a Gaussian in {len(self._mean)} dimensions"
        return {"external": about, "noisy": {"normals": 1} if self.noise > 0 else False}

    def _native(self, names: Sequence[str] = ()) -> _kameleon.Target:
        return _kameleon.Target.gaussian(self._mean, self.covariance, self.noise)


@dataclass(frozen=True)
class Cbpp(_Evaluated):
    """Cases of a cattle disease in 15 herds: logistic regression with random effects; docs/models.md has the model.

    The random effects are integrated out by ``n_imp`` importance samples for each herd.
    """

    n_imp: int = 2

    def _model(self) -> dict[str, Any]:
        return {"target": f"cbpp:n-imp={self.n_imp}"}


@dataclass(frozen=True)
class StochasticVolatility(_Evaluated):
    """Daily returns of sterling whose variance is a hidden process; docs/models.md has the model.

    The process is integrated out by a particle filter.
    """

    particles: int = 150

    def _model(self) -> dict[str, Any]:
        return {"target": f"sv:particles={self.particles}"}


class _Named(Target):
    """A model that leaves the names of its parameters to the user."""

    parameters: Sequence[str]

    def _names(self) -> list[str]:
        return list(self.parameters)


@dataclass(frozen=True)
class Expression(_Named):
    """A log density written as an expression of the parameters: ``Expression("-(x^2 + y^2)/2", ["x", "y"])``."""

    text: str
    parameters: Sequence[str]

    def _model(self) -> dict[str, Any]:
        return {"log-density": self.text}


def _noisy(noise: Noise) -> Any:
    """What a model is given for its noise, as settings have it."""
    return {"normals": noise} if isinstance(noise, int) and not isinstance(noise, bool) else noise


@dataclass(frozen=True)
class Program(_Named):
    """A program in any language that reads points and writes log densities; docs/models.md has the protocol.

    ``noisy`` is what it is given if it returns estimates: "seed", a number of normals, or "own".
    """

    command: Sequence[str]
    parameters: Sequence[str]
    folder: str | None = None
    noisy: Noise = False
    timeout: float = 60.0

    def _model(self) -> dict[str, Any]:
        model = {"program": list(self.command), "folder": self.folder, "timeout": self.timeout}
        return {**model, "noisy": _noisy(self.noisy)}


@dataclass(frozen=True)
class SharedLibrary(_Named):
    """A function in a shared library with the C interface of ``kameleon.h``; docs/models.md has it."""

    path: str | PathLike[str]
    parameters: Sequence[str]
    symbol: str | None = None
    config: str = ""
    noisy: Noise = False

    def _model(self) -> dict[str, Any]:
        model = {"library": fspath(self.path), "symbol": self.symbol, "config": self.config}
        return {**model, "noisy": _noisy(self.noisy)}


@dataclass(frozen=True)
class UMBridge(_Named):
    """A model on a UM-Bridge server, such as ``UMBridge("http://localhost:4242", ["a", "b"])``."""

    url: str
    parameters: Sequence[str]
    model: str | None = None
    config: Mapping[str, Any] | None = None
    noisy: Noise = False
    timeout: float = 60.0

    def _model(self) -> dict[str, Any]:
        model = {"url": self.url, "model": self.model, "timeout": self.timeout, "noisy": _noisy(self.noisy)}
        return {**model, "config": dict(self.config)} if self.config else model
