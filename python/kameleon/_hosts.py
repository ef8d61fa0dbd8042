"""What the plugins for bilby, Cobaya, PINTS and pyPESTO have in common."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _kameleon
from .errors import KameleonWarning, SettingsError
from .result import Result
from .sampling import resume, sample

Rows = NDArray[np.float64]

UNTIL = "ess=4000,rhat=1.01"
"""When a run ends of which nothing else is said."""
MAX_DRAWS = 50_000
"""The most draws of each chain of such a run."""
_CHANGES = ("draws", "max_minutes", "progress")
"""What may differ when a run is resumed."""


def missing(host: str) -> ImportError:
    """The error for a plugin whose host is not installed.

    >>> from kameleon._hosts import missing
    >>> missing("bilby")
    ImportError("kameleon.bilby needs the package bilby: pip install 'kameleon[bilby]', or pip install bilby")
    """
    return ImportError(
        f"kameleon.{host} needs the package {host}: pip install 'kameleon[{host}]', or pip install {host}", name=host
    )


def until(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings, with a stopping rule where they say neither when the run ends nor how many draws it makes.

    >>> from kameleon._hosts import until
    >>> until({"draws": 500, "until": None, "max_draws": None})["until"]
    """
    if settings.get("draws") is not None or settings.get("until") is not None:
        return settings
    return {**settings, "until": UNTIL, "max_draws": settings.get("max_draws") or MAX_DRAWS}


def run(function: Callable[[Rows], Rows], folder: Path | None, *, priors: Any, **settings: Any) -> Result:
    """Resumes the run of this vectorised function in the folder, or starts one there. Warnings are in the result."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KameleonWarning)
        if folder is None or not (folder / "settings.toml").exists():
            return sample(function, checkpoint=folder, priors=priors, vectorized=True, **until(settings))
        stored = json.loads(_kameleon.settings_of(folder))
        names = list(stored["parameters"])
        if names != list(settings["parameters"]):
            what = f"the run in {folder} has {', '.join(names)}; begin another one, or delete the folder"
            raise SettingsError("parameters", what)
        again: dict[str, Any] = {}
        if stored["model"].get("external-prior"):
            again = {"priors": priors, "prior_draws": settings.get("prior_draws")}
        changes = {name: settings[name] for name in _CHANGES if name in settings}
        return resume(folder, function, vectorized=True, **again, **changes)


def stopped(result: Result) -> bool:
    """Whether somebody stopped the run, rather than a limit."""
    return not result.complete and "was stopped" in result.reason


def spacing(result: Result) -> int:
    """The distance of draws in a chain that are nearly independent, by the effective size of the slowest parameter."""
    chains, draws, _ = result.draws.shape
    sizes = [min(row["ess_bulk"], row["ess_tail"]) for row in result.summary().parameters] if draws else []
    smallest = min((size for size in sizes if np.isfinite(size)), default=0.0)
    return max(int(chains * draws / smallest), 1) if smallest > 0 else 1
