"""What several tests use."""

import math
import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def normal(x):
    """A standard normal in any dimension, quick and plain."""
    return -0.5 * math.fsum(v * v for v in x)


@pytest.fixture
def program():
    """The program `kameleon`, as `cargo test` builds it; skipped with a note where it is not there."""
    found = os.environ.get("KAMELEON_PROGRAM") or shutil.which("kameleon", path=str(ROOT / "target/debug"))
    if found is None:
        pytest.skip("the program `kameleon` is not built, so the package is not compared with it: cargo build")
    return found


@pytest.fixture(scope="session")
def here():
    """The run without an executor."""
    return sampled([0.0, 0.0], "PLAN")


@pytest.fixture(scope="session")
def here_from_prior():
    """The run after a population, without an executor."""
    return sampled(None, "FROM_PRIOR")


def sampled(start, plan):
    # Imported here, because the tests of wheels do without the package in their own environment.
    import executor_runs

    import kameleon as km

    return km.sample(executor_runs.density, start, **getattr(executor_runs, plan))
