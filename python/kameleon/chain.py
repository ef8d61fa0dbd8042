"""Ask and tell: a chain for log densities that are evaluated elsewhere."""

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
    """The outcome of a step."""

    iteration: int
    """The iteration, from 0."""
    warmup: bool
    """Whether it is in the warm-up."""
    outcome: str
    """"accepted", "rejected", "outside-support" or "invalid"."""
    acceptance: float
    """The acceptance probability."""


class Chain:
    """A chain that asks for points and is told their log densities.

    The first point it asks for is the start; telling its log density makes no step. A chain can be pickled, or saved as
    bytes, and continues exactly.

    Args:
        start: the starting point.
        sampler: a sampler of ``km.samplers``; ``km.Kameleon()`` by default.
        warmup: the number of warm-up iterations.
        sampling: the expected number of iterations after the warm-up.
        seed: determines all random numbers, together with ``index``.
        index: the number of this chain among chains of the same seed.
        normals: the number of standard normals that the log density is a function of, if it is noisy.
        correlated: the correlation ρ of the normals of successive proposals.

    >>> import kameleon as km
    >>> chain = km.Chain([0.0, 0.0], sampler=km.SM(), warmup=100, seed=1)
    >>> for _ in range(1000):
    ...     x = chain.ask()
    ...     step = chain.tell(-0.5 * float(x @ x))
    >>> chain.iterations, step.outcome in ("accepted", "rejected")
    (999, True)
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
        """The point whose log density is needed next; the same until it is told."""
        return self._chain.ask()

    def tell(self, log_density: float, gradient: ArrayLike | None = None) -> Step | None:
        """Tell the log density at that point. NaN and +∞ count as invalid, −∞ as outside the support.

        A sampler that drifts along the gradient also needs the ``gradient`` there.
        """
        slopes = [] if gradient is None else np.asarray(gradient, dtype=float).tolist()
        return _step(self._chain.tell(float(log_density), slopes))

    def reject(self, why: str) -> Step | None:
        """Say that there is no log density at that point, and why; it counts as invalid."""
        return _step(self._chain.reject(why))

    @property
    def normals(self) -> NDArray[np.float64]:
        """The standard normals that go with the point asked for."""
        return self._chain.normals

    @property
    def position(self) -> NDArray[np.float64]:
        """The current point."""
        return self._chain.position

    @property
    def log_density(self) -> float:
        """The log density at the current point."""
        return self._chain.log_density

    @property
    def iterations(self) -> int:
        """The number of steps so far."""
        return self._chain.iterations

    @property
    def warming_up(self) -> bool:
        """Whether the next step is in the warm-up."""
        return self._chain.iterations < self._chain.warmup

    @property
    def statistics(self) -> dict[str, Any]:
        """Evaluations, outcomes and traces so far."""
        statistics: dict[str, Any] = json.loads(self._chain.statistics())
        return statistics

    def save(self) -> bytes:
        """The state of the chain as bytes.

        >>> import kameleon as km
        >>> chain = km.Chain([0.0], sampler=km.SM(), warmup=10)
        >>> km.Chain.load(chain.save()).ask() == chain.ask()
        array([ True])
        """
        return self._chain.save()

    @classmethod
    def load(cls, state: bytes) -> Chain:
        """Restore a chain from ``save``."""
        chain = cls.__new__(cls)
        chain._chain = _kameleon.Chain.load(state)
        return chain

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).load, (self.save(),)


def _step(step: tuple[int, bool, str, float] | None) -> Step | None:
    return None if step is None else Step(*step)
