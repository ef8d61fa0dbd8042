"""``km.sample``, ``km.resume`` and ``km.load``."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from . import _kameleon, parameters, problem
from ._sampler import Sampler, plain
from .errors import SettingsError
from .executors import Recipe, Sender
from .parameters import Bounds, Shape
from .problem import Problem
from .progress import Progress, watcher
from .result import Result, finish
from .samplers import Kameleon

DEFAULT_SAMPLER = Kameleon
"""What runs if the user does not choose."""


def sample(
    log_density: Any,
    start: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    sampler: Sampler | None = None,
    draws: int | None = None,
    warmup: int | None = None,
    chains: int = 4,
    thin: int = 1,
    seed: int | None = None,
    parameters: Sequence[str] | Mapping[str, Shape] | None = None,
    bounds: Mapping[str, Bounds] | Sequence[Bounds | None] | None = None,
    priors: Mapping[str, str] | Sequence[str | None] | None = None,
    noisy: bool = False,
    normals: int = 0,
    correlated: float = 0.0,
    vectorized: bool = False,
    pool: bool = True,
    until: str | None = None,
    max_draws: int | None = None,
    max_evaluations: int | None = None,
    max_minutes: float | None = None,
    threads: int | None = None,
    executor: Executor | Any | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    keep_warmup: bool = False,
    progress: Progress = None,
) -> Result:
    """Samples a log density.

    Args:
        log_density: a function of a vector; with ``vectorized=True`` of an array with a row for each chain; a numba
            ``cfunc`` or a ctypes function; a target of ``km.targets``; a PyMC model; the address of a UM-Bridge server;
            an expression of the parameters as text.
        start: where chains start: a point, a point for each chain, or a dictionary of arrays. By default a draw from
            the prior, or from (−2, 2) in each coordinate.
        sampler: one of ``km.samplers``.
        draws, warmup, chains, thin: draws kept from each chain, iterations of warm-up before, how many chains, and one
            draw of how many iterations is kept.
        seed: everything random follows from it, whatever the number of threads or machines. Drawn if none is given.
        parameters: names, or names with shapes such as ``{"mu": 3, "log_sigma": ()}``.
        bounds: for names, pairs (lower, upper) with None for no bound. Chains move on the whole line.
        priors: for names, texts such as "normal(0, 1)", added to the log density; ``kameleon list`` shows all priors.
        noisy: the log density is the logarithm of an unbiased estimate of the density. A function that takes a second
            argument is noisy; it gets a seeded ``numpy.random.Generator``, or so many standard ``normals``.
        correlated: ρ of a correlated pseudo-marginal chain, which moves the ``normals`` a little at a time.
        vectorized: the function takes an array with a row for each chain, and is called once for all of them.
        pool: whether the chains of a sampler that can learn together do so.
        until: stop when this is reached, such as "ess=400,rhat=1.01"; draws, or max_draws, are then the most.
        max_draws, max_evaluations, max_minutes: limits.
        threads: how many threads; a Python function always gets one, since the interpreter has no more.
        executor: any ``concurrent.futures.Executor``: chains are run there, piece by piece; the draws are the same as
            without it.
        checkpoint: a folder in which the run is kept, to be resumed by ``km.resume`` or looked at by the program.
        keep_warmup: keep the draws of the warm-up too.
        progress: True, False, or a function that is called with the state of every chain.

    Ctrl-C ends the run and returns what was drawn so far.

    >>> import kameleon as km
    >>> def banana(x):
    ...     return -(x[0] ** 2) / 200 - (x[1] - 0.1 * (x[0] ** 2 - 100)) ** 2 / 2
    >>> result = km.sample(banana, [0.0, 0.0], draws=1000, warmup=3000, seed=42)
    >>> result.draws.shape
    (4, 1000, 2)
    """
    chosen = sampler if sampler is not None else DEFAULT_SAMPLER()
    if not isinstance(chosen, Sampler):
        raise SettingsError("sampler", f"must be one of km.samplers, such as km.Kameleon(), not {chosen!r}")
    given = _names(parameters, start)
    recipe = partial(problem.make, log_density, given, noisy=noisy, normals=normals, vectorized=vectorized)
    what = recipe()
    settings: dict[str, Any] = {
        "start": _starts(start, what),
        "model": what.model,
        "parameters": _parameters(what, bounds, priors),
        "run": {
            "chains": chains,
            "warmup": warmup,
            "draws": draws,
            "thin": thin,
            "seed": secrets.randbits(32) if seed is None else seed,
            "threads": threads,
            "correlation": correlated,
            "pool": pool,
            "until": until,
            "max-draws": max_draws,
            "max-evaluations": max_evaluations,
            "max-minutes": max_minutes,
        },
        "output": {"keep-warmup": keep_warmup},
    }
    if correlated and not _has_normals(what):
        raise SettingsError("correlated", "needs a log density that is a function of normals; how many says `normals`")
    sender, what = _sender(executor, recipe, what)
    folder = None if checkpoint is None else Path(checkpoint)
    text = json.dumps(settings, default=plain)
    with watcher(progress, settings["run"]) as watch:
        if what.native is not None:
            ran = _kameleon.start(
                text,
                chosen._json,
                what.native,
                folder=folder,
                attached=what.attached,
                watcher=watch,
                sender=sender,
            )
        else:
            ran = _kameleon.run_in_step(
                text,
                chosen._json,
                what.function,
                folder=folder,
                draws=None,
                seeded=what.seeded,
                normals=what.normals,
                watcher=watch,
            )
    return finish(ran, what, sender)


def resume(
    checkpoint: str | os.PathLike[str],
    log_density: Any = None,
    *,
    draws: int | None = None,
    vectorized: bool = False,
    executor: Executor | Any | None = None,
    progress: Progress = None,
) -> Result:
    """Goes on with the run in a folder, exactly as if it had never stopped; also with one of the program ``kameleon``.

    ``log_density`` is what was sampled; it can be left out for what the folder knows itself: built-in targets,
    expressions, programs, libraries and servers. ``draws`` makes the run longer; ``executor`` is that of ``km.sample``.

    >>> import tempfile
    >>> import kameleon as km
    >>> folder = tempfile.mkdtemp() + "/run"
    >>> target = km.targets.Banana(2, b=0.01)
    >>> half = km.sample(target, draws=500, warmup=5000, seed=1, checkpoint=folder)
    >>> whole = km.resume(folder, draws=1000)
    >>> bool((whole.draws == km.sample(target, draws=1000, warmup=5000, seed=1).draws).all())
    True
    """
    folder = Path(checkpoint)
    text = _kameleon.settings_of(folder)
    settings = json.loads(text)
    if log_density is None:
        recipe = partial(problem.opened, text)
    else:
        names = list(settings["parameters"])
        noise = settings["model"].get("noisy") or False
        normals = noise["normals"] if isinstance(noise, dict) and settings["model"].get("external") else 0
        takes = normals if callable(log_density) else 0
        recipe = partial(problem.make, log_density, names, noisy=bool(noise), normals=takes, vectorized=vectorized)
    sender, what = _sender(executor, recipe, recipe())
    with watcher(progress, {**settings["run"], **({"draws": draws} if draws else {})}) as watch:
        if what.native is not None:
            ran = _kameleon.resume(
                folder, what.native, draws=draws, attached=what.attached, watcher=watch, sender=sender
            )
        else:
            ran = _kameleon.run_in_step(
                None,
                "",
                what.function,
                folder=folder,
                draws=draws,
                seeded=what.seeded,
                normals=what.normals,
                watcher=watch,
            )
    return finish(ran, what, sender)


def _sender(executor: Any, recipe: Recipe, what: Problem) -> tuple[Sender | None, Problem]:
    """The way to an executor, if there is one, and the problem as it is run there."""
    if executor is None:
        return None, what
    return Sender(executor, recipe), problem.by_rows(what)


def load(checkpoint: str | os.PathLike[str]) -> Result:
    """What is in the folder of a run, also while it goes on, and also if the program ``kameleon`` made it.

    >>> import tempfile
    >>> import kameleon as km
    >>> folder = tempfile.mkdtemp() + "/run"
    >>> result = km.sample(km.targets.Banana(2, b=0.01), draws=500, warmup=5000, seed=1, checkpoint=folder)
    >>> bool((km.load(folder).draws == result.draws).all())
    True
    """
    return Result(_kameleon.load(Path(checkpoint)))


def _names(given: Sequence[str] | Mapping[str, Shape] | None, start: Any) -> list[str]:
    """The names that the user gave, with the parameters or with their starts."""
    if given is None and isinstance(start, Mapping):
        return parameters.names_of(parameters.shapes_of(start))
    return parameters.names_of(given)


def _parameters(what: Problem, bounds: Any, priors: Any) -> list[str] | dict[str, Any]:
    if what.back is not None and (bounds is not None or priors is not None):
        raise SettingsError("bounds" if bounds is not None else "priors", "belong into the PyMC model")
    return parameters.settings_of(what.names, bounds, priors)


def _starts(start: Any, what: Problem) -> list[list[float]] | None:
    given = parameters.starts_of(start, what.names)
    if given is None and not what.names and what.native is not None and what.native.dim is None:
        raise SettingsError("start", "is needed, or the names of the parameters: a function has no dimension")
    return what.start if given is None else given


def _has_normals(what: Problem) -> bool:
    return what.native.normals > 0 if what.native is not None else what.normals > 0
