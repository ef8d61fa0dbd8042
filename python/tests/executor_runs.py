"""What the tests of executors run: a density, plans, and a density that kills its worker."""

import math
import os
import signal

import numpy as np

PLAN = {"draws": 300, "warmup": 1500, "chains": 5, "seed": 8}
"""Chains that learn together."""
SHORT = {**PLAN, "chains": 2, "warmup": 800, "draws": 50}
"""For executors that take long to start."""
FROM_PRIOR = {"priors": ["normal(0, 3)"] * 2, "warmup": "population", "draws": 200, "chains": 2, "seed": 8}
"""A small population before the chains."""


def density(x):
    return -0.5 * math.fsum(v * v for v in x)


class KillsOnce:
    """A log density that kills its process once, in the middle of a stage of the warm-up."""

    def __init__(self, marker):
        self.marker = str(marker)
        self.home = os.getpid()
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        if self.calls != 700 or os.path.exists(self.marker):
            return density(x)
        try:
            os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return density(x)
        assert os.getpid() != self.home, "the test must not kill itself"
        os.kill(os.getpid(), signal.SIGKILL)


def is_same_population(there, here):
    return np.array_equal(there.draws, here.draws) and there.population == here.population and there.modes == here.modes
