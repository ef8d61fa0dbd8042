"""The plugin for PINTS: ``pints.MCMCController(..., method=kameleon.pints.Kameleon)``."""

from __future__ import annotations

import warnings
from collections import deque
from typing import Any

import numpy as np

from ._hosts import Rows, missing
from ._sampler import Sampler
from .chain import Chain
from .ensemble import Ensemble
from .errors import KameleonWarning, SettingsError

try:
    import pints
except ImportError as error:
    raise missing("pints") from error

__all__ = ["Kameleon", "KameleonChain", "set_warmup"]

LONGEST = 10**7
"""The most iterations after the warm-up of chains that learn together, for PINTS does not tell how many it wants."""


class _Method:
    """What both methods have: settings, an initial phase, and a place in the log."""

    _warmup: int = 5_000
    _sampler: Sampler | None = None
    _accepted: int = 0
    _shown: int = 0
    _begun: bool = False

    def name(self) -> str:
        """The name of the method."""
        return "Kameleon" if self._sampler is None else f"Kameleon ({type(self._sampler).__name__})"

    def needs_initial_phase(self) -> bool:
        """It does: the warm-up."""
        return True

    def in_initial_phase(self) -> bool:
        """Whether the chains are in their warm-up."""
        return self._steps() < self._warmup

    def set_initial_phase(self, in_initial_phase: bool) -> None:
        """The controller says that its initial phase begins or ends; the length of the warm-up was set before."""
        if not in_initial_phase and self.in_initial_phase() and self._warmup:
            what = f"the warm-up takes {self._warmup} iterations, which are to be discarded, and goes on"
            how = "kameleon.pints.set_warmup(controller, iterations) makes it as long as the initial phase"
            warnings.warn(f"{what}; {how}", KameleonWarning, stacklevel=2)

    def set_warmup(self, iterations: int) -> None:
        """Sets the number of iterations of the warm-up, before the chains start."""
        self._before_start("warmup")
        if int(iterations) < 0:
            raise SettingsError("warmup", f"must be a number of iterations, not {iterations!r}")
        self._warmup = int(iterations)

    def warmup(self) -> int:
        """The number of iterations of the warm-up."""
        return self._warmup

    def set_sampler(self, sampler: Sampler) -> None:
        """Sets another sampler of ``kameleon.samplers``, such as ``km.KAMH()``, before the chains start."""
        self._before_start("sampler")
        if not isinstance(sampler, Sampler):
            raise SettingsError("sampler", f"must be a sampler such as km.KAMH(), not {sampler!r}")
        self._sampler = sampler

    def n_hyper_parameters(self) -> int:
        """One: the length of the warm-up."""
        return 1

    def set_hyper_parameters(self, x: Any) -> None:
        """Sets the length of the warm-up, the only number in ``x``."""
        self.set_warmup(x[0])

    def _steps(self) -> int:
        """The number of steps that every chain has made."""
        raise NotImplementedError

    def _seed(self) -> int:
        """The seed of the chains, which begin."""
        self._begun = True
        return int(np.random.randint(2**31))

    def _before_start(self, setting: str) -> None:
        if self._begun:
            raise SettingsError(setting, "must be set before the chain starts")

    def _log_init(self, logger: Any) -> None:
        logger.add_float("Accept.")

    def _log_write(self, logger: Any) -> None:
        logger.log(self._accepted / self._shown if self._shown else 0.0)


class Kameleon(_Method, pints.MultiChainMCMC):  # type: ignore[misc]
    """Chains of Kameleon that learn together in their warm-up, whose draws are to be discarded.

    Random numbers follow from ``numpy.random``, as those of PINTS do: ``np.random.seed(1)`` makes a run reproducible.
    """

    def __init__(self, chains: int, x0: Any, sigma0: Any = None) -> None:
        super().__init__(chains, x0, sigma0)
        self._ensemble: Ensemble | None = None
        self._counts = [-1] * self._n_chains
        self._one_each = [1] * self._n_chains
        self._draws: list[deque[tuple[Rows, float]]] = [deque() for _ in range(self._n_chains)]
        self._last: tuple[Rows, Rows] | None = None

    def _steps(self) -> int:
        return min(self._counts)

    def ask(self) -> Rows:
        """The points whose log densities are needed next, a row for each chain."""
        if self._ensemble is None:
            length: dict[str, Any] = {"warmup": self._warmup, "draws": 1, "thin": LONGEST}
            kept: dict[str, Any] = {"keep_jumps": False, "check": "off"}
            who: dict[str, Any] = {"chains": self._n_chains, "sampler": self._sampler, "seed": self._seed()}
            self._ensemble = Ensemble(self._x0, **who, **length, **kept)
        points = self._ensemble.ask()
        if not len(points):
            raise RuntimeError(f"the chains ended: {self._ensemble.result().reason}")
        points.setflags(write=False)
        return points

    def tell(self, fxs: Any) -> tuple[Rows, Rows, Rows] | None:
        """Takes the log densities there, and returns where the chains are, their values, and which of them moved.

        None if a chain waits for others, which then have a step more to make.
        """
        if self._ensemble is None:
            raise RuntimeError("Tell called before proposal was set.")
        self._ensemble.tell(fxs)
        here, at, counts = self._ensemble._ensemble.positions()
        steps = [count - before for count, before in zip(counts, self._counts, strict=True)]
        self._counts = counts
        # Mostly each chain makes one step; the draws of several proposals that are judged together come one by one.
        if steps != self._one_each or any(self._draws):
            for draws, position, value, more in zip(self._draws, here, at, steps, strict=True):
                draws.extend([(position, float(value))] * more)
            if not all(self._draws):
                return None
            shown = [draws.popleft() for draws in self._draws]
            here, at = np.array([position for position, _ in shown]), np.array([value for _, value in shown])
        before = here + np.nan if self._last is None else self._last[0]
        moved = np.logical_or.reduce(here != before, axis=1)
        here.setflags(write=False)
        self._last = here, at
        self._accepted += int(np.count_nonzero(moved))
        self._shown += len(moved)
        return here, at, moved

    def current_log_pdfs(self) -> Rows:
        """The log densities where the chains are."""
        if self._last is None:
            raise RuntimeError("There is no draw yet.")
        return self._last[1]


class KameleonChain(_Method, pints.SingleChainMCMC):  # type: ignore[misc]
    """A chain of Kameleon that learns alone: for a controller with a log density for each chain, or for one chain."""

    def __init__(self, x0: Any, sigma0: Any = None) -> None:
        super().__init__(x0, sigma0)
        self._chain: Chain | None = None
        self._last: Rows | None = None

    def _steps(self) -> int:
        return 0 if self._chain is None else self._chain.iterations

    def ask(self) -> Rows:
        """The point whose log density is needed next."""
        if self._chain is None:
            self._chain = Chain(self._x0, sampler=self._sampler, warmup=self._warmup, seed=self._seed())
        point = self._chain.ask()
        point.setflags(write=False)
        return point

    def tell(self, fx: Any) -> tuple[Rows, float, bool]:
        """Takes the log density there, and returns the point where the chain is, its value, and whether it moved."""
        if self._chain is None:
            raise RuntimeError("Tell called before proposal was set.")
        self._chain.tell(fx)
        position = self._chain.position
        position.setflags(write=False)
        moved = self._last is None or not np.array_equal(position, self._last)
        self._last = position
        self._accepted += moved
        self._shown += 1
        return position, self._chain.log_density, bool(moved)


def set_warmup(controller: Any, iterations: int) -> None:
    """Makes the initial phase of a controller the warm-up of its chains, with this number of iterations."""
    for sampler in controller.samplers():
        sampler.set_warmup(iterations)
    # The first evaluation, that of the start, makes no step.
    controller.set_initial_phase_iterations(iterations + 1)
