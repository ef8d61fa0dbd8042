"""Figures of a result, with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import diagnose
from .errors import SettingsError

if TYPE_CHECKING:
    from .result import Result

MOST_POINTS = 5000
"""The largest number of draws of a chain in a figure."""
MOST_PARAMETERS = 12
"""The largest number of parameters in a figure, unless they are named."""


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("figures need matplotlib: pip install matplotlib") from None
    return plt


def _chosen(result: Result, names: Sequence[str] | None) -> list[str]:
    chosen = result.names[:MOST_PARAMETERS] if names is None else list(names)
    unknown = [name for name in chosen if name not in result.names]
    if unknown:
        raise SettingsError("names", f"there is no {', '.join(unknown)}; there are {', '.join(result.names)}")
    return chosen


def _columns(result: Result, name: str) -> NDArray[np.float64]:
    return result.draws[:, :, result.names.index(name)]


def _rows(result: Result, names: Sequence[str] | None, columns: int) -> tuple[Any, Any, list[str]]:
    """A figure with a row of axes for each parameter."""
    plt = _pyplot()
    chosen = _chosen(result, names)
    size = (4.2 * columns, 1.7 * len(chosen) + 0.4)
    figure, axes = plt.subplots(len(chosen), columns, figsize=size, squeeze=False, layout="constrained")
    return figure, axes, chosen


def _legend(figure: Any, axes: Any) -> Any:
    """The legend, above the figure."""
    handles, labels = axes.get_legend_handles_labels()
    return figure.legend(handles, labels, loc="outside upper center", ncols=5, fontsize="small", frameon=False)


def trace(result: Result, names: Sequence[str] | None = None) -> Any:
    """Trace and histogram of each parameter, by chain."""
    figure, axes, chosen = _rows(result, names, 2)
    for (left, right), name in zip(axes, chosen, strict=True):
        draws = _columns(result, name)
        every = max(1, draws.shape[1] // MOST_POINTS)
        edges = np.histogram_bin_edges(draws.ravel(), bins=60)
        for k, chain in enumerate(draws):
            left.plot(np.arange(0, len(chain), every), chain[::every], lw=0.5, alpha=0.8, color=f"C{k}")
            right.hist(chain, bins=edges, histtype="step", density=True, color=f"C{k}", label=f"chain {k}")
        left.set_ylabel(name)
        left.locator_params(axis="x", nbins=5)
        right.set_yticks([])
        right.set_xlabel(name)
    axes[-1][0].set_xlabel("draw")
    _legend(figure, axes[0][1])
    return figure


def pair(result: Result, x: str | None = None, y: str | None = None, *, ellipses: bool = True) -> Any:
    """Scatter plot of two parameters, with one-standard-deviation ellipses of the proposal at some draws."""
    if len(result.names) < 2:
        raise SettingsError("x", "a pair plot needs two parameters, but there is one")
    x, y = _chosen(result, [x or result.names[0], y or result.names[1]])
    plt = _pyplot()
    figure, axes = plt.subplots(figsize=(5.2, 5), layout="constrained")
    for k in range(result.draws.shape[0]):
        points = np.stack([_columns(result, x)[k], _columns(result, y)[k]])
        every = max(1, points.shape[1] // MOST_POINTS)
        axes.plot(*points[:, ::every], ".", ms=2, alpha=0.3, color=f"C{k}", label=f"chain {k}")
    if ellipses:
        pick = [result.names.index(x), result.names.index(y)]
        for i, (centre, covariance) in enumerate(result.proposals()[::3]):
            outline = _ellipse(centre[pick], covariance[np.ix_(pick, pick)])
            axes.plot(*outline, color="k", lw=0.8, label="proposals" if i == 0 else None)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    for handle in _legend(figure, axes).legend_handles:
        handle.set_alpha(1)
    return figure


def _ellipse(centre: NDArray[np.float64], covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The one-standard-deviation contour."""
    angle = np.linspace(0, 2 * np.pi, 61)
    values, vectors = np.linalg.eigh(covariance)
    circle = np.stack([np.cos(angle), np.sin(angle)])
    outline: NDArray[np.float64] = centre[:, None] + vectors @ (np.sqrt(np.maximum(values, 0))[:, None] * circle)
    return outline


def autocorrelation(result: Result, names: Sequence[str] | None = None, *, lags: int = 100) -> Any:
    """Autocorrelation of each parameter, by chain."""
    figure, axes, chosen = _rows(result, names, 1)
    for (axis,), name in zip(axes, chosen, strict=True):
        for k, chain in enumerate(_columns(result, name)):
            axis.plot(diagnose.autocorrelation(chain)[: lags + 1], lw=1, color=f"C{k}", label=f"chain {k}")
        axis.axhline(0, color="0.6", lw=0.6)
        axis.set_ylabel(name)
        axis.set_ylim(-0.2, 1.02)
    axes[-1][0].set_xlabel("lag")
    _legend(figure, axes[0][0])
    return figure
