"""Convergence diagnostics for plain arrays: R-hat, effective sample size, Monte Carlo standard error, MMD.

Draws have the shape (chains, draws), or (chains, draws, parameters, …) for one number per parameter. The values agree
with ArviZ; they are NaN for fewer than 4 draws per chain, or draws that are not finite.

>>> import numpy as np
>>> import kameleon as km
>>> draws = np.random.default_rng(1).normal(size=(4, 1000, 2))
>>> bool((km.diagnose.r_hat(draws) < 1.01).all())
True
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kameleon
from .errors import SettingsError
from .kernels import Gaussian, Kernel
from .summary import Summary
from .thinning import choose

__all__ = [
    "autocorrelation",
    "ess_bulk",
    "ess_mean",
    "ess_quantile",
    "ess_sd",
    "ess_tail",
    "mcse_mean",
    "mcse_quantile",
    "mcse_sd",
    "mmd2",
    "r_hat",
    "r_hat_bulk",
    "r_hat_folded",
    "summary",
    "thin",
]


def _each(name: str, draws: ArrayLike, p: float = 0.5) -> Any:
    """A diagnostic of every parameter."""
    array = np.asarray(draws, dtype=float)
    if array.ndim == 1:
        array = array[None]
    if array.ndim < 2:
        raise SettingsError("draws", f"must have the shape (chains, draws, …), not {array.shape}")
    if array.ndim == 2:
        return _kameleon.diagnostic(name, array, p)
    columns = array.reshape(*array.shape[:2], -1)
    values = [_kameleon.diagnostic(name, columns[:, :, i], p) for i in range(columns.shape[2])]
    return np.array(values).reshape(array.shape[2:])


def r_hat(draws: ArrayLike) -> Any:
    """The larger of ``r_hat_bulk`` and ``r_hat_folded``; above 1.01 the chains have not converged. NaN for one chain.

    >>> import kameleon as km
    >>> round(km.diagnose.r_hat([[1, 2, 3, 4], [2, 1, 4, 3]]), 3)
    1.619
    """
    return _each("r_hat", draws)


def r_hat_bulk(draws: ArrayLike) -> Any:
    """R-hat of the rank-normalised split chains: whether they agree in location."""
    return _each("r_hat_bulk", draws)


def r_hat_folded(draws: ArrayLike) -> Any:
    """R-hat of the rank-normalised distances to the median: whether the chains agree in scale."""
    return _each("r_hat_folded", draws)


def ess_bulk(draws: ArrayLike) -> Any:
    """The bulk effective sample size: the one to look at first."""
    return _each("ess_bulk", draws)


def ess_tail(draws: ArrayLike) -> Any:
    """The tail effective sample size: the smaller of those of the 5 % and 95 % quantiles."""
    return _each("ess_tail", draws)


def ess_mean(draws: ArrayLike) -> Any:
    """The effective sample size for the mean."""
    return _each("ess_mean", draws)


def ess_sd(draws: ArrayLike) -> Any:
    """The effective sample size for the standard deviation."""
    return _each("ess_sd", draws)


def ess_quantile(draws: ArrayLike, p: float) -> Any:
    """The effective sample size for the p-quantile."""
    return _each("ess_quantile", draws, p)


def mcse_mean(draws: ArrayLike) -> Any:
    """The Monte Carlo standard error of the mean."""
    return _each("mcse_mean", draws)


def mcse_sd(draws: ArrayLike) -> Any:
    """The Monte Carlo standard error of the standard deviation."""
    return _each("mcse_sd", draws)


def mcse_quantile(draws: ArrayLike, p: float) -> Any:
    """The Monte Carlo standard error of the p-quantile."""
    return _each("mcse_quantile", draws, p)


def autocorrelation(x: ArrayLike) -> NDArray[np.float64]:
    """The autocorrelation of one series at lags 0, 1, ….

    >>> import kameleon as km
    >>> km.diagnose.autocorrelation([1, -1, 1, -1]).tolist()
    [1.0, -0.75, 0.5, -0.25]
    """
    return _kameleon.autocorrelation(np.asarray(x, dtype=float))


def mmd2(x: ArrayLike, y: ArrayLike, kernel: Kernel = Gaussian(), *, biased: bool = False) -> float:  # noqa: B008
    """The squared maximum mean discrepancy between two samples of shape (draws, parameters).

    The unbiased estimate has mean zero for samples from the same distribution, so it may be negative.

    >>> import kameleon as km
    >>> round(km.diagnose.mmd2([[0.0], [1.0]], [[0.0], [1.0]], km.kernels.Polynomial(degree=2), biased=True), 12)
    0.0
    """
    samples = [np.atleast_2d(np.asarray(sample, dtype=float)) for sample in (x, y)]
    return _kameleon.mmd2(samples[0], samples[1], json.dumps(kernel._checked()), biased)


def thin(points: ArrayLike, to: int, *, log_weights: ArrayLike | None = None, seed: int = 1) -> NDArray[np.int64]:
    """The places of ``to`` points that stand for all of them with equal weights, by kernel thinning (docs/thinning.md).

    The points have the shape (draws, parameters), and may have weights, given by their logarithms.

    >>> import numpy as np
    >>> import kameleon as km
    >>> points = np.random.default_rng(1).normal(size=(5000, 2))
    >>> kept = km.diagnose.thin(points, 50)
    >>> len(kept), bool((abs(points[kept].mean(axis=0)) < 0.05).all())
    (50, True)
    """
    return np.array(choose(points, to, log_weights, seed)["kept"], dtype=np.int64)


def summary(draws: ArrayLike, names: Sequence[str] | None = None) -> Summary:
    """The summary table with a verdict, for draws of shape (chains, draws, parameters).

    >>> import numpy as np
    >>> import kameleon as km
    >>> km.diagnose.summary(np.random.default_rng(1).normal(size=(4, 1000, 2)), ["a", "b"]).converged
    True
    """
    array = np.asarray(draws, dtype=float)
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3:
        raise SettingsError("draws", f"must have the shape (chains, draws, parameters), not {array.shape}")
    names = [f"x{i + 1}" for i in range(array.shape[2])] if names is None else list(names)
    return Summary(*_kameleon.summarise(names, array))
