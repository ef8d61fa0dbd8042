"""The evidence of a run, and its draws under a changed density."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kameleon
from .errors import ParameterError, SettingsError
from .parameters import unknown

if TYPE_CHECKING:
    from .result import Result

__all__ = ["Evidence", "Reweighted", "reweight"]


@dataclass(frozen=True)
class Evidence:
    """The logarithm of the evidence, or of the normalising constant where the prior is improper or unknown."""

    name: str
    """"log evidence" or "log normalising constant"."""
    log: float
    """The estimate; NaN where it is not reliable."""
    error: float
    """Its standard error; NaN where it is not reliable."""
    pareto_k: float
    """Pareto k of the weights of the jump proposals; at most 0.7 is good."""
    reliable: bool
    """Whether the estimate can be believed."""
    why: str
    """If not, why."""
    proposals: int
    """The number of jump proposals."""
    effective_draws: float
    """The effective number of draws of the chains."""
    efficiency: float
    """The effective share of the jump proposals."""
    efficiency_of_draws: float
    """The same as the draws see it: much smaller where chains visit what jump proposals miss."""
    outlier_share: float
    """The share of all squared weights that a few jump proposals have, each far above all others; else 0."""
    efficiency_in_warmup: float
    """The same in the last rounds of the warm-up, where it is known: much smaller if that was too short."""
    largest_z: float
    """The largest distance of a mean by weighted draws from that of the chains, in standard errors."""
    regions_met: int
    """The number of regions that the warm-up met with a density that counts."""
    regions_unvisited: int
    """How many of them no draw has visited: ends of tails in a short run, or a mode that was left."""
    means: dict[str, float]
    """The mean of each parameter by the weights of the jump proposals; empty where there are none."""
    errors: dict[str, float]
    """The standard errors of these means."""
    z: dict[str, float]
    """Their distances from the means of the chains, in standard errors."""

    def __str__(self) -> str:
        if not self.reliable:
            return f"{self.name}: {'not reliable' if self.proposals else 'unknown'}: {self.why}"
        digits = min(max(1 - int(np.floor(np.log10(max(self.error, 1e-9)))), 1), 4)
        return f"{self.name}: {self.log:.{digits}f} ± {self.error:.{digits}f}"


def evidence_of(text: str, names: list[str]) -> Evidence | None:
    """The evidence from what a posterior with these parameters says of its jump proposals."""
    jumps = json.loads(text)
    if jumps is None:
        return None
    found: dict[str, Any] = {key: nan if value is None else value for key, value in jumps["evidence"].items()}
    if not found["reliable"]:
        found["log"] = found["error"] = nan
    for key, values in {"means": "means", "errors": "errors", "z": "distances"}.items():
        numbers = [nan if value is None else value for value in jumps[values]]
        found[key] = dict(zip(names, numbers, strict=False))
    late = found["late"]
    found["efficiency_in_warmup"] = late["efficiency"] if isinstance(late, dict) else nan
    found["largest_z"] = max((abs(z) for z in found["z"].values() if not isnan(z)), default=nan)
    found["regions_met"], found["regions_unvisited"] = jumps["regions"]["met"], jumps["regions"]["unvisited"]
    found["name"] = "log evidence" if jumps["proper_prior"] else "log normalising constant"
    return Evidence(**{field.name: found[field.name] for field in fields(Evidence)})


class Reweighted:
    """The draws of a run under a changed density: a summary of each parameter, if the change is small enough."""

    def __init__(self, values: str, text: str, log_weights: NDArray[np.float64]) -> None:
        found = json.loads(values)
        self.parameters: list[dict[str, Any]] = found["parameters"]
        """Mean, sd, mcse_mean, q5, q50, q95 and ess of each parameter; empty where the change is too large."""
        self.pareto_k: float = nan if found["pareto_k"] is None else found["pareto_k"]
        """Pareto k of the weights; at most 0.7 is good."""
        self.ess: float = nan if found["ess"] is None else found["ess"]
        """The effective number of draws, of the parameter with the fewest."""
        self.log_change: float = nan if found["log_change"] is None else found["log_change"]
        """The change of the log evidence, or of the log normalising constant."""
        self.log_change_error: float = nan if found["log_change_error"] is None else found["log_change_error"]
        """Its standard error."""
        self.reliable: bool = found["reliable"]
        """Whether the figures can be believed."""
        self.why: str = found["why"]
        """If not, why."""
        self.converged: bool = found["converged"]
        """Whether the run is called converged, or has reached its goal; if not, its faults are here, too."""
        self.log_weights = log_weights
        """The logarithm of the weight of each draw, of shape (chains, draws)."""
        self._text = text

    def __getitem__(self, name: str) -> dict[str, Any]:
        for parameter in self.parameters:
            if parameter["name"] == name:
                return parameter
        if not self.reliable:
            raise ParameterError(f"there are no figures of {name!r}: {self.why}")
        raise ParameterError(unknown(name, [parameter["name"] for parameter in self.parameters]))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


def _number(log_ratio: Callable[[NDArray[np.float64]], float], x: NDArray[np.float64], names: list[str]) -> float:
    """The value of a function at a point."""
    try:
        return float(log_ratio(x))
    except Exception as error:
        place = ", ".join(f"{name} = {value}" for name, value in zip(names[:8], x, strict=False))
        what = f"must be a function of a point that returns a number; at {place} it raised {error!r}"
        raise SettingsError("log_ratio", what) from error


def reweight(result: Result, log_ratio: Callable[[NDArray[np.float64]], float] | ArrayLike | str) -> Reweighted:
    """The draws of a run under a changed prior or likelihood, without calling the model again.

    Args:
        result: the run.
        log_ratio: the logarithm of the changed density over the old one, up to a constant: a function of a point, an
            array with a number for each draw, of shape (chains, draws), or an expression of the parameters.

    A change that is too large for the draws is refused: then ``reliable`` is False and ``why`` says so.

    >>> import kameleon as km
    >>> def normal(x):
    ...     return -0.5 * float(x @ x)
    >>> result = km.sample(normal, [0.0], draws=2000, warmup=2000, seed=1)
    >>> changed = km.reweight(result, lambda x: 0.5 * x[0])
    >>> changed.reliable, abs(changed["x1"]["mean"] - 0.5) < 0.1
    (True, True)
    """
    draws = result.draws
    points = draws.reshape(-1, draws.shape[2])
    if isinstance(log_ratio, str):
        values = _kameleon.expression(log_ratio, result.names, points)
    elif callable(log_ratio):
        values = np.array([_number(log_ratio, x, result.names) for x in points])
    else:
        try:
            values = np.asarray(log_ratio, dtype=float)
        except (TypeError, ValueError):
            what = f"must be a function of a point, an array of numbers or an expression, not {log_ratio!r}"
            raise SettingsError("log_ratio", what) from None
        if values.shape != draws.shape[:2]:
            what = f"must have a number for each draw, of shape {draws.shape[:2]}, not {values.shape}"
            raise SettingsError("log_ratio", what)
    values = np.ascontiguousarray(values.reshape(draws.shape[:2]))
    summary = result.summary()
    converged = summary.converged or summary.goal is not None
    return Reweighted(*_kameleon.reweight(result.names, draws, values, converged), values)
