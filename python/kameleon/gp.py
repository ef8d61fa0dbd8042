"""Gaussian-process classification of arrays: a target with an unbiased estimate of its density."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kameleon
from .errors import SettingsError
from .target import Target


class GPClassification(Target):
    """The posterior of the length scales of a Gaussian-process classifier, θ = log ℓ² for each column.

    The likelihood is estimated without bias by importance sampling of the latent values.

    Args:
        X: the inputs, a row for each observation.
        y: the labels: −1 and +1, 0 and 1, or booleans.
        names: the names of the columns.
        approximation: the proposal of the importance sampler.
        n_imp: the number of importance samples; by default a short pilot run chooses it.
        seed: the seed of the pilot run.

    docs/gp.md describes the other settings.

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
        self.y = _signs(y)
        if self.X.ndim != 2 or self.y.shape != self.X.shape[:1]:
            shapes = f"{self.X.shape} and {self.y.shape}"
            raise SettingsError("X", f"and y must have shapes (rows, columns) and (rows,), not {shapes}")
        self.names = [f"x{i + 1}" for i in range(self.X.shape[1])] if names is None else list(names)
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
            "n_imp": 10 if n_imp is None else n_imp,
        }
        self.choice: str | None = None
        """Why the pilot run chose n_imp, if it did."""
        # Made here too, so that settings that are not allowed are told at once.
        made = self._gp()
        if n_imp is None:
            self._settings["n_imp"], self.choice = made.choose_n_imp(seed)

    @property
    def n_imp(self) -> int:
        """The number of importance samples of an estimate."""
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

    def _observed(self) -> dict[str, NDArray[np.float64]]:
        return {"y": self.y}

    def log_marginal(self, theta: ArrayLike) -> float:
        """The converged approximation of log p(y|θ)."""
        return self._gp().log_marginal(np.asarray(theta, dtype=float))

    def log_prior(self, theta: ArrayLike) -> float:
        """log p(θ)"""
        return self._gp().log_prior(np.asarray(theta, dtype=float))

    def estimate(self, theta: ArrayLike, n_imp: int | None = None, seed: int = 0) -> float:
        """log p̂(y|θ), where p̂ is unbiased for p(y|θ)."""
        samples = self.n_imp if n_imp is None else n_imp
        return self._gp().estimate(np.asarray(theta, dtype=float), samples, seed)

    def predict(self, thetas: ArrayLike, X: ArrayLike, *, seed: int | None = None) -> NDArray[np.float64]:
        """p(y = +1|x) for new rows, averaged over draws of θ; with importance weights if a seed is given."""
        new = np.atleast_2d(np.asarray(X, dtype=float))
        draws = np.asarray(thetas, dtype=float)
        return self._gp().predict(draws.reshape(-1, draws.shape[-1]), new, seed)


def _signs(y: ArrayLike) -> NDArray[np.float64]:
    """Labels as −1 and +1.

    >>> from kameleon.gp import _signs
    >>> _signs([True, False]), _signs([0, 1])
    (array([ 1., -1.]), array([-1.,  1.]))
    """
    labels = np.asarray(y)
    classes = np.unique(labels).tolist()
    if set(classes) <= {-1, 1}:
        return labels.astype(float)
    if set(classes) <= {0, 1}:
        return 2.0 * labels - 1.0
    one = f"np.where(y == {classes[-1]!r}, 1, -1)"
    if len(classes) > 2:
        what = f"has {len(classes)} classes, and two are classified; take one against the rest, such as y={one}"
        raise SettingsError("y", what)
    raise SettingsError("y", f"must be -1 and +1, 0 and 1, or booleans, not {classes}; take y={one}")


def glass() -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]:
    """The UCI Glass data: 214 rows with 9 columns, labels (+1 for window glass), and column names.

    >>> import kameleon as km
    >>> X, y, names = km.targets.glass()
    >>> X.shape, names[:3]
    ((214, 9), ['RI', 'Na', 'Mg'])
    """
    return _kameleon.glass_data()
