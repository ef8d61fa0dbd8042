"""Log densities that need no Python while they are sampled: built-in ones, and models in other languages.

>>> import kameleon as km
>>> banana = km.targets.Banana(2, b=0.1)
>>> banana.log_density([0.0, -10.0])
0.0
>>> banana.mean()
array([0., 0.])
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kameleon
from .errors import SettingsError

__all__ = [
    "Banana",
    "BuiltIn",
    "Expression",
    "Flower",
    "GPClassification",
    "Gaussian",
    "Program",
    "Ring",
    "SharedLibrary",
    "Target",
    "UMBridge",
    "glass",
]

Noise = Literal["own", "seed"] | int | bool


class Target:
    """A log density that chains evaluate on threads of their own, without the interpreter."""

    def _model(self) -> dict[str, Any]:
        """The section ``model`` of a run's settings."""
        raise NotImplementedError

    def _native(self, names: Sequence[str] = ()) -> _kameleon.Target:
        """The target of the Rust side."""
        return _kameleon.Target.open(json.dumps({"model": self._model(), "parameters": list(names)}))

    def _names(self) -> list[str]:
        """The names of the parameters, where the target knows them."""
        native = self._native()
        return native.names(native.dim or 0)


class _Known(Target):
    """A target whose truth is known."""

    def log_density(self, x: ArrayLike, *, seed: int = 0) -> float:
        """The log density at a point; with noise, one estimate of it, made with this seed."""
        return self._native().log_density(np.asarray(x, dtype=float), seed)

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
class Expression(Target):
    """A log density written as an expression of the parameters: ``Expression("-(x^2 + y^2)/2", ["x", "y"])``."""

    text: str
    parameters: Sequence[str]

    def _model(self) -> dict[str, Any]:
        return {"log-density": self.text}

    def _names(self) -> list[str]:
        return list(self.parameters)


def _noisy(noise: Noise) -> Any:
    """What a model is given for its noise, as settings have it."""
    return {"normals": noise} if isinstance(noise, int) and not isinstance(noise, bool) else noise


@dataclass(frozen=True)
class Program(Target):
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

    def _names(self) -> list[str]:
        return list(self.parameters)


@dataclass(frozen=True)
class SharedLibrary(Target):
    """A function in a shared library with the C interface of ``kameleon.h``; docs/models.md has it."""

    path: str | PathLike[str]
    parameters: Sequence[str]
    symbol: str | None = None
    config: str = ""
    noisy: Noise = False

    def _model(self) -> dict[str, Any]:
        model = {"library": fspath(self.path), "symbol": self.symbol, "config": self.config}
        return {**model, "noisy": _noisy(self.noisy)}

    def _names(self) -> list[str]:
        return list(self.parameters)


@dataclass(frozen=True)
class UMBridge(Target):
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

    def _names(self) -> list[str]:
        return list(self.parameters)


class GPClassification(Target):
    """The posterior of a Gaussian-process classifier's length scales, known through an unbiased estimate.

    ``X`` has a row for each observation, ``y`` the labels −1 and +1. ``approximation`` ("laplace" or "ep") is what the
    ``n_imp`` importance samples of the latent values come from; n_imp=None lets a short pilot choose. θ is log ℓ² for
    each column; the other settings are those of docs/gp.md.

    >>> import kameleon as km
    >>> X, y, names = km.targets.glass()
    >>> gp = km.targets.GPClassification(X, y, names=names, n_imp=10)
    >>> theta = [2.3, 2.75, -0.9, 2.5, 2.9, 1.55, 2.0, 2.4, 3.1]
    >>> abs(gp.log_marginal(theta) - gp.estimate(theta, n_imp=100, seed=1)) < 1
    True
    """

    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        names: Sequence[str] | None = None,
        approximation: Literal["laplace", "ep"] = "laplace",
        n_imp: int | None = None,
        covariance: Literal["gaussian", "matern32", "matern52"] = "gaussian",
        amplitude: bool = False,
        likelihood: Literal["logistic", "probit"] = "logistic",
        standardise: Literal["zscore", "whiten", "none"] = "zscore",
        parametrisation: Literal["log_squared_length_scale", "published"] = "log_squared_length_scale",
        prior_mean: float = 0.0,
        prior_variance: float = 5.0,
        jitter: float = 1e-8,
        antithetic: bool = True,
        seed: int = 1,
    ) -> None:
        self.X = np.asarray(X, dtype=float)
        """The inputs, a row for each observation."""
        self.y = np.asarray(y, dtype=float)
        """The labels, −1 and +1."""
        if self.X.ndim != 2 or self.y.shape != self.X.shape[:1]:
            shapes = f"{self.X.shape} and {self.y.shape}"
            raise SettingsError("X", f"and y must have shapes (rows, columns) and (rows,), not {shapes}")
        self.names = [f"x{i + 1}" for i in range(self.X.shape[1])] if names is None else list(names)
        """The names of the columns."""
        self._settings = {
            "approximation": approximation,
            "covariance": covariance,
            "amplitude": amplitude,
            "likelihood": likelihood,
            "standardise": standardise,
            "parametrisation": parametrisation,
            "prior_mean": prior_mean,
            "prior_variance": prior_variance,
            "jitter": jitter,
            "antithetic": antithetic,
            "n_imp": n_imp or 10,
        }
        self.choice: str | None = None
        """Why n_imp was chosen, if it was."""
        if n_imp is None:
            self._settings["n_imp"], self.choice = self._gp().choose_n_imp(seed)

    @property
    def n_imp(self) -> int:
        """How many importance samples an estimate takes."""
        return int(self._settings["n_imp"])

    def _gp(self) -> _kameleon.Gp:
        return _kameleon.Gp(self.X, self.y, self.names, json.dumps(self._settings))

    def _model(self) -> dict[str, Any]:
        rows, columns = self.X.shape
        return {
            "external": f"Gaussian-process classification of {rows} rows and {columns} columns",
            "noisy": {"normals": self._native().normals},
        }

    def _native(self, names: Sequence[str] = ()) -> _kameleon.Target:
        return self._gp().target()

    def log_marginal(self, theta: ArrayLike) -> float:
        """The converged approximation of log p(y|θ)."""
        return self._gp().log_marginal(np.asarray(theta, dtype=float))

    def log_prior(self, theta: ArrayLike) -> float:
        """log p(θ)"""
        return self._gp().log_prior(np.asarray(theta, dtype=float))

    def estimate(self, theta: ArrayLike, n_imp: int | None = None, seed: int = 0) -> float:
        """log p̂(y|θ), where p̂ is unbiased for p(y|θ)."""
        return self._gp().estimate(np.asarray(theta, dtype=float), n_imp or self.n_imp, seed)

    def predict(self, thetas: ArrayLike, X: ArrayLike, *, seed: int | None = None) -> NDArray[np.float64]:
        """p(y = +1|x) for new rows, averaged over draws of θ; by importance samples if a seed is given."""
        new = np.atleast_2d(np.asarray(X, dtype=float))
        draws = np.asarray(thetas, dtype=float)
        return self._gp().predict(draws.reshape(-1, draws.shape[-1]), new, seed)


def glass() -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]:
    """The UCI Glass data: 214 rows of 9 columns, labels (+1 for window glass), and the columns' names.

    >>> import kameleon as km
    >>> X, y, names = km.targets.glass()
    >>> X.shape, names[:3]
    ((214, 9), ['RI', 'Na', 'Mg'])
    """
    return _kameleon.glass_data()
