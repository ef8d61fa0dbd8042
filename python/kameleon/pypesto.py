"""The plugin for pyPESTO: ``pypesto.sample.sample(problem, n_samples, sampler=kameleon.pypesto.Kameleon())``."""

from __future__ import annotations

import logging
from math import ceil
from typing import Any

import numpy as np

from ._hosts import Rows, missing, run
from .errors import SettingsError
from .parameters import Periodic
from .result import Result

try:
    from pypesto.result import McmcPtResult
    from pypesto.sample.sampler import Sampler
except ImportError as error:
    raise missing("pypesto") from error

__all__ = ["Kameleon"]

logger = logging.getLogger(__name__)


class Kameleon(Sampler):  # type: ignore[misc]
    """Chains of Kameleon as a sampler of pyPESTO.

    Without a start, and within finite bounds, a population finds the modes first; with one, chains start there.

    Args:
        options: ``chains`` (4), and ``seed``, ``warmup``, ``max_warmup``, ``max_evaluations``, ``max_minutes``,
            ``until``, ``max_draws``, ``thin``, ``sampler``, ``population``, ``check`` and ``progress`` as in
            ``kameleon.sample``. ``periodic`` is a list of the parameters whose two bounds are the same place.

    After sampling, ``result`` is the result of Kameleon, with verdict, modes and evidence: that of the uniform
    distribution within the bounds as the prior, times whatever priors are in the objective.
    """

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        super().__init__(options)
        self.result: Result | None = None
        self._problem: Any = None
        self._start: Any = None
        self._log_uniform = 0.0

    @classmethod
    def default_options(cls) -> dict[str, Any]:
        """The options with their defaults."""
        names = ("seed", "warmup", "max_warmup", "max_evaluations", "max_minutes", "until", "max_draws")
        return {"chains": 4, "thin": 1, "check": "auto"} | dict.fromkeys(
            (*names, "sampler", "population", "progress", "periodic"), None
        )

    def initialize(self, problem: Any, x0: Any) -> None:
        """Takes the problem, and the starting point or points, if there are any."""
        self._problem, self._start, self.result = problem, x0, None

    def sample(self, n_samples: int | None, beta: float = 1.0) -> None:
        """Makes this number of draws by all chains together; with None, until the effective size is large enough."""
        if beta != 1.0:
            raise SettingsError("beta", "must be 1: the chains of Kameleon are not tempered")
        problem, options = self._problem, dict(self.options)
        if problem is None:
            raise RuntimeError("initialize the sampler with a problem first")
        names = [problem.x_names[k] for k in problem.x_free_indices]
        ends = np.column_stack([problem.lb, problem.ub]).astype(float)
        finite = bool(np.isfinite(ends).all())
        by_population = options["warmup"] == "population" or (self._start is None and finite)
        if by_population and not finite:
            raise SettingsError("warmup", "a population needs finite bounds of every parameter")
        self._log_uniform = -float(np.log(np.ptp(ends, axis=1)).sum()) if finite else 0.0
        bounds = self._bounds(names, ends, set(options.pop("periodic") or ()))
        draws = None if n_samples is None else ceil(n_samples / options["chains"])
        self.result = run(
            self._log_densities,
            None,
            logger,
            parameters=names,
            start=None if by_population else self._start,
            bounds=bounds,
            priors=[f"uniform({low!r}, {high!r})" for low, high in ends.tolist()] if finite else None,
            draws=draws,
            **options,
        )

    def _bounds(self, names: list[str], ends: Rows, periodic: set[str]) -> dict[str, Any]:
        """The bounds of each parameter, of which some are those of a circle."""
        if unknown := sorted(periodic - set(names)):
            raise SettingsError("periodic", f"{', '.join(unknown)}: there is no such free parameter")
        pairs = map(tuple, ends.tolist())
        return {name: Periodic(*pair) if name in periodic else pair for name, pair in zip(names, pairs, strict=True)}

    def _log_densities(self, points: Rows) -> Rows:
        """The log density at each row: minus the objective, of which infinity means no density."""
        return -np.array([float(self._problem.objective(point)) for point in points])

    def get_samples(self) -> Any:
        """The draws of all chains, one chain after another, without the warm-up."""
        if self.result is None:
            raise RuntimeError("there are no samples yet: call sample first")
        points = self.result.draws.reshape(1, -1, self.result.draws.shape[2])
        priors = self._problem.x_priors
        return McmcPtResult(
            trace_x=points,
            trace_neglogpost=-(self.result.log_density.reshape(1, -1) - self._log_uniform),
            trace_neglogprior=np.array([[0.0 if priors is None else float(priors(x)) for x in points[0]]]),
            betas=np.array([1.0]),
            burn_in=0,
            message=str(self.result.summary()),
        )
