"""The result of a run: draws, statistics, summary, figures and files."""

from __future__ import annotations

import json
import os
import warnings as python_warnings
from collections.abc import Mapping, Sequence
from html import escape
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kameleon
from .errors import KameleonError, KameleonWarning, ParameterError, TargetError
from .evidence import Evidence, evidence_of
from .parameters import group, labelled, unknown
from .population import Mode, PopulationSummary, read
from .summary import Summary
from .thinning import Thinned, thin_to

if TYPE_CHECKING:
    from .executors import Sender
    from .problem import Back, Problem

OUTCOMES = ("accepted", "rejected", "outside the support", "invalid")
"""The meaning of the codes in ``result.outcome``: the draw is a new point; else it was drawn before, and the
point tried in the iteration has a density, is outside the support, or is invalid."""


class Stats(dict[str, Any]):
    """Statistics of a run; what belongs to single chains is there, but not shown."""

    def __repr__(self) -> str:
        shown = {key: value for key, value in self.items() if key != "chains"}
        return f"{shown!r} and of each chain in ['chains']"


class Result:
    """The draws of all chains in the original units, with statistics, summary and figures.

    >>> import kameleon as km
    >>> result = km.sample(km.targets.Banana(2, b=0.03), draws=2000, warmup=2000, chains=2, seed=1)
    >>> result.names, result.draws.shape, result.complete
    (['x1', 'x2'], (2, 2000, 2), True)
    >>> result["x1"].shape
    (2, 2000)
    """

    def __init__(
        self,
        posterior: dict[str, Any],
        *,
        ending: str = "complete",
        reason: str = "",
        dims: Mapping[str, Sequence[str]] | None = None,
        coords: Mapping[str, Sequence[Any]] | None = None,
        pymc: Any = None,
        observed: Mapping[str, Any] | None = None,
    ) -> None:
        posterior["variables"] = group(posterior["names"])
        self._posterior = posterior
        self.names: list[str] = posterior["names"]
        """A name for each coordinate."""
        self.variables: dict[str, tuple[int, ...]] = {name: tuple(shape) for name, shape in posterior["variables"]}
        """The shapes of the parameters, by name."""
        self.sampler: str = posterior["sampler"]
        """The name of the sampler."""
        self.warmup: int = posterior["warmup"]
        """The iterations of warm-up in each chain, given or chosen; of chains that differ, the most."""
        self.seed: int = posterior["seed"]
        """The seed of the run."""
        self.settings: str = posterior["settings"]
        """All settings of the run, as a run file of the program ``kameleon``."""
        self.learned: dict[str, Any] = json.loads(posterior["learned"])
        """What the sampler learned, as in ``kameleon sample --json``: ``chains``, ``facts`` and ``moves``."""
        self.evidence: Evidence | None = evidence_of(posterior["jumps"], posterior["names"])
        """The evidence and how far to believe it; None for a sampler that makes no jumps."""
        self.check: dict[str, Any] | None = json.loads(posterior["stein"])
        """What the log densities at the draws, or slopes measured there, say of them: ``residual``, ``means`` and
        ``squares`` by parameter, and the number of ``evaluations`` that were made for it.

        None where they say nothing. See docs/verdict.md.
        """
        population, modes = read(json.loads(posterior["population"]), self.variables)
        self.population: PopulationSummary | None = population
        """What a population before the chains did and found."""
        self.modes: list[Mode] = modes
        """The modes that it found, the heaviest first."""
        self.warnings: list[str] = posterior["warnings"]
        """Warnings about the run."""
        self.complete = ending == "complete"
        """Whether the run came to its goal: false if it was stopped, failed, still runs, or a limit ended it before."""
        self.reason = reason
        """Why it ended."""
        self.dims = dict(dims or {})
        """The names of the dimensions of array parameters."""
        self.coords = dict(coords or {})
        """The labels along these dimensions."""
        self._pymc = pymc
        self._observed = dict(observed or {})

    @property
    def draws(self) -> NDArray[np.float64]:
        """The draws, of shape (chains, draws, parameters).

        If the run was stopped, chains without draws are omitted, and the others are cut to the last draws in common.
        """
        return self._stack("draws", "points")

    @property
    def log_density(self) -> NDArray[np.float64]:
        """The log density, or its estimate, at each draw."""
        return self._stack("draws", "log_density")

    @property
    def acceptance(self) -> NDArray[np.float64]:
        """The acceptance probability of the proposal before each draw."""
        return self._stack("draws", "acceptance")

    @property
    def outcome(self) -> NDArray[np.uint8]:
        """Whether each draw is a new point: an index into ``km.result.OUTCOMES``."""
        return self._stack("draws", "outcome")

    @property
    def warmup_draws(self) -> NDArray[np.float64]:
        """The draws of the warm-up, if they were kept."""
        return self._stack("warmup", "points")

    @property
    def log_evidence(self) -> float:
        """The logarithm of the evidence, or of the normalising constant; NaN where ``evidence.why`` says why not."""
        return float("nan") if self.evidence is None else self.evidence.log

    @property
    def log_evidence_error(self) -> float:
        """Its standard error."""
        return float("nan") if self.evidence is None else self.evidence.error

    def weighted_draws(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The jump proposals of all chains as weighted draws: points, one in each row, and log weights.

        A log weight is the log density minus that of the jump proposal, corrected for how often the proposal's part of
        the mixture was drawn from; −∞ where the density is zero. The mean of the weights is the evidence. Where there
        are none, the error says why.
        """
        jumps = [chain["draws"]["jumps"] for chain in self._posterior["chains"]]
        if not any(len(j["draw"]) for j in jumps):
            why = (
                f"{self.sampler} makes no jumps, only km.Kameleon() does"
                if self.evidence is None
                else self.evidence.why
            )
            raise KameleonError(f"there are no weighted draws: {why}")
        return np.concatenate([j["points"] for j in jumps]), np.concatenate([j["log_weight"] for j in jumps])

    def thin_to(
        self, to: int, *, weighted: bool = False, log_weights: ArrayLike | None = None, seed: int = 1
    ) -> Thinned:
        """Keep a few draws that stand for all of them, by kernel thinning, for work that is expensive for each draw.

        Args:
            to: how many draws to keep.
            weighted: thin the weighted draws; what is kept needs no weights.
            log_weights: the logarithms of weights of the draws, of shape (chains, draws), such as those of
                ``km.reweight``.
            seed: the seed of the choice.

        See docs/thinning.md.
        """
        return thin_to(self, to, weighted, log_weights, seed)

    def mode_labels(self) -> NDArray[np.int64]:
        """The mode of each draw, as an index into ``modes``, of shape (chains, draws)."""
        chains = zip(self._posterior["chains"], self._posterior["modes"], strict=False)
        labels = [mode for chain, mode in chains if len(chain["draws"]["points"])]
        if not self.modes or not labels:
            raise KameleonError('there are no modes: only a run with warmup="population" looks for them')
        shortest = min(len(mode) for mode in labels)
        return np.stack([mode[len(mode) - shortest :] for mode in labels])

    def _jumps(self) -> dict[str, NDArray[np.float64]]:
        """The jump proposal of each draw and its log weight, NaN for other steps; nothing if there is no jump."""
        chains = [chain["draws"] for chain in self._posterior["chains"] if len(chain["draws"]["points"])]
        if not any(len(chain["jumps"]["draw"]) for chain in chains):
            return {}
        shortest = min(len(chain["points"]) for chain in chains)
        weights, points = (
            np.full((len(chains), shortest), np.nan),
            np.full((len(chains), shortest, len(self.names)), np.nan),
        )
        for k, chain in enumerate(chains):
            jumps, skipped = chain["jumps"], len(chain["points"]) - shortest
            kept = jumps["draw"] >= skipped
            weights[k, jumps["draw"][kept] - skipped] = jumps["log_weight"][kept]
            points[k, jumps["draw"][kept] - skipped] = jumps["points"][kept]
        return {"jump_log_weight": weights, "jump_proposal": points}

    def _stack(self, stage: str, what: str) -> NDArray[Any]:
        kept = [chain[stage][what] for chain in self._posterior["chains"]]
        kept = [array for array in kept if len(array)] or kept
        if not kept:  # the run was stopped before its chains began
            return np.empty((0, 0, len(self.names)) if what == "points" else (0, 0))
        shortest = min(len(array) for array in kept)
        return np.stack([array[len(array) - shortest :] for array in kept])

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """The draws of a parameter, of shape (chains, draws, …) with its own shape at the end."""
        return self._variable(self.draws, name)

    def _variable(self, draws: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        at = 0
        for known, shape in self.variables.items():
            size = prod(shape)
            if known == name:
                return draws[:, :, at : at + size].reshape(*draws.shape[:2], *shape)
            at += size
        if name in self.names:
            return draws[:, :, self.names.index(name)]
        raise ParameterError(unknown(name, self.variables))

    @property
    def stats(self) -> Stats:
        """Evaluations, with those of a population and of the check, acceptance rate, seconds, counts and traces of each
        chain; of a noisy log density also the sd of its estimate, measured at the last points of the chains."""
        chains = [json.loads(chain["statistics"]) for chain in self._posterior["chains"]]
        counts = [chain["sampling"] for chain in chains]
        steps = sum(sum(count.values()) for count in counts)
        others = 0 if self.population is None else self.population.evaluations
        others += 0 if self.check is None else self.check["evaluations"]
        return Stats(
            {
                "evaluations": others + sum(chain["evaluations"] for chain in chains),
                "acceptance": sum(count["accepted"] for count in counts) / steps if steps else float("nan"),
                "invalid": sum(chain["warmup"]["invalid"] + chain["sampling"]["invalid"] for chain in chains),
                "longest_rejection_run": max((chain["longest_rejection_run"] for chain in chains), default=0),
                "seconds": self._posterior["seconds"],
                "sd_log_estimate": self._posterior["sd_log_estimate"],
                "chains": chains,
            }
        )

    def summary(self) -> Summary:
        """Means, quantiles, effective sizes and R-hat of all parameters, a verdict, the evidence, and the modes."""
        named = {**self._posterior, "names": labelled(self.names, self.variables, self.dims, self.coords)}
        texts = _kameleon.summarise_posterior(named)
        has_draws = self.draws.shape[1] > 0
        return Summary(
            *texts,
            evidence=self.evidence,
            modes=self.modes,
            caution=None if self.population is None else self.population.caution,
            names=self.names,
            warnings=self.warnings,
            has_draws=has_draws,
        )

    def to_arviz(self, *, modes: bool = False, log_likelihood: bool = False) -> Any:
        """The run for ArviZ: InferenceData, or a DataTree since ArviZ 1.

        With ``modes``, ``sample_stats.mode`` is the mode of each draw, counted from 1 as in saved files. With
        ``log_likelihood``, PyMC computes that of each observation of its model, for ``az.loo`` and ``az.compare``.
        """
        from ._arviz import to_arviz

        return to_arviz(self, modes, log_likelihood)

    def save(self, path: str | os.PathLike[str], *, modes: bool = False) -> None:
        """Write the draws to a file: netCDF for ArviZ (.nc), .csv or .parquet, by its extension; weighted draws to
        .weighted.csv. With ``modes``, the mode of each draw too."""
        path = Path(path)
        if path.suffix == ".nc" and self.dims:
            # The names and labels of dimensions, as the model has them.
            from ._arviz import save

            save(self, path, modes)
        else:
            _kameleon.save(self._posterior, path, modes)

    def report(self, path: str | os.PathLike[str], *, thinned: Thinned | None = None) -> None:
        """Write the report of the run as a self-contained HTML page, which can show what ``thin_to`` kept."""
        kept = {} if thinned is None else {"kept": thinned._kept()}
        Path(path).write_text(_kameleon.report_html({**self._posterior, **kept}), encoding="utf-8")

    def plot_trace(self, names: Sequence[str] | None = None) -> Any:
        """Trace and histogram of each parameter, as a matplotlib figure."""
        from .plot import trace

        return trace(self, names)

    def plot_pair(self, x: str | None = None, y: str | None = None, *, ellipses: bool = True) -> Any:
        """Scatter plot of two parameters, with the proposals at some draws, as a matplotlib figure."""
        from .plot import pair

        return pair(self, x, y, ellipses=ellipses)

    def plot_autocorrelation(self, names: Sequence[str] | None = None, *, lags: int = 100) -> Any:
        """Autocorrelation of each parameter, as a matplotlib figure."""
        from .plot import autocorrelation

        return autocorrelation(self, names, lags=lags)

    def proposals(self) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Some points of the chains, each with the covariance of the proposal there."""
        return [ellipse for chain in self._posterior["chains"] for ellipse in chain["proposals"]]

    def __repr__(self) -> str:
        chains, draws, _ = self.draws.shape
        if chains == 0 and self.population is not None:
            return f"<Result of {self.sampler}: stopped in the population, {self.population.progress}>"
        state = "" if self.complete else ", not complete"
        names = list(self.variables)
        names = names if len(names) <= 8 else [*names[:6], f"… {len(names)} in all"]
        return f"<Result of {self.sampler}: {chains} chains of {draws} draws of {', '.join(names)}{state}>"

    def _repr_html_(self) -> str:
        chains, draws, _ = self.draws.shape
        stats = self.stats
        seconds = "" if stats["seconds"] is None else f" in {stats['seconds']:.1f} s"
        accepted = f", accepted {stats['acceptance']:.0%}" if np.isfinite(stats["acceptance"]) else ""
        head = (
            f"<p><b>{escape(self.sampler)}</b> on {escape(self._posterior['target'])}: "
            f"{chains} chains of {draws:,} draws, "
            f"{stats['evaluations']:,} evaluations{seconds}{accepted}, seed {self.seed}</p>"
        )
        return head + self.summary()._repr_html_()


def finish(ran: _kameleon.Ran, what: Problem, sender: Sender | None) -> Result:
    """The result of a run that has ended, with its warnings; raises if the log density failed."""
    ran.posterior["warnings"].extend(sender.notes if sender is not None else [])
    result = Result(
        in_users_units(ran.posterior, what.back),
        ending=ran.ending,
        reason=ran.reason,
        dims=what.dims,
        coords=what.coords,
        pymc=what.pymc,
        observed=what.observed,
    )
    if ran.ending == "failed":
        raise TargetError(ran.reason or str(ran.fault), result) from ran.fault
    for warning in result.warnings:
        python_warnings.warn(warning, KameleonWarning, stacklevel=4)
    return result


def in_users_units(posterior: dict[str, Any], back: Back | None) -> dict[str, Any]:
    """The posterior with draws in the coordinates of the user."""
    if back is None:
        return posterior
    for chain in posterior["chains"]:
        for stage in ("warmup", "draws"):
            chain[stage]["points"] = back(chain[stage]["points"])
            chain[stage]["jumps"]["points"] = back(chain[stage]["jumps"]["points"])
        # An ellipse has no simple counterpart there.
        chain["proposals"] = []
    posterior["names"] = list(back.names)
    return posterior
