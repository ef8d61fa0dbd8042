"""Conversion of a result for ArviZ, before and after version 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .result import Result


def to_arviz(result: Result, modes: bool) -> Any:
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
    attributes = {"sampler": result.sampler, "seed": result.seed, "settings": result.settings}
    labels: dict[str, Any] = {"dims": result.dims or None, "coords": result.coords or None}
    if int(arviz.__version__.split(".")[0]) >= 1:
        return arviz.from_dict(groups, attrs={"/": attributes}, **labels)
    save_warmup = "warmup_posterior" in groups
    return arviz.from_dict(**groups, attrs=attributes, save_warmup=save_warmup, **labels)
