"""Gaussian-process classification of arrays, a target that is known through an unbiased estimate."""

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
