"""Ask and tell in batches: the chains of a run, for people with a scheduler of their own."""

from __future__ import annotations

import json
import secrets
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kameleon, arguments
from ._sampler import Sampler, plain
from .errors import EvaluationError, KameleonWarning, SettingsError
from .function import How
from .parameters import Bounds, Shape
from .priors import Priors
from .problem import Problem
from .result import Result

__all__ = ["Ensemble"]

_NO_SLOPES = np.empty(0)


class Ensemble:
    """Chains that ask for points together and are told their log densities.

    ``ask`` gives an array with a row for each chain; ``tell`` takes a number for each row. Where and in which order
    the rows are evaluated is up to you. The draws are those of ``km.sample`` with the same seed and settings. An
    ensemble can be pickled, or saved as bytes, at any moment, also between ``ask`` and ``tell``, and continues exactly.

    Args:
        start, parameters, bounds: as in ``km.sample``. One of them must tell the number of parameters.
        priors: by name or in a list, as in ``km.sample``; then the values told are those of the log likelihood. A prior
            that is a function of your own is added to the values by you.
        noisy: the values are logarithms of unbiased estimates; ``generators`` has a random generator for each row.
        normals: the number of standard normals that an estimate is a function of; ``normals`` has a row of them for
            each row of points.
        correlated, sampler, draws, max_warmup, chains, thin, seed, pool: as in ``km.sample``.
        until, max_draws, max_evaluations, check, keep_warmup, keep_jumps: as in ``km.sample``.
        warmup: a number of iterations, or "auto" (until the chains have learned, where the sampler can tell).

    >>> import kameleon as km
    >>> ensemble = km.Ensemble([0.0, 0.0], chains=16, warmup=700, draws=100, seed=1)
    >>> while not ensemble.done:
    ...     points = ensemble.ask()
    ...     ensemble.tell(-0.5 * (points**2).sum(axis=1))
    >>> points.shape, ensemble.result().draws.shape
    ((16, 2), (16, 100, 2))
    """

    def __init__(
        self,
        start: ArrayLike | Mapping[str, ArrayLike] | None = None,
        *,
        sampler: Sampler | None = None,
        draws: int | None = None,
        warmup: int | Literal["auto", "chains"] | None = None,
        max_warmup: int | None = None,
        chains: int = 4,
        thin: int = 1,
        seed: int | None = None,
        parameters: Sequence[str] | Mapping[str, Shape] | None = None,
        bounds: Bounds | Mapping[str, Bounds] | Sequence[Bounds | None] | None = None,
        priors: Priors = None,
        noisy: bool = False,
        normals: int = 0,
        correlated: float = 0.0,
        pool: bool = True,
        until: str | None = None,
        max_draws: int | None = None,
        max_evaluations: int | None = None,
        check: Literal["free", "off"] = "free",
        keep_warmup: bool = False,
        keep_jumps: bool = True,
    ) -> None:
        chosen = arguments.sampler(sampler)
        How(noisy, normals).check()
        if correlated and not normals:
            raise SettingsError(
                "correlated", "needs a log density that is a function of standard normals; set `normals`"
            )
        if priors is not None and not isinstance(priors, Mapping | Sequence):
            raise SettingsError(
                "priors", "must be given by name or in a list; add the values of another prior yourself"
            )
        noise: Any = {"normals": normals} if normals else "seed" if noisy else False
        what = Problem({"external": "what was told to an ensemble", "noisy": noise}, arguments.names(parameters, start))
        table, function = arguments.settle(what, start, bounds, priors, None)
        if function is not None:
            raise SettingsError("priors", f"{function.about} is evaluated in Python: add its values to those you tell")
        plan = {
            "chains": chains,
            "warmup": arguments.warmup(warmup),
            "max-warmup": max_warmup,
            "draws": draws,
            "thin": thin,
            "seed": secrets.randbits(32) if seed is None else seed,
            "correlation": correlated,
            "pool": arguments.pool(pool),
            "until": until,
            "max-draws": max_draws,
            "max-evaluations": max_evaluations,
            "check": check,
        }
        keep = {"keep-warmup": keep_warmup, "keep-jumps": keep_jumps}
        settings = arguments.settings(chosen, what, table, arguments.starts(start, what, table), plan, keep)
        self._ensemble = _kameleon.Ensemble(json.dumps(settings, default=plain))

    def ask(self) -> NDArray[np.float64]:
        """The points whose log densities are needed next, a row for each chain; the same until they are told.

        There are fewer rows where a chain has ended or waits for others, or where the priors rule a point out, and
        none when all draws are made.
        """
        return self._ensemble.ask()[0]

    @property
    def seeds(self) -> list[int]:
        """A seed for the noise at each row, if the ensemble is ``noisy``."""
        return self._ensemble.ask()[1]

    @property
    def generators(self) -> list[np.random.Generator]:
        """A random generator for the noise at each row, if the ensemble is ``noisy``."""
        return [np.random.default_rng(seed) for seed in self.seeds]

    @property
    def normals(self) -> NDArray[np.float64]:
        """The standard normals that go with each row, if the ensemble has any."""
        return self._ensemble.ask()[2]

    def tell(self, log_density: ArrayLike, gradient: ArrayLike | None = None) -> None:
        """Tell the log densities at these points, in order. NaN and +∞ count as invalid, −∞ as outside the support.

        None, and a number that is masked, count as NaN. An invalid value at a start that you gave ends the run: send a
        job that was lost there again.

        A sampler that drifts along the gradient also needs the ``gradient`` there: a row for each point.
        """
        values = _numbers(log_density)
        if values.ndim != 1:
            raise EvaluationError(f"a number is wanted for each row, not an array of shape {values.shape}")
        slopes = _NO_SLOPES
        if gradient is not None:
            slopes = np.asarray(gradient, dtype=float)
            if slopes.ndim != 2:
                what = f"a row of the gradient is wanted for each point, not an array of shape {slopes.shape}"
                raise EvaluationError(what)
        self._ensemble.tell(values, slopes.ravel())

    @property
    def positions(self) -> NDArray[np.float64]:
        """The draw that each chain showed last, a row for each chain; its start before its first step.

        >>> import kameleon as km
        >>> ensemble = km.Ensemble([[1.0], [2.0]], chains=2, sampler=km.SM(), warmup=10, draws=10)
        >>> ensemble.positions
        array([[1.],
               [2.]])
        """
        return self._ensemble.positions()[0]

    @property
    def log_densities(self) -> NDArray[np.float64]:
        """The log density at each of ``positions``."""
        return self._ensemble.positions()[1]

    @property
    def iterations(self) -> list[int]:
        """The number of steps of each chain."""
        return self._ensemble.positions()[2]

    @property
    def done(self) -> bool:
        """Whether all draws are made, so that nothing is asked any more."""
        return self._ensemble.done

    def result(self) -> Result:
        """The draws so far as ``km.sample`` returns them, at the end or before it."""
        posterior, ending, reason = self._ensemble.posterior()
        result = Result(posterior, ending=ending, reason=reason)
        for warning in result.warnings:
            warnings.warn(warning, KameleonWarning, stacklevel=2)
        return result

    def save(self) -> bytes:
        """The state of the ensemble as bytes, with all draws so far.

        >>> import kameleon as km
        >>> ensemble = km.Ensemble([0.0], chains=2, sampler=km.SM(), warmup=10, draws=10)
        >>> bool((km.Ensemble.load(ensemble.save()).ask() == ensemble.ask()).all())
        True
        """
        return self._ensemble.save()

    @classmethod
    def load(cls, state: bytes | bytearray | memoryview) -> Ensemble:
        """Restore an ensemble from ``save``."""
        if not isinstance(state, bytes | bytearray | memoryview):
            raise SettingsError("state", f"must be the bytes that save() returned, not {state!r}")
        ensemble = cls.__new__(cls)
        ensemble._ensemble = _kameleon.Ensemble.load(bytes(state))
        return ensemble

    def __repr__(self) -> str:
        steps = self.iterations
        least, most = min(steps), max(steps)
        range_of = f"{least}" if least == most else f"{least} to {most}"
        return f"<Ensemble of {len(steps)} chains after {range_of} iterations{', done' if self.done else ''}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).load, (self.save(),)


def _numbers(given: Any) -> NDArray[np.float64]:
    """What was told, as an array of numbers."""
    try:
        if isinstance(given, np.ma.MaskedArray):
            given = np.ma.filled(given.astype(float), np.nan)
        values = np.asarray(given)
        if values.dtype.kind == "c":
            raise TypeError("these are complex")
        return values.astype(float, copy=False)
    except (TypeError, ValueError) as error:
        raise EvaluationError(f"a number is wanted for each row: {error}") from None
