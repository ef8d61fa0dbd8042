"""The plugin for bilby: ``bilby.run_sampler(..., sampler="kameleon")``.

Bilby's prior is a proper prior that can be drawn from, so that a population finds the modes and the evidence is known.
The run is kept in ``{outdir}/kameleon_{label}``, from where it goes on after an interruption.
"""

from __future__ import annotations

import contextlib
import pickle
import shutil
import sys
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ._hosts import Rows, missing, run, spacing
from .errors import SettingsError
from .parameters import Periodic
from .result import Result

try:
    from bilby.core.prior.analytical import WeightedDiscreteValues
    from bilby.core.sampler import base_sampler
    from bilby.core.utils import logger, random
except ImportError as error:
    raise missing("bilby") from error

__all__ = ["Kameleon"]


class _Likelihood:
    """The log likelihood at a point, in this process or in a worker of any pool."""

    def __init__(self, what: tuple[Any, dict[str, Any], Sequence[str], bool], name: str, packed: bytes | None) -> None:
        self.what, self.name, self.packed = what, name, packed

    def __call__(self, theta: Any) -> float:
        likelihood, parameters, keys, use_ratio = self.what
        point = {**parameters, **dict(zip(keys, theta, strict=True))}
        return float(base_sampler._safe_likelihood_call(likelihood, point, use_ratio))

    def __reduce__(self) -> Any:
        # Packed once here, and unpacked once in each worker.
        if self.packed is None:
            self.packed = pickle.dumps(self.what)
        return _unpacked, (self.name, self.packed)


_here: dict[str, _Likelihood] = {}
"""The likelihood that this worker has unpacked."""


def _unpacked(name: str, packed: bytes) -> _Likelihood:
    if name not in _here:
        _here.clear()
        _here[name] = _Likelihood(pickle.loads(packed), name, packed)
    return _here[name]


def _of_bilby(theta: Any) -> float:
    """The same by what bilby gave to the workers of a pool that it made, so that nothing is sent but points."""
    shared = base_sampler._sampling_convenience_dump
    what = shared.likelihood, shared.parameters, shared.search_parameter_keys, shared.use_ratio
    return _Likelihood(what, "", None)(theta)


class Kameleon(base_sampler.MCMCSampler):  # type: ignore[misc]
    """The default sampler of Kameleon: needs no gradient, finds separate modes, gives the evidence.

    Keyword arguments of ``bilby.run_sampler`` mean what they mean in ``kameleon.sample``.

    Args:
        chains: the number of chains; by default 4, or ``npool`` if that is more.
        until: when the run ends; by default "ess=4000,rhat=1.01", unless ``draws`` is given.
        draws: the number of draws of each chain, in place of ``until``.
        max_draws, max_evaluations, max_minutes: limits of the run.
        warmup, max_warmup, population, thin, noisy, on_error, check, progress: as in ``kameleon.sample``.
        seed: determines all random numbers; by default drawn from bilby's generator.
        resume: whether a run in the folder goes on. ``clean=True`` of ``run_sampler`` begins anew.
        pool: a pool of your own, with a ``map``; ``npool`` of ``run_sampler`` has bilby make one.
    """

    sampler_name = "kameleon"
    sampling_seed_key = "seed"
    # What is None is as ``kameleon.sample`` has it, or as it was in a run that goes on.
    default_kwargs = {  # noqa: RUF012
        "chains": None,
        "until": None,
        "draws": None,
        "max_draws": None,
        "max_evaluations": None,
        "max_minutes": None,
        "warmup": "auto",
        "max_warmup": None,
        "population": None,
        "thin": None,
        "noisy": None,
        "on_error": None,
        "check": "auto",
        "progress": None,
        "seed": None,
        "resume": True,
        "pool": None,
    }
    _interrupted = False
    _evaluate: Callable[[Any], float]

    @base_sampler.signal_wrapper  # type: ignore[untyped-decorator]
    def run_sampler(self) -> Any:
        """Runs the chains, or goes on with those in the folder, and fills bilby's result."""
        self._refuse_discrete()
        folder = Path(self.outdir) / f"{self.sampler_name}_{self.label}"
        if folder.exists() and not self.kwargs["resume"]:
            shutil.rmtree(folder)
        if folder.exists():
            logger.info(f"Resuming the run in {folder}; clean=True begins anew")
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Workers of a pool that bilby did not make know nothing of the likelihood.
        self._evaluate = _of_bilby if self.kwargs["pool"] is None else self._to_send()
        self._setup_pool()
        try:
            result = self._run(folder)
        except KeyboardInterrupt:
            self._interrupted = True
        finally:
            self._close_pool()
        if self._interrupted:
            logger.info(f"The run is kept in {folder}; the same call resumes it")
            sys.exit(self.exit_code)
        logger.info(f"Kameleon: {result.summary()}")
        return self._fill(result)

    def _run(self, folder: Path) -> Result:
        given = {key: value for key, value in self.kwargs.items() if key not in ("resume", "pool")}
        keys = self.search_parameter_keys
        seed = None if given["seed"] is not None else int(random.rng.integers(2**32))
        return run(
            self._log_likelihoods,
            folder,
            logger,
            parameters=keys,
            bounds={key: ends for key in keys if (ends := self._ends(key)) is not None},
            priors=self._log_priors(),
            prior_draws=self._draw,
            chosen={"chains": max(4, self.npool or 1), "seed": seed},
            anew="clean=True",
            **given,
        )

    def _refuse_discrete(self) -> None:
        for key in self.search_parameter_keys:
            if isinstance(self.priors[key], WeightedDiscreteValues):
                what = f"{key} has the discrete prior {self.priors[key]!r}; Kameleon samples continuous parameters only"
                raise SettingsError("priors", what)

    def _ends(self, key: str) -> tuple[float, float] | None:
        """The bounds of a parameter; none where they depend on other parameters, so that only the prior knows them."""
        prior = self.priors[key]
        if hasattr(prior, "condition_func"):
            if prior.boundary == "periodic":
                what = "the ends of a conditional prior may depend on other parameters, so it is no circle"
                logger.warning(f"{key} has the boundary 'periodic', which is not used: {what}")
            return None
        ends = float(prior.minimum), float(prior.maximum)
        return Periodic(*ends) if prior.boundary == "periodic" else ends

    def _log_likelihoods(self, points: Rows) -> Rows:
        """The log likelihood at each row, by bilby's pool if there is one."""
        if self._interrupted:
            raise KeyboardInterrupt
        if self.likelihood_count is not None:
            for _ in points:
                self.likelihood_count.increment()
        calls = map if self.pool is None else self.pool.map
        return np.array(list(calls(self._evaluate, list(points))), dtype=float)

    def _to_send(self) -> _Likelihood:
        """The likelihood as it is sent to workers with the points."""
        what = self.likelihood, self.parameters, self.search_parameter_keys, self.use_ratio
        return _Likelihood(what, uuid.uuid4().hex, None)

    def _log_priors(self) -> Callable[[Rows], Rows]:
        """The log prior at each row: in one call where the priors can do that, or else row by row."""
        keys = self.search_parameter_keys

        def together(points: Rows) -> Rows:
            values = self.priors.ln_prob(dict(zip(keys, points.T, strict=True)), axis=0)
            # Of one row, some priors return a number.
            return np.reshape(np.asarray(values, dtype=float), len(points))

        def one_by_one(points: Rows) -> Rows:
            return np.array([float(self.log_prior(theta)) for theta in points])

        some = self._draw(np.random.default_rng(0), 16)
        truth, chosen = one_by_one(some), one_by_one
        # Conditions, constraints and priors of users need not take arrays.
        with contextlib.suppress(Exception):
            found = np.concatenate([together(some[:1]), together(some[1:])])
            chosen = together if found.shape == truth.shape and np.allclose(found, truth) else one_by_one
        # By this a run that is resumed knows its priors again.
        chosen.about = "of bilby: " + ", ".join(f"{key}={self.priors[key]!r}" for key in self.priors)  # type: ignore[attr-defined]
        return chosen

    def _draw(self, rng: np.random.Generator, count: int) -> Rows:
        """Draws from the prior, one in each row."""
        before, random.Generator.rng = random.Generator.rng, rng
        try:
            rows = self.priors.sample_subset_constrained_as_array(list(self.search_parameter_keys), count)
        finally:
            random.Generator.rng = before
        return np.asarray(rows, dtype=float).reshape(self.ndim, count).T

    def _fill(self, result: Result) -> Any:
        """Bilby's result: draws that are nearly independent, and the evidence."""
        step = spacing(result)
        samples = result.draws[:, ::step].reshape(-1, self.ndim)
        log_priors = self._log_priors()(samples)
        filled = self.result
        filled.samples = samples
        filled.log_prior_evaluations = log_priors
        filled.log_likelihood_evaluations = result.log_density[:, ::step].ravel() - log_priors
        filled.log_evidence, filled.log_evidence_err = result.log_evidence, result.log_evidence_error
        filled.num_likelihood_evaluations = result.stats["evaluations"]
        # Bilby writes it as JSON.
        plain = (str, int, float, type(None))
        filled.sampler_kwargs = {k: v if isinstance(v, plain) else repr(v) for k, v in self.kwargs.items()}
        filled.sampler_output = str(result.summary())
        if result.evidence is None or not result.evidence.reliable:
            logger.warning(str(result.evidence or "There is no evidence: this sampler makes no jumps"))
        return filled

    def write_current_state(self) -> None:
        """Nothing is left to write: the folder is written as the run goes on."""

    def write_current_state_and_exit(self, signum: Any = None, frame: Any = None) -> None:
        """Ends the run at the next evaluation, with all draws in the folder; workers of a pool go on."""
        if self.npool in (1, None) or getattr(self, "pool", None) is not None:
            self._log_interruption(signum=signum)
            self._interrupted = True
            raise KeyboardInterrupt
