"""What the tests of the plugins use."""

import logging
from pathlib import Path

import matplotlib
import pytest

ROOT = Path(__file__).resolve().parents[2]
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(monkeypatch, tmp_path):
    """Hosts write beside the script that calls them."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def said(caplog):
    """What a host has logged since, also by loggers that keep it to themselves."""
    loggers = [logging.getLogger(name) for name in ("bilby", "kameleon")]
    for logger in loggers:
        logger.addHandler(caplog.handler)
    yield lambda: caplog.text
    for logger in loggers:
        logger.removeHandler(caplog.handler)
