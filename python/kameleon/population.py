"""Populations: how large one is, what it found, and the modes of a posterior."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Mode", "Population", "PopulationSummary"]


@dataclass(frozen=True, kw_only=True)
class Population:
    """How large the population of ``warmup="population"`` is, and what it may spend; None leaves it to the library.

    >>> import kameleon as km
    >>> km.Population(particles=2000, looks=0)
    Population(particles=2000, looks=0)
    """

    particles: int | None = None
    """The number of particles of a full ladder: 1000, or 60 for each parameter if that is more; fewer if the budget is
    small. A number that is given is never changed."""
    ladders: int | None = None
    """The most full ladders: another one follows where the first leaves doubts."""
    looks: int | None = None
    """The number of short looks that come first; 0 begins with the full ladder."""
    ladder_when_unsure: bool | None = None
    """Whether a full ladder follows looks that show one mode but no good density. By default it does not: chains start
    from the points of the looks and learn by themselves."""
    moves: Literal["usual", "kernel"] | None = None
    """By what moves particles go on; "kernel" is kernel adaptive SMC."""
    check: int | None = None
    """The number of fresh draws that a frozen density is tested on."""
    max_evaluations: int | None = None
    """The most evaluations of the population, at least 2000."""

    def __repr__(self) -> str:
        given = ((each.name, getattr(self, each.name)) for each in fields(self))
        return f"Population({', '.join(f'{name}={value!r}' for name, value in given if value is not None)})"

    def _settings(self) -> dict[str, Any]:
        """The section ``population`` of a run's settings."""
        given = {each.name.replace("_", "-"): getattr(self, each.name) for each in fields(self)}
        return {key: value for key, value in given.items() if value is not None}


@dataclass(frozen=True)
class Mode:
    """A mode of the posterior."""

    where: dict[str, float | NDArray[np.float64]]
    """Its mean, by parameter; its top where no draw is in it."""
    weight: float
    """Its share of the posterior."""
    error: float
    """The standard error of that."""
    log_evidence: float
    """The logarithm of its part of the evidence."""
    chains: list[int]
    """The chains that visited it."""

    def __str__(self) -> str:
        with np.printoptions(precision=4, suppress=True, threshold=8):
            where = ", ".join(
                f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
                for name, value in self.where.items()
            )
        return f"{self.weight:.4f} ± {self.error:.4f}  log evidence {self.log_evidence:.3f}  at {where}"


@dataclass(frozen=True)
class PopulationSummary:
    """What the population before the chains did and found."""

    particles: int
    """The number of particles of its last ladder, or of its short looks."""
    evaluations: int
    """The number of evaluations, which count in those of the run."""
    batches: int
    """The number of batches, one after another, that they were made in."""
    progress: str | None
    """What it was doing, if it was stopped."""
    only_looks: bool
    """Whether it was short looks only: a narrow mode may be missing, and ``Population(looks=0)`` searches harder."""
    noisy: bool
    """Whether the likelihood is noisy: then the noise looks like modes too, and none are listed."""
    frozen: bool
    """Whether the chains had its density from the beginning."""
    ladder_log_z: float
    """The log evidence by its full ladders; NaN where there were short looks only, whose log evidence says little."""
    log_z: float
    """The log evidence by fresh draws from its density."""
    doubts: list[str]
    """What is known against it."""
    remarks: list[str]
    """What is worth knowing, and says nothing against it."""
    unfinished: bool
    """Whether one of the doubts says that its search did not come to its end: then neither draws nor evidence are
    believed."""
    caution: str | None
    """Where one mode was found: how narrow another may be that was missed."""


def read(
    found: dict[str, Any] | None, variables: Mapping[str, tuple[int, ...]]
) -> tuple[PopulationSummary | None, list[Mode]]:
    """The summary of a population, if there was one, and its modes."""
    if found is None:
        return None, []
    known = {each.name: nan if found[each.name] is None else found[each.name] for each in fields(PopulationSummary)}
    modes = [_mode(mode, variables) for mode in found["modes"]]
    return PopulationSummary(**{**known, "progress": found["progress"], "caution": found["caution"]}), modes


def _mode(found: dict[str, Any], variables: Mapping[str, tuple[int, ...]]) -> Mode:
    where: dict[str, float | NDArray[np.float64]] = {}
    at, values = 0, np.asarray(found["where"], dtype=float)
    for name, shape in variables.items():
        size = int(np.prod(shape, dtype=int))
        where[name] = values[at : at + size].reshape(shape) if shape else float(values[at])
        at += size
    error, log_evidence = (nan if found[key] is None else found[key] for key in ("error", "log_evidence"))
    return Mode(where, found["weight"], error, log_evidence, found["chains"])
