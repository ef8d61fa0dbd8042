"""Log densities that are evaluated without Python: built-in targets, and models in other languages.

>>> import kameleon as km
>>> banana = km.targets.Banana(2, b=0.1)
>>> banana.log_density([10.0, 0.0])
-0.5
>>> banana.mean()
array([0., 0.])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from . import _kameleon, _targets
from ._targets import *  # noqa: F403
from .gp import GPClassification, glass
from .target import KnownTarget, Target

__all__ = [
    "BuiltIn",
    "Expression",
    "GPClassification",
    "Gaussian",
    "Program",
    "SharedLibrary",
    "Target",
    "UMBridge",
    "glass",
]
__all__ += _targets.__all__

Noise = Literal["own", "seed"] | int | bool


@dataclass(frozen=True)
class BuiltIn(KnownTarget):
    """A built-in target by name, as in the program: ``BuiltIn("banana:b=0.03", 8)``.

    ``noise`` is the standard deviation of noise on the log density; the density is estimated without bias.
    """

    text: str
    dim: int = 8
    noise: float = 0.0

    def _model(self) -> dict[str, Any]:
        return {"target": self.text, "dim": self.dim, "noise": self.noise}


class Gaussian(KnownTarget):
    """N(mean, covariance). ``ScaledGaussian`` is defined by its condition number or variances.

    >>> import kameleon as km
    >>> km.targets.Gaussian([1.0, 2.0], [[4.0, 1.0], [1.0, 9.0]]).total_variance()
    13.0
    """

    def __init__(self, mean: ArrayLike, covariance: ArrayLike, *, noise: float = 0.0) -> None:
        self._mean = np.asarray(mean, dtype=float)
        self.covariance = np.asarray(covariance, dtype=float)
        self.noise = noise
        """The standard deviation of noise on the log density."""
        self._native()

    def _model(self) -> dict[str, Any]:
        about = f"a Gaussian in {len(self._mean)} dimensions"
        return {"external": about, "noisy": {"normals": 1} if self.noise > 0 else False}

    def _native(self, names: Sequence[str] = ()) -> _kameleon.Target:
        return _kameleon.Target.gaussian(self._mean, self.covariance, self.noise)


class _Named(Target):
    """A model whose parameters are named by the user."""

    parameters: Sequence[str]

    def _names(self) -> list[str]:
        return list(self.parameters)


@dataclass(frozen=True)
class Expression(_Named):
    """An expression of the parameters: ``Expression("-(x^2 + y^2)/2", ["x", "y"])``."""

    text: str
    parameters: Sequence[str]

    def _model(self) -> dict[str, Any]:
        return {"log-density": self.text}


def _noisy(noise: Noise) -> Any:
    """The noise argument of a model, as in a run file."""
    return {"normals": noise} if isinstance(noise, int) and not isinstance(noise, bool) else noise


@dataclass(frozen=True)
class Program(_Named):
    """A program in any language that reads points and writes log densities; see docs/models.md for the protocol.

    If it returns estimates, ``noisy`` says where its noise comes from: "seed", a number of normals, or "own".
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
    """A function in a shared library with the C interface of ``kameleon.h``; see docs/models.md."""

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
