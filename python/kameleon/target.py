"""The base classes of targets that are evaluated without Python."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kameleon
from ._sampler import plain


class Target:
    """A log density that is evaluated on all threads, without the interpreter."""

    def _model(self) -> dict[str, Any]:
        """The section ``model`` of a run's settings."""
        raise NotImplementedError

    def _native(self, names: Sequence[str] = ()) -> _kameleon.Target:
        """The target of the Rust library."""
        return _kameleon.Target.open(json.dumps({"model": self._model(), "parameters": list(names)}, default=plain))

    def _observed(self) -> dict[str, NDArray[np.float64]]:
        """The data, where they are known."""
        return {}

    def _names(self) -> list[str]:
        """The names of the parameters, if the target knows them."""
        native = self._native()
        return native.names(native.dim or 0)


class EvaluatedTarget(Target):
    """A target that can be evaluated directly."""

    def log_density(self, x: ArrayLike, *, seed: int = 0) -> float:
        """The log density at a point; with noise, an estimate of it with this seed."""
        return self._native().log_density(np.asarray(x, dtype=float), seed)

    def gradient(self, x: ArrayLike, *, seed: int = 0) -> NDArray[np.float64]:
        """The gradient of the log density at a point, where the target has one."""
        return self._native().gradient(np.asarray(x, dtype=float), seed)


class KnownTarget(EvaluatedTarget):
    """A target with exact draws, mean and variance."""

    def sample(self, count: int, *, seed: int = 0) -> NDArray[np.float64]:
        """Draw exact, independent samples."""
        return self._native().sample(count, seed)

    def mean(self) -> NDArray[np.float64]:
        """The exact mean."""
        return self._native().mean()

    def total_variance(self) -> float:
        """The exact trace of the covariance."""
        return self._native().total_variance()

    def levels(self, x: ArrayLike) -> NDArray[np.float64]:
        """The probability of the smallest quantile region that contains each point: uniform for exact draws."""
        return self._native().levels(np.atleast_2d(np.asarray(x, dtype=float)))


class _ByName(Target):
    """A target of the registry."""

    _name: str

    def _model(self) -> dict[str, Any]:
        settings = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        common: dict[str, Any] = {key: settings.pop(key) for key in ("dim", "noise") if key in settings}
        given = {key: value for key, value in settings.items() if value is not None}
        return {"target": {"name": self._name, **given}, **common}

    def _observed(self) -> dict[str, NDArray[np.float64]]:
        return {name: np.array(values) for name, values in _kameleon.observed(self._name)}


class BuiltInTarget(_ByName, KnownTarget):
    """A built-in target with exact draws, mean and variance."""


class PosteriorTarget(_ByName, EvaluatedTarget):
    """A posterior of real data, with an unbiased estimate of its density."""


class ExactTarget(_ByName):
    """A posterior of real data whose likelihood and priors are known apart.

    ``km.sample`` takes its priors where ``priors`` gives no others.
    """

    def log_likelihood(self, x: ArrayLike) -> float:
        """The log likelihood at a point."""
        return self._native().log_density(np.asarray(x, dtype=float), 0)

    def log_density(self, x: ArrayLike, *, seed: int = 0) -> float:
        """The log density at a point: log likelihood plus log prior, in the parameters' own units."""
        posterior = _kameleon.Target.with_priors(json.dumps({"model": self._model()}))
        return posterior.log_density(np.asarray(x, dtype=float), seed)
