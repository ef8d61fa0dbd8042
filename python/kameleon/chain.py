"""Ask and tell: a chain for log densities that are computed elsewhere."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kameleon
from .errors import SettingsError
from .samplers import Kameleon, Sampler

__all__ = ["Chain", "Step"]


class Step(NamedTuple):
    """What became of the point that was asked for."""

    iteration: int
    """The iteration, from 0."""
    warmup: bool
    """Whether it belongs to the warm-up."""
    outcome: str
    """accepted, rejected, outside-support or invalid."""
    acceptance: float
    """The probability with which it was accepted."""


class Chain:
    """One chain that asks for points and is told their log density.

    It can be pickled, or kept as bytes by ``save`` and ``load``, and goes on exactly from there.

    >>> import kameleon as km
    >>> chain = km.Chain([0.0, 0.0], sampler=km.SM(), warmup=100, seed=1)
    >>> for _ in range(1000):
    ...     x = chain.ask()
    ...     step = chain.tell(-0.5 * float(x @ x))
    >>> chain.iterations, step.outcome in ("accepted", "rejected")
    (999, True)

    The first point it asks for is the start, and telling its log density makes no step. ``sampling`` is how many
    iterations after the warm-up there will be, as far as that is known; ``index`` makes one of many chains of a seed.
    """

    def __init__(
        self,
        start: ArrayLike,
        *,
        sampler: Sampler | None = None,
        warmup: int = 10_000,
        sampling: int = 10_000,
        seed: int = 1,
        index: int = 0,
        normals: int = 0,
        correlated: float = 0.0,
    ) -> None:
        chosen = Kameleon() if sampler is None else sampler
        point = np.asarray(start, dtype=float)
        if point.ndim != 1:
            raise SettingsError("start", f"must be one point, not of shape {point.shape}")
        self._chain = _kameleon.Chain(
            point.tolist(),
            chosen._json,
            warmup=warmup,
            sampling=sampling,
            seed=seed,
            index=index,
            normals=normals,
            correlation=correlated,
        )

    def ask(self) -> NDArray[np.float64]:
        """The point whose log density is wanted next; the same until it is told."""
        return self._chain.ask()

    def tell(self, log_density: float) -> Step | None:
        """Tells the log density at that point. NaN and +∞ are counted as invalid, −∞ as outside the support."""
        return _step(self._chain.tell(float(log_density)))

    def reject(self, why: str) -> Step | None:
        """Tells that there is no log density at that point, and why: it is counted as invalid."""
        return _step(self._chain.reject(why))

    @property
    def normals(self) -> NDArray[np.float64]:
        """The standard normals that go with the point asked for."""
        return self._chain.normals

    @property
    def position(self) -> NDArray[np.float64]:
        """Where the chain is."""
        return self._chain.position

    @property
    def log_density(self) -> float:
        """The log density there."""
        return self._chain.log_density

    @property
    def iterations(self) -> int:
        """How many steps it has made."""
        return self._chain.iterations

    @property
    def warming_up(self) -> bool:
        """Whether the next step belongs to the warm-up."""
        return self._chain.iterations < self._chain.warmup

    @property
    def statistics(self) -> dict[str, Any]:
        """What happened so far: evaluations, outcomes, traces."""
        statistics: dict[str, Any] = json.loads(self._chain.statistics())
        return statistics

    def save(self) -> bytes:
        """Everything the chain is at this moment.

        >>> import kameleon as km
        >>> chain = km.Chain([0.0], sampler=km.SM(), warmup=10)
        >>> km.Chain.load(chain.save()).ask() == chain.ask()
        array([ True])
        """
        return self._chain.save()

    @classmethod
    def load(cls, state: bytes) -> Chain:
        """A chain as it was saved."""
        chain = cls.__new__(cls)
        chain._chain = _kameleon.Chain.load(state)
        return chain

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).load, (self.save(),)


def _step(step: tuple[int, bool, str, float] | None) -> Step | None:
    return None if step is None else Step(*step)
