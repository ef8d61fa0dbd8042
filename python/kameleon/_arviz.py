"""Conversion of a result for ArviZ, before and after version 1."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._kameleon import __version__
from .errors import SettingsError, StoreError

if TYPE_CHECKING:
    from .result import Result


def to_arviz(result: Result, modes: bool, log_likelihood: bool) -> Any:
    """InferenceData, or a DataTree since ArviZ 1."""
    try:
        import arviz
    except ImportError:
        raise ImportError("result.to_arviz() needs ArviZ: pip install arviz") from None
    groups: dict[str, Any] = {
        "posterior": {name: result[name] for name in result.variables},
        "sample_stats": {
            "lp": result.log_density,
            "acceptance_rate": result.acceptance,
            "outcome": result.outcome,
            **result._jumps(),
            **({"mode": result.mode_labels() + 1} if modes else {}),
        },
    }
    warm = result.warmup_draws
    if warm.shape[1] > 0:
        groups["warmup_posterior"] = {name: result._variable(warm, name) for name in result.variables}
        stats = {"lp": "log_density", "acceptance_rate": "acceptance", "outcome": "outcome"}
        groups["warmup_sample_stats"] = {name: result._stack("warmup", what) for name, what in stats.items()}
    observed = result._observed if result._pymc is None else _observed(result._pymc)
    if observed:
        groups["observed_data"] = observed
    attributes = _attributes(result)
    labels: dict[str, Any] = {"dims": result.dims or None, "coords": result.coords or None}
    if int(arviz.__version__.split(".")[0]) >= 1:
        data = arviz.from_dict(groups, attrs={"/": attributes, "posterior": attributes}, **labels)
    else:
        save_warmup = "warmup_posterior" in groups
        attrs = {"attrs": attributes, "posterior_attrs": attributes}
        data = arviz.from_dict(**groups, **attrs, save_warmup=save_warmup, **labels)
    for name, ends in _periods(result).items():
        for group in (group for group in ("posterior", "warmup_posterior") if group in groups):
            data[group][name].attrs.update(ends)
    if log_likelihood:
        _add_log_likelihood(data, result._pymc)
    return data


def save(result: Result, path: Path, modes: bool) -> None:
    """Writes the run as netCDF with ArviZ, whole or not at all."""
    if result.draws.shape[1] == 0:
        raise StoreError(f"{path}: there is nothing to write, since no chain has a draw yet")
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        to_arviz(result, modes, False).to_netcdf(str(beside))
        os.replace(beside, path)
    except OSError as error:
        raise StoreError(f"{path}: {error}") from error
    finally:
        beside.unlink(missing_ok=True)


def _attributes(result: Result) -> dict[str, Any]:
    """Where the draws came from, as in the netCDF files."""
    attributes = {
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "inference_library": "kameleon",
        "inference_library_version": __version__,
        "target": result._posterior["target"],
        "sampler": result.sampler,
        "settings": result.settings,
        "seed": result.seed,
        "tuning_steps": result.warmup,
        "thin": result._posterior["thin"],
    }
    seconds = result._posterior["seconds"]
    return attributes if seconds is None else {**attributes, "sampling_time": seconds}


def _periods(result: Result) -> dict[str, dict[str, list[float]]]:
    """Between which ends the elements of a variable are periodic, as in the netCDF files."""
    periods = result._posterior["periods"]
    if all(period is None for period in periods):
        return {}  # As in a model of PyMC, whose variables need not be the parameters of the chains.
    ends = [(np.nan, np.nan) if period is None else period for period in periods]
    found, first = {}, 0
    for name, shape in result.variables.items():
        size = int(np.prod(shape))
        lower, upper = zip(*ends[first : first + size], strict=True)
        if not np.isnan(lower).all():
            found[name] = {"period_lower": list(lower), "period_upper": list(upper)}
        first += size
    return found


def _observed(model: Any) -> dict[str, Any]:
    """The data of a PyMC model, where they are plain arrays."""
    values = {variable.name: model.rvs_to_values[variable] for variable in model.observed_RVs}
    return {name: np.asarray(value.data) for name, value in values.items() if hasattr(value, "data")}


def _add_log_likelihood(data: Any, model: Any) -> None:
    """The log likelihood of each observation at each draw, which only a PyMC model knows."""
    if model is None:
        what = "is known for PyMC models only: a log density does not tell single observations apart"
        raise SettingsError("log_likelihood", what)
    import pymc

    pymc.compute_log_likelihood(data, model=model, progressbar=False)
