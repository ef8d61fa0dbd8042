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
