"""The plugin for Cobaya: ``sampler: {kameleon: }`` in an input file.

The priors of the ``params`` block are proper priors, so that a population finds the modes and the evidence is known;
those of the ``prior`` block count as a part of the likelihood. The chains are in the first MPI process, and all
processes evaluate their points.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ._hosts import Rows, missing, run, stopped
from ._kameleon import __version__
from .errors import SettingsError
from .parameters import Periodic
from .population import Population
from .result import Result

try:
    from cobaya import mpi
    from cobaya.collection import SampleCollection
    from cobaya.log import LoggedError
    from cobaya.model import LogPosterior
    from cobaya.sampler import Sampler
except ImportError as error:
    raise missing("cobaya") from error

__all__ = ["Kameleon"]

MOST_PARAMETERS, LEAST_EVALUATIONS = 30, 20_000
"""With more parameters, and with fewer evaluations, "auto" starts chains."""
ENDS = ("until", "draws", "max_draws", "max_evaluations", "max_minutes")
SETTINGS = (*ENDS, "chains", "warmup", "max_warmup", "thin", "noisy", "check", "progress", "seed")
"""What is passed on to ``kameleon.sample``."""


class Evaluated:
    """What the model said at every point, with log priors, log likelihoods and derived parameters; on disk too."""

    def __init__(self, model: Any, path: Path | None) -> None:
        self.model, self.dim = model, model.prior.d()
        priors, likelihoods = len(model.prior), len(model.likelihood)
        self.ends = priors, priors + likelihoods
        derived = len(model.parameterization.derived_params())
        # Outside the support there are log priors only.
        self.outside = [-np.inf] * likelihoods + [np.nan] * derived
        self.rows: list[Rows] = []
        self.file: BinaryIO | None = None
        if path is not None:
            width = self.dim + priors + likelihoods + derived
            stored = np.fromfile(path) if path.exists() else np.empty(0)
            whole = len(stored) // width
            self.rows.append(stored[: whole * width].reshape(-1, width))
            self.file = path.open("ab")
            self.file.truncate(self.rows[0].nbytes)

    def compute(self, point: Rows) -> list[float]:
        """What the model says at a point, in one row."""
        found = self.model.logposterior(point)
        row = [*found.logpriors, *found.loglikes, *found.derived]
        return row if len(row) > self.ends[0] else row + self.outside

    def add(self, points: Rows, values: Rows) -> None:
        """Keeps the values at these points."""
        rows = np.concatenate((points, values), axis=1)
        self.rows.append(rows)
        if self.file is not None:
            self.file.write(rows.tobytes())
            self.file.flush()

    @cached_property
    def known(self) -> dict[bytes, Rows]:
        """The values at each point, once there are no more to come."""
        return {row[: self.dim].tobytes(): row[self.dim :] for rows in self.rows for row in rows}

    def at(self, point: Rows) -> Any:
        """Cobaya's record of a point, computed again only if it is not known."""
        found = self.known.get(point.tobytes())
        row = self.compute(point) if found is None else found.tolist()
        priors, both = self.ends
        return LogPosterior(logpriors=row[:priors], loglikes=row[priors:both], derived=row[both:])


class Kameleon(Sampler):  # type: ignore[misc]
    """The default sampler of Kameleon: needs no gradient, finds separate modes, gives the evidence."""

    file_base_name = "cobaya"
    supports_periodic_params = True
    _at_resume_prefer_new = [*Sampler._at_resume_prefer_new, "draws", "max_minutes", "progress"]  # noqa: RUF012
    # From the file of defaults.
    chains: int | None
    until: str | None
    draws: int | None
    max_draws: int | None
    max_evaluations: int | None
    max_minutes: float | None
    warmup: Any
    max_warmup: int | None
    population: dict[str, Any] | None
    thin: int
    noisy: bool
    check: str
    progress: bool | None
    seed: int | None

    def initialize(self) -> None:
        """Prepares the folder of the run."""
        self.result: Result | None = None
        self.collections: list[Any] = []
        self.folder = _folder(self.output) if self.output else None
        if self.folder is not None and mpi.is_main_process():
            self.folder.mkdir(parents=True, exist_ok=True)

    def run(self) -> None:
        """Runs the chains in the first process, while all processes evaluate their points."""
        if not mpi.is_main_process():
            self._serve()
        else:
            path = None if self.folder is None else self.folder / "evaluations.bin"
            self.evaluated = Evaluated(self.model, path)
            try:
                self._sample()
            finally:
                mpi.share_mpi(None)  # the others end
                if self.evaluated.file is not None:
                    self.evaluated.file.close()

    def _sample(self) -> None:
        names = list(self.model.parameterization.sampled_params())
        settings = {name: getattr(self, name) for name in SETTINGS}
        chosen = {"chains": max(4, mpi.size())}
        ends = self.model.prior.bounds()
        few = self.max_evaluations is not None and self.max_evaluations < LEAST_EVALUATIONS
        by_population = len(names) <= MOST_PARAMETERS and not few
        if self.warmup != "population" and not (self.warmup == "auto" and by_population):
            reference = self.model.prior.reference
            chains = range(self.chains or chosen["chains"])
            settings["start"] = [reference(random_state=self._rng, warn_if_no_ref=False) for _ in chains]
        chosen["seed"] = int(self._rng.integers(2**32))
        self.result = run(
            self._log_likelihoods,
            None if self.folder is None else self.folder / "run",
            self.log,
            parameters=names,
            bounds={names[k]: Periodic(*map(float, ends[k])) for k in self.model.prior._periodic_bounds},
            priors=list(self.model.prior.pdf),
            population=self._population(),
            chosen=chosen,
            anew="force=True (or --force)",
            **settings,
        )
        if stopped(self.result):
            self.log.info("Interrupted. %s", "" if self.folder is None else "The same input with 'resume' goes on.")
            raise KeyboardInterrupt
        self.log.info("Kameleon: %s", self.result.summary())
        if self.result.draws.size == 0:
            raise LoggedError(self.log, "The run has no draws: %s", self.result.reason)
        self._collect(self.result)

    def _population(self) -> Population | None:
        """The settings of the population, which an input file has by name."""
        try:
            return None if self.population is None else Population(**self.population)
        except TypeError as error:
            raise SettingsError("population", str(error)) from None

    def _log_likelihoods(self, points: Rows) -> Rows:
        """The log likelihood at each row; the rows are divided among all processes."""
        mpi.share_mpi(True)
        share = -(-len(points) // mpi.size())
        parts = [points[k * share : (k + 1) * share] for k in range(mpi.size())]
        found = mpi.gather(self._compute(mpi.scatter(parts)))
        for fault in (part for part in found if isinstance(part, BaseException)):
            raise fault
        rows = np.concatenate([part for part in found if len(part)])
        self.evaluated.add(points, rows)
        # All but the priors of single parameters, which the sampler knows.
        return np.asarray(rows[:, 1 : self.evaluated.ends[1]].sum(axis=1))

    def _compute(self, points: Rows) -> Any:
        """What the model says at each row, or the exception that it raised."""
        try:
            return np.array([self.evaluated.compute(point) for point in points], dtype=float)
        except Exception as error:
            return error

    def _serve(self) -> None:
        """Evaluates rows for the first process until it has no more."""
        self.evaluated = Evaluated(self.model, None)
        while mpi.share_mpi(None):
            mpi.gather(self._compute(mpi.scatter(None)))

    def _collect(self, result: Result) -> None:
        """A collection of each chain, whose repeated draws are one with a weight."""
        for number, chain in enumerate(result.draws, start=1):
            collection = SampleCollection(self.model, self.output, name=str(number), sample_type="mcmc")
            for point, weight in _repeats(chain):
                collection.add(point, logpost=self.evaluated.at(point), weight=weight)
            collection.out_update()
            self.collections.append(collection)

    def samples(self, combined: bool = False, skip_samples: float = 0, to_getdist: bool = False) -> Any:
        """All chains, one after another, or as ``getdist.MCSamples``; with ``combined`` in all processes."""
        found = None
        if mpi.is_main_process():
            chains = [chain.skip_samples(skip_samples, inplace=False) for chain in self.collections]
            found = chains[0].to_getdist(combine_with=chains[1:]) if to_getdist else chains[0]
            for chain in [] if to_getdist else chains[1:]:
                found._append(chain)
        return mpi.share_mpi(found) if combined or to_getdist else found

    def products(self, combined: bool = False, skip_samples: float = 0, to_getdist: bool = False) -> dict[str, Any]:
        """The draws, the log evidence and its error (NaN where they are not reliable), and the result of Kameleon."""
        sample = self.samples(combined, skip_samples, to_getdist)
        found: dict[str, Any] = {}
        if self.result is not None:
            known = {"logZ": self.result.log_evidence, "logZstd": self.result.log_evidence_error}
            found = {"sample": sample, **known, "result": self.result}
        return found

    @classmethod
    def output_files_regexps(cls, output: Any, info: Any = None, minimal: bool = False) -> list[tuple[Any, Any]]:
        """The folder of the run, and the files with the draws."""
        folder = _folder(output)
        if minimal:
            return [(re.compile(r"^evaluations\.bin$"), str(folder))]
        return [(None, str(folder)), (output.collection_regexp(name=None), None)]

    @classmethod
    def get_version(cls) -> str:
        """The version of Kameleon."""
        return __version__


def _folder(output: Any) -> Path:
    """The folder of the run, beside the files with the draws."""
    return Path(output.folder) / f"{output.prefix}_kameleon" if output.prefix else Path(output.folder) / "kameleon"


def _repeats(chain: NDArray[np.float64]) -> Iterator[tuple[Rows, int]]:
    """Each point of a chain with the number of draws that it stays there."""
    first = np.flatnonzero(np.r_[True, (chain[1:] != chain[:-1]).any(axis=1)])
    yield from zip(chain[first], np.diff(np.r_[first, len(chain)]).tolist(), strict=True)
