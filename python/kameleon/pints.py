"""The plugin for PINTS: ``pints.MCMCController(..., method=kameleon.pints.Kameleon)``."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ._hosts import Rows, missing
from ._sampler import Sampler
from .chain import Chain
from .errors import KameleonWarning, SettingsError

try:
    import pints
except ImportError as error:
    raise missing("pints") from error

__all__ = ["Kameleon", "set_warmup"]


class Kameleon(pints.SingleChainMCMC):  # type: ignore[misc]
    """A chain of Kameleon, by ask and tell. It learns in its warm-up, whose draws are to be discarded.

    Random numbers follow from ``numpy.random``, as those of PINTS do: ``np.random.seed(1)`` makes a run reproducible.
    """

    def __init__(self, x0: Any, sigma0: Any = None) -> None:
        super().__init__(x0, sigma0)
        self._warmup = 5_000
        self._sampler: Sampler | None = None
        self._chain: Chain | None = None
        self._last: Rows | None = None
        self._accepted = 0

    def name(self) -> str:
        """The name of the method."""
        return "Kameleon" if self._sampler is None else f"Kameleon ({type(self._sampler).__name__})"

    def ask(self) -> Rows:
        """The point whose log density is needed next."""
        if self._chain is None:
            seed = int(np.random.randint(2**31))
            self._chain = Chain(self._x0, sampler=self._sampler, warmup=self._warmup, seed=seed)
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
        # The draws of several proposals that are judged together come one after another.
        moved = self._last is None or not np.array_equal(position, self._last)
        self._last = position
        self._accepted += moved
        return position, self._chain.log_density, bool(moved)

    def needs_initial_phase(self) -> bool:
        """It does: the warm-up."""
        return True

    def in_initial_phase(self) -> bool:
        """Whether the chain is in its warm-up."""
        return self._chain is None or self._chain.warming_up

    def set_initial_phase(self, in_initial_phase: bool) -> None:
        """The controller says that its initial phase begins or ends; the length of the warm-up was set before."""
        if not in_initial_phase and self.in_initial_phase() and self._warmup:
            what = f"the warm-up takes {self._warmup} iterations, which are to be discarded, and goes on"
            how = "kameleon.pints.set_warmup(controller, iterations) makes it as long as the initial phase"
            warnings.warn(f"{what}; {how}", KameleonWarning, stacklevel=2)

    def set_warmup(self, iterations: int) -> None:
        """Sets the number of iterations of the warm-up, before the chain starts."""
        self._before_start("warmup")
        if int(iterations) < 0:
            raise SettingsError("warmup", f"must be a number of iterations, not {iterations!r}")
        self._warmup = int(iterations)

    def warmup(self) -> int:
        """The number of iterations of the warm-up."""
        return self._warmup

    def set_sampler(self, sampler: Sampler) -> None:
        """Sets another sampler of ``kameleon.samplers``, such as ``km.KAMH()``, before the chain starts."""
        self._before_start("sampler")
        if not isinstance(sampler, Sampler):
            raise SettingsError("sampler", f"must be a sampler such as km.KAMH(), not {sampler!r}")
        self._sampler = sampler

    def _before_start(self, setting: str) -> None:
        if self._chain is not None:
            raise SettingsError(setting, "must be set before the chain starts")

    def n_hyper_parameters(self) -> int:
        """One: the length of the warm-up."""
        return 1

    def set_hyper_parameters(self, x: Any) -> None:
        """Sets the length of the warm-up, the only number in ``x``."""
        self.set_warmup(x[0])

    def _log_init(self, logger: Any) -> None:
        logger.add_float("Accept.")

    def _log_write(self, logger: Any) -> None:
        steps = 0 if self._chain is None else self._chain.iterations + 1
        logger.log(self._accepted / steps if steps else 0.0)


def set_warmup(controller: Any, iterations: int) -> None:
    """Makes the initial phase of a controller the warm-up of its chains, with this number of iterations."""
    for sampler in controller.samplers():
        sampler.set_warmup(iterations)
    # The first evaluation, that of the start, makes no step.
    controller.set_initial_phase_iterations(iterations + 1)
