"""The packages that give the evidence under a prior in a box, each with its default settings.

Who takes many points at once gets them in one call of NumPy. All stop by their own rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from targets import Array, Density


@dataclass
class Found:
    """A weighted sample, ln Z, and the standard error that the package claims for it."""

    points: Array
    weights: Array
    log_z: float
    error: float


def dynesty(target: Density, seed: int, sample: str = "auto") -> Found:
    import dynesty

    sampler = dynesty.NestedSampler(
        target.log_density,
        target.from_cube,
        target.dim,
        sample=sample,
        rstate=np.random.default_rng(seed),
    )
    sampler.run_nested(print_progress=False)
    found = sampler.results
    return Found(found.samples, found.importance_weights(), float(found.logz[-1]), float(found.logzerr[-1]))


def dynesty_walks(target: Density, seed: int) -> Found:
    # Uniform draws, its choice below ten dimensions, are accepted once in thirty times and ever more rarely on thin
    # bent shapes; random walks, its choice from ten on, get there.
    return dynesty(target, seed, "rwalk")


def ultranest(target: Density, seed: int) -> Found:
    import ultranest

    # It has no seed of its own; NumPy's does not determine all of its draws.
    np.random.seed(seed)
    names = [f"x{i}" for i in range(target.dim)]
    sampler = ultranest.ReactiveNestedSampler(names, target.log_densities, target.from_cube, vectorized=True)
    found = sampler.run(show_status=False, viz_callback=False)
    sample = found["weighted_samples"]
    return Found(sample["points"], sample["weights"], float(found["logz"]), float(found["logzerr"]))


def nautilus(target: Density, seed: int) -> Found:
    import nautilus

    sampler = nautilus.Sampler(
        target.from_cube,
        target.log_densities,
        n_dim=target.dim,
        vectorized=True,
        seed=seed,
        pass_dict=False,
    )
    sampler.run(verbose=False)
    points, log_weights, _ = sampler.posterior()
    # It claims no error of ln Z: that of n_eff independent draws stands for one.
    return Found(points, np.exp(log_weights - log_weights.max()), sampler.log_z, sampler.n_eff**-0.5)


def pocomc(target: Density, seed: int) -> Found:
    import pocomc
    from scipy.stats import uniform

    prior = pocomc.Prior([uniform(low, high - low) for low, high in target.box.T])
    sampler = pocomc.Sampler(prior, target.log_densities, vectorize=True, random_state=seed)
    sampler.run(progress=False)
    points, weights, _, _ = sampler.posterior()
    log_z, error = sampler.evidence()
    return Found(points, weights, float(log_z), float(error))


def kameleon(target: Density, seed: int) -> Found:
    import kameleon as km

    sides = {f"x{i}": f"uniform({low!r}, {high!r})" for i, (low, high) in enumerate(target.box.T.tolist())}
    result = km.sample(
        target.log_densities,
        parameters=list(sides),
        priors=sides,
        warmup="population",
        vectorized=True,
        seed=seed,
        progress=False,
    )
    points, log_weights = result.weighted_draws()
    return Found(points, np.exp(log_weights - log_weights.max()), result.log_evidence, result.log_evidence_error)


@dataclass(frozen=True)
class Package:
    """A row of the table for each problem."""

    name: str
    module: str
    distribution: str
    run: Callable[[Density, int], Found]
    problems: tuple[str, ...] = ()
    """Those that it is for, if not all."""


PACKAGES = [
    Package("kameleon", "kameleon", "kameleon", kameleon),
    Package("dynesty", "dynesty", "dynesty", dynesty),
    Package(
        "dynesty, rwalk",
        "dynesty",
        "dynesty",
        dynesty_walks,
        ("8 modes, d 5", "B(0.1), d 8", "B(0.03), d 8", "flower, d 8"),
    ),
    Package("UltraNest", "ultranest", "ultranest", ultranest),
    Package("pocoMC", "pocomc", "pocomc", pocomc),
    Package("nautilus", "nautilus", "nautilus-sampler", nautilus),
]
