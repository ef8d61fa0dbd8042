"""What the plugins for bilby, Cobaya, PINTS and pyPESTO have in common."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _kameleon, arguments
from .errors import KameleonWarning, SettingsError
from .result import Result
from .sampling import resume, sample

Rows = NDArray[np.float64]

UNTIL = "ess=4000,rhat=1.01"
"""When a run ends of which nothing else is said."""
MAX_DRAWS = 50_000
"""The most draws of each chain of such a run."""


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


def run(
    function: Callable[[Rows], Rows],
    folder: Path | None,
    log: logging.Logger,
    *,
    priors: Any,
    chosen: dict[str, Any] | None = None,
    anew: str = "",
    **settings: Any,
) -> Result:
    """Resumes the run of this vectorised function in the folder, or starts one there, and logs its warnings.

    ``chosen`` has settings for a new run of which nothing is said; ``anew`` tells how to leave the run in the folder.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KameleonWarning)
        if folder is None or not (folder / "settings.toml").exists():
            said = {name: value for name, value in settings.items() if value is not None}
            whole = until({**(chosen or {}), **said})
            result = sample(function, checkpoint=folder, priors=priors, vectorized=True, **whole)
        else:
            stored = json.loads(_kameleon.settings_of(folder))
            names = list(stored["parameters"])
            if names != list(settings["parameters"]):
                what = f"the run in {folder} has {', '.join(names)}; begin another one, or delete the folder"
                raise SettingsError("parameters", what)
            changes = _changes(settings, stored["run"])
            if unused := _unused(settings, stored):
                what = f"the run in {folder} was begun with other settings, and keeps them"
                log.warning(f"{what}: {'; '.join(unused)}. {anew} begins another run")
            again: dict[str, Any] = {}
            if stored["model"].get("external-prior"):
                again = {"priors": priors, "prior_draws": settings.get("prior_draws")}
            result = resume(folder, function, vectorized=True, **again, **changes)
    for warning in result.warnings:
        log.warning(warning)
    return result


def _changes(settings: dict[str, Any], plan: dict[str, Any]) -> dict[str, Any]:
    """What a run with this plan takes over when it is resumed.

    Another number of draws is in place of the rule and the limits of the plan, which are taken from it.
    """
    changes: dict[str, Any] = {name: settings[name] for name in ("max_minutes", "progress") if name in settings}
    draws = settings.get("draws")
    if draws is None or (draws == plan["draws"] and (settings.get("until") or not plan["until"])):
        return changes
    plan.update(dict.fromkeys(("until", "max-draws", "max-evaluations")))
    return {**changes, "draws": draws}


def _unused(settings: dict[str, Any], stored: dict[str, Any]) -> list[str]:
    """The settings that are given and are not those of the run; what is None or "auto" is as it was."""
    model, plan = stored["model"], stored["run"]
    kept = {name.replace("-", "_"): value for name, value in plan.items() if name not in ("draws", "max-minutes")}
    kept.update(noisy=bool(model["noisy"]), on_error=model["on-error"] or "stop")
    asked = {name: settings[name] for name in kept if settings.get(name) not in (None, "auto")}
    for name, value in arguments.population(settings.get("population")).items():
        shown = f"population.{name.replace('-', '_')}"
        asked[shown], kept[shown] = value, stored["population"][name]
    differ = (name for name, value in asked.items() if _plain(name, value) != _plain(name, kept[name]))
    return [f"{name} is {kept[name]!r}, not {asked[name]!r}" for name in differ]


def _plain(name: str, value: Any) -> Any:
    """A setting as it can be compared: a stopping rule by its numbers."""
    if name != "until" or value is None:
        return value
    try:
        return {key.strip(): float(number) for key, number in (part.split("=") for part in value.split(","))}
    except (AttributeError, ValueError):
        raise SettingsError("until", f'must be a rule such as "{UNTIL}", not {value!r}') from None


def stopped(result: Result) -> bool:
    """Whether somebody stopped the run, rather than a limit."""
    return not result.complete and "was stopped" in result.reason


def spacing(result: Result) -> int:
    """The distance of draws in a chain that are nearly independent, by the effective size of the slowest parameter."""
    chains, draws, _ = result.draws.shape
    sizes = [min(row["ess_bulk"], row["ess_tail"]) for row in result.summary().parameters] if draws else []
    smallest = min((size for size in sizes if np.isfinite(size)), default=0.0)
    return max(int(chains * draws / smallest), 1) if smallest > 0 else 1
