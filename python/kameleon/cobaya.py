"""The plugin for Cobaya: ``sampler: {kameleon: }`` in an input file.

The priors of the ``params`` block are proper priors, so that a population finds the modes and the evidence is known;
those of the ``prior`` block count as a part of the likelihood. The chains are in the first MPI process, and all
processes evaluate their points.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._hosts import Rows, missing, run, stopped
from ._kameleon import __version__
from .parameters import Periodic
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

MOST_IN_POPULATION = 30
"""With more parameters, "auto" starts chains."""
SETTINGS = ("until", "draws", "max_draws", "max_evaluations", "max_minutes", "warmup", "max_warmup", "thin", "check")
"""What is passed on to ``kameleon.sample``."""


class Evaluated:
    """What the model said at every point, with log priors, log likelihoods and derived parameters; on disk too."""

    def __init__(self, model: Any, path: Path | None) -> None:
        self.model = model
        self.sizes = (len(model.prior), len(model.likelihood), len(model.parameterization.derived_params()))
        self.dim = model.prior.d()
        self.known: dict[bytes, Rows] = {}
        self.path = path
        if path is not None and path.exists():
            width = self.dim + sum(self.sizes)
            stored = np.fromfile(path)
            self._keep(stored[: len(stored) // width * width].reshape(-1, width))

    def _keep(self, rows: Rows) -> None:
        self.known.update((row[: self.dim].tobytes(), row[self.dim :]) for row in rows)

    def compute(self, point: Rows) -> Rows:
        """What the model says at a point, in one row; only the log priors where the density is zero."""
        found = self.model.logposterior(point)
        parts = zip((found.logpriors, found.loglikes, found.derived), self.sizes, strict=True)
        return np.concatenate([np.asarray(part if len(part) == n else [np.nan] * n, float) for part, n in parts])

    def add(self, points: Rows, values: Rows) -> None:
        """Keeps the values at these points."""
        rows = np.column_stack([points, values])
        self._keep(rows)
        if self.path is not None:
            with self.path.open("ab") as file:
                rows.tofile(file)

    def log_likelihood(self, values: Rows) -> Rows:
        """Of each row: all but the priors of single parameters, which the sampler knows."""
        total = values[:, 1 : sum(self.sizes[:2])].sum(axis=1)
        impossible = np.isneginf(values[:, : self.sizes[0]]).any(axis=1)
        return np.where(impossible, -np.inf, total)

    def at(self, point: Rows) -> Any:
        """Cobaya's record of a point, computed again only if it is not known."""
        values = self.known.get(point.tobytes())
        parts = np.split(self.compute(point) if values is None else values, np.cumsum(self.sizes)[:-1])
        return LogPosterior(**{k: v.tolist() for k, v in zip(("logpriors", "loglikes", "derived"), parts, strict=True)})


class Kameleon(Sampler):  # type: ignore[misc]
    """The default sampler of Kameleon: needs no gradient, finds separate modes, gives the evidence."""

    file_base_name = "cobaya"
    supports_periodic_params = True
    _at_resume_prefer_new = [*Sampler._at_resume_prefer_new, "draws", "max_minutes"]  # noqa: RUF012
    # From the file of defaults.
    chains: int | None
    until: str | None
    draws: int | None
    max_draws: int | None
    max_evaluations: int | None
    max_minutes: float | None
    warmup: Any
    max_warmup: int | None
    thin: int
    check: str

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

    def _sample(self) -> None:
        names = list(self.model.parameterization.sampled_params())
        chains = self.chains or max(4, mpi.size())
        settings = {name: getattr(self, name) for name in SETTINGS}
        ends = self.model.prior.bounds()
        by_chains = self.warmup not in ("auto", "population") or len(names) > MOST_IN_POPULATION
        if by_chains and self.warmup != "population":
            reference = self.model.prior.reference
            settings["start"] = [reference(random_state=self._rng, warn_if_no_ref=False) for _ in range(chains)]
        self.result = run(
            self._log_likelihoods,
            None if self.folder is None else self.folder / "run",
            parameters=names,
            bounds={names[k]: Periodic(*map(float, ends[k])) for k in self.model.prior._periodic_bounds},
            priors=list(self.model.prior.pdf),
            chains=chains,
            seed=int(self._rng.integers(2**32)),
            **settings,
        )
        if stopped(self.result):
            self.log.info("Interrupted. %s", "" if self.folder is None else "The same input with 'resume' goes on.")
            raise KeyboardInterrupt
        for warning in self.result.warnings:
            self.log.warning(warning)
        self.log.info("Kameleon: %s", self.result.summary())
        if self.result.draws.size == 0:
            raise LoggedError(self.log, "The run has no draws: %s", self.result.reason)
        self._collect(self.result)

    def _log_likelihoods(self, points: Rows) -> Rows:
        """The log likelihood at each row; the rows are divided among all processes."""
        mpi.share_mpi(True)
        values = self._compute(mpi.scatter(np.array_split(points, mpi.size())))
        found = mpi.gather(values)
        for fault in (part for part in found if isinstance(part, BaseException)):
            raise fault
        rows = np.concatenate([part for part in found if len(part)])
        self.evaluated.add(points, rows)
        return self.evaluated.log_likelihood(rows)

    def _compute(self, points: Rows) -> Any:
        """What the model says at each row, or the exception that it raised."""
        try:
            return np.array([self.evaluated.compute(point) for point in points])
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
