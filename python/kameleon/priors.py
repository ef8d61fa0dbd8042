"""Priors as users give them: texts, frozen distributions of ``scipy.stats``, or one function of all parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _scipy
from ._prior import BuiltIn, Draws, Ends, Function, Joint, LogPrior, Marginal, PythonPrior, rows_of
from .errors import SettingsError
from .parameters import Table, each

Prior = str | Any
"""A text such as "normal(0, 1)", a frozen distribution of ``scipy.stats``, or a log density of one number."""
Priors = Mapping[str, Prior] | Sequence[Prior | None] | LogPrior | Prior | None


@dataclass(frozen=True)
class Multivariate:
    """A frozen distribution of several variables, as a function of rows and as draws."""

    prior: Any

    @property
    def about(self) -> str:
        """The name of the distribution."""
        return type(self.prior).__name__.removesuffix("_frozen")

    def __call__(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.reshape(self.prior.logpdf(points), len(points))

    def draw(self, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
        """Draws, one in each row."""
        return np.reshape(self.prior.rvs(size=count, random_state=rng), (count, -1))


def joint_of(priors: Any, draws: Draws, vectorized: bool) -> Joint | None:
    """The prior of all parameters together, if that is what was given."""
    several = not _scipy.is_frozen(priors) and not callable(priors) and hasattr(priors, "logpdf")
    is_joint = callable(priors) and not hasattr(priors, "freeze")
    if draws is not None and not is_joint:
        raise SettingsError("prior_draws", "belongs to a prior that is a function of all parameters")
    if several:
        rows = Multivariate(priors)
        return Joint(rows, rows.draw, vectorized=True)
    if not is_joint:
        return None
    return Joint(priors, draws if draws is None or callable(draws) else rows_of(draws), vectorized)


def settle(names: Sequence[str], table: Table, priors: Priors) -> PythonPrior | None:
    """Puts bounds and priors of single parameters into the table, and returns the priors that only Python can evaluate.

    Where every parameter has a prior and one of them needs Python, all are evaluated there, as one proper prior.
    """
    if priors is not None and (isinstance(priors, str) or not isinstance(priors, Mapping | Sequence)):
        # One for every parameter.
        priors = [priors] * len(names)
    found = {name: _one(name, prior) for name, prior in each("priors", priors, names, _split).items()}
    built_in = {name: prior for name, prior in found.items() if isinstance(prior, str)}
    if len(built_in) == len(found) or len(found) < len(names):
        for name in built_in:
            table[name]["prior"] = found.pop(name)
    marginals: dict[int, Marginal] = {}
    for k, name in enumerate(names):
        if name in found:
            bounds: Ends = (table[name].get("lower"), table[name].get("upper"))
            marginals[k] = _kind(found[name]).within(found[name], name, bounds)
            table[name]["lower"], table[name]["upper"] = marginals[k].bounds
    return PythonPrior(len(names), marginals) if marginals else None


def _kind(prior: Prior) -> Any:
    """What evaluates the prior of one parameter."""
    if isinstance(prior, str):
        return BuiltIn
    return _scipy.Frozen if _scipy.is_frozen(prior) else Function


def _split(prior: Prior, shape: Sequence[int]) -> list[Prior]:
    if not _scipy.is_frozen(prior):
        return [prior] * prod(shape)
    try:
        return _scipy.split(prior, shape)
    except ValueError as error:
        raise SettingsError("priors", str(error)) from None


def _one(name: str, prior: Prior) -> Prior:
    """The prior of one coordinate: a text, where there is a built-in prior, or the distribution."""
    if isinstance(prior, str):
        return prior
    if callable(prior) and not _scipy.is_frozen(prior) and not hasattr(prior, "freeze"):
        return prior
    if not _scipy.is_frozen(prior) and not hasattr(prior, "freeze"):
        what = f'must be a text such as "normal(0, 1)", scipy.stats.norm(0, 1), or a log density, not {prior!r}'
        raise SettingsError("priors", f"{name}: {what}")
    why = _scipy.refusal(prior)
    if why is not None:
        raise SettingsError("priors", f"{name}: {why}")
    return _scipy.built_in(prior) or prior
