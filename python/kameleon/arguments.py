"""What the arguments of ``km.sample`` say about parameters, priors, starts and warm-up, as settings of a run."""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from . import parameters
from . import priors as all_priors
from ._prior import Joint, PythonPrior
from ._sampler import Sampler
from .errors import SettingsError
from .parameters import Shape, Table
from .population import Population
from .problem import WITH_PRIOR, Problem, Recipe, under
from .samplers import Kameleon

WARMUPS = ("auto", "chains", "population")


def sampler(given: Sampler | None) -> Sampler:
    """The sampler given, or the default."""
    chosen = Kameleon() if given is None else given
    if not isinstance(chosen, Sampler):
        raise SettingsError("sampler", f"must be a sampler such as km.Kameleon(), not {chosen!r}")
    return chosen


def settings(
    chosen: Sampler,
    what: Problem,
    table: Table,
    starts: list[list[float]] | None,
    plan: dict[str, Any],
    output: dict[str, Any],
) -> dict[str, Any]:
    """The settings of a run."""
    return {
        "start": starts,
        "sampler": json.loads(chosen._json),
        "model": what.model,
        "parameters": table if any(table.values()) else list(table),
        "run": plan,
        "output": output,
    }


def warmup(given: Any) -> int | str:
    """A number of iterations, or a word."""
    if given is None:
        return "auto"
    if isinstance(given, str) and given in WARMUPS:
        return given
    try:
        iterations = -1 if isinstance(given, bool | np.bool_) else operator.index(given)
    except TypeError:
        iterations = -1
    if iterations >= 0:
        return iterations
    words = '"chains", "population" or "auto"'
    raise SettingsError("warmup", f"must be a number of iterations, {words}, not {given!r}")


def pool(given: Any) -> bool:
    """Whether chains learn together; for other packages a pool is one of workers."""
    if isinstance(given, bool | np.bool_):
        return bool(given)
    why = f"must be True or False, not {given!r}"
    if callable(getattr(given, "map", None)) or callable(getattr(given, "submit", None)):
        why += ": it says whether chains learn together. Workers are given by `executor` of km.sample and km.resume"
    raise SettingsError("pool", why)


def population(given: Any) -> dict[str, Any]:
    """The section ``population``."""
    if given is None:
        return {}
    if not isinstance(given, Population):
        raise SettingsError("population", f"must be a km.Population(...), not {given!r}")
    return given._settings()


def names(given: Sequence[str] | Mapping[str, Shape] | None, start: Any) -> list[str]:
    """The names given by the user, with the parameters or with their starts."""
    if given is None and isinstance(start, Mapping):
        return parameters.names_of(parameters.shapes_of(start))
    return parameters.names_of(given)


def settle(
    what: Problem, start: Any, bounds: Any, priors: Any, joint: Joint | None
) -> tuple[Table, PythonPrior | None]:
    """The section ``parameters``, and the prior that only Python can evaluate."""
    if what.back is not None and (bounds is not None or priors is not None):
        raise SettingsError("bounds" if bounds is not None else "priors", "belong in the PyMC model")
    known = what.names or parameters.numbered(_count(start, bounds, priors, joint))
    if not known:
        if isinstance(bounds, Mapping) or isinstance(priors, Mapping):
            raise SettingsError("parameters", "bounds and priors need the names of the parameters")
        return {}, None
    table = parameters.within(known, bounds)
    if joint is not None and bounds is not None and isinstance(joint.function, all_priors.Multivariate):
        why = "cannot cut a distribution of several variables; a function as prior may be normalised within them"
        raise SettingsError("bounds", why)
    if joint is not None:
        return table, PythonPrior(len(known), {}, joint)
    return table, all_priors.settle(known, table, priors)


def _count(start: Any, bounds: Any, priors: Any, joint: Joint | None) -> int:
    """The number of parameters without names, as far as starts, lists or draws tell it; else 0."""
    points = None if isinstance(start, Mapping) else parameters.starts_of(start, [])
    if points:
        return len(points[0])
    if isinstance(priors, Sequence) and not isinstance(priors, str):
        return len(priors)
    if bounds is not None and not isinstance(bounds, Mapping):
        return parameters.count_of(bounds)
    if joint is not None and joint.draws is not None:
        return int(joint.draw(np.random.default_rng(0), 1).shape[1])
    return 0


def starts(start: Any, what: Problem, table: Table) -> list[list[float]] | None:
    """Given starts, or those of the model."""
    given = parameters.starts_of(start, list(table))
    if given is None and not table and what.native is not None and what.native.dim is None:
        raise SettingsError("start", "give a start or the parameters, since a function does not tell its dimension")
    return what.start if given is None else given


def draw_starts(prior: PythonPrior, table: Table, seed: int, chains: int) -> None:
    """Puts starts into the table for those parameters that have a prior next to others that have none."""
    if prior.is_proper or prior.joint is not None:
        return
    draws, names = prior.draw(seed, chains), list(table)
    for k in prior.marginals:
        if np.isfinite(draws[:, k]).all():
            table[names[k]]["start"] = [float(x) for x in draws[:, k]]


def check_slope(prior: PythonPrior, chosen: Sampler) -> None:
    """Raises an error if the sampler needs the slope of a prior that Python evaluates."""
    if chosen._needs_gradient:
        why = f"{chosen.name} needs the gradient, and the slope of a prior that Python evaluates is not known"
        what = "choose built-in priors, or add the log prior and its slope to log_density and gradient"
        raise SettingsError("priors", f"{why} ({prior.about}): {what}")


def check_population(prior: PythonPrior | None, table: Table) -> None:
    """Says what a population lacks in a prior that is not proper."""
    if prior is None or prior.is_proper:
        return
    if prior.joint is not None:
        what = 'is needed for warmup="population": a prior that is only a function cannot be drawn from'
        raise SettingsError("prior_draws", what)
    has_prior = [k in prior.marginals or "prior" in entry for k, entry in enumerate(table.values())]
    if all(has_prior):
        what = 'warmup="population" draws from the prior, and a function is none that can be drawn from'
        raise SettingsError("priors", what)
    name = list(table)[has_prior.index(False)]
    raise SettingsError("priors", f'warmup="population" needs a prior of every parameter: {name} has none')


def again(recipe: Recipe, settings: dict[str, Any], priors: Any, joint: Joint | None) -> Recipe:
    """The recipe of a run that is resumed, under the prior that only Python can evaluate."""
    model = settings["model"]
    about = model.get("external-prior") or str(model.get("external") or "").partition(WITH_PRIOR)[2]
    if bool(about) != (priors is not None):
        what = (
            f"must be given again: the run has the prior {about}" if about else "are kept in the folder: leave them out"
        )
        raise SettingsError("priors", what)
    if not about:
        return recipe
    table = {name: {key: entry.get(key) for key in ("lower", "upper")} for name, entry in _tables(settings).items()}
    prior = PythonPrior(len(table), {}, joint) if joint else all_priors.settle(list(table), table, priors)
    if prior is None or prior.about != about:
        raise SettingsError("priors", f"are not those of the run, which has the prior {about}")
    if "external-prior" in model and not prior.is_proper:
        raise SettingsError("prior_draws", "must be given again: the run draws from its prior")
    return partial(under, recipe, prior)


def _tables(settings: dict[str, Any]) -> Table:
    """What the settings of a run say of each parameter."""
    given = settings["parameters"]
    return given if isinstance(given, dict) else {name: {} for name in given}
