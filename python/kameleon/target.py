"""What all targets that need no Python have in common."""

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
    """A log density that chains evaluate on threads of their own, without the interpreter."""

    def _model(self) -> dict[str, Any]:
        """The section ``model`` of a run's settings."""
        raise NotImplementedError

    def _native(self, names: Sequence[str] = ()) -> _kameleon.Target:
        """The target of the Rust side."""
        return _kameleon.Target.open(json.dumps({"model": self._model(), "parameters": list(names)}, default=plain))

    def _names(self) -> list[str]:
        """The names of the parameters, where the target knows them."""
        native = self._native()
        return native.names(native.dim or 0)


class EvaluatedTarget(Target):
    """A target that can be asked for its value at a point."""

    def log_density(self, x: ArrayLike, *, seed: int = 0) -> float:
        """The log density at a point; with noise, one estimate of it, made with this seed."""
        return self._native().log_density(np.asarray(x, dtype=float), seed)


class KnownTarget(EvaluatedTarget):
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


class _ByName(Target):
    """A target of the library's registry."""

    _name: str

    def _model(self) -> dict[str, Any]:
        settings = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        common: dict[str, Any] = {key: settings.pop(key) for key in ("dim", "noise") if key in settings}
        given = {key: value for key, value in settings.items() if value is not None}
        return {"target": {"name": self._name, **given}, **common}


class BuiltInTarget(_ByName, KnownTarget):
    """A built-in target, whose truth is known."""


class PosteriorTarget(_ByName, EvaluatedTarget):
    """A posterior of real data, known through an unbiased estimate."""
