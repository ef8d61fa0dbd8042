"""``km.sample``, ``km.resume`` and ``km.load``."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, Literal

from numpy.typing import ArrayLike

from . import _kameleon, arguments, problem
from ._prior import Draws
from ._sampler import Sampler, plain
from .errors import SettingsError
from .executors import Load, Sender
from .function import Gradient, How, OnError
from .parameters import Bounds, Shape
from .population import Population
from .priors import Priors, joint_of
from .problem import Problem
from .progress import Progress, watcher
from .result import Result, finish


def sample(
    log_density: Any,
    start: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    sampler: Sampler | None = None,
    draws: int | None = None,
    warmup: int | Literal["auto", "chains", "population"] | None = None,
    max_warmup: int | None = None,
    population: Population | None = None,
    chains: int = 4,
    thin: int = 1,
    seed: int | None = None,
    parameters: Sequence[str] | Mapping[str, Shape] | None = None,
    bounds: Bounds | Mapping[str, Bounds] | Sequence[Bounds | None] | None = None,
    priors: Priors = None,
    prior_draws: Draws = None,
    noisy: bool = False,
    normals: int = 0,
    correlated: float = 0.0,
    vectorized: bool = False,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    on_error: OnError = "stop",
    gradient: Gradient = None,
    pool: bool = True,
    until: str | None = None,
    max_draws: int | None = None,
    max_evaluations: int | None = None,
    max_minutes: float | None = None,
    check: Literal["auto", "free", "full", "off"] = "auto",
    threads: int | None = None,
    executor: Executor | Any | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    keep_warmup: bool = False,
    keep_jumps: bool = True,
    progress: Progress = None,
) -> Result:
    """Draw samples from a distribution given by its log density.

    Args:
        log_density: a function of a vector (see ``vectorized``), a numba ``cfunc``, a ctypes function, a target of
            ``km.targets``, a PyMC model, the address of a UM-Bridge server, or an expression of the parameters.
        start: a point (of several chains the first begins there, the others near it), a point for each chain (if
            all are the same, that is one point), or a dictionary of arrays. By default chains start at draws from the
            priors, or from (−2, 2) in each coordinate.
        sampler: a sampler of ``km.samplers``; ``km.Kameleon()`` by default.
        draws: the number of draws kept from each chain; with ``max_evaluations`` all that the warm-up leaves.
        warmup: how the sampler learns: in a number of iterations, "chains" (until the chains have learned), or
            "population" (a population from the prior finds the modes, and chains go on from there). "auto", the
            default, is "population" where every parameter has a proper prior, no start is given, and
            ``max_evaluations``, if given, is at least 20,000; else "chains" where the sampler can tell.
        max_warmup: the most iterations of a warm-up that ends when the chains have learned.
        population: how large a population is, and what it may spend.
        chains: the number of chains.
        thin: keep one draw in every ``thin`` iterations.
        seed: determines all random numbers, for any number of threads or machines. Random by default.
        parameters: names, or names with shapes such as ``{"mu": 3, "log_sigma": ()}``.
        bounds: pairs (lower, upper) by name, with None for no bound; ``km.Periodic(lower, upper)`` for an angle or a
            phase. Chains move in transformed coordinates; draws are in the original units.
        priors: added to the log density: by name or in a list, texts such as "normal(0, 1)" (``kameleon list`` shows
            all) or frozen distributions such as ``scipy.stats.norm(0, 1)``; or one function of all parameters that
            returns the log density of the prior, of rows if ``vectorized``.
        prior_draws: draws from a prior that is a function: an array with a row for each, or a function of a
            ``numpy.random.Generator`` and a number of draws that returns one. Chains start there. With them, the
            function is taken to be a proper prior, whose density is normalised.
        noisy: the log density is the logarithm of an unbiased estimate of the density. If the function takes a second
            argument, it is a seeded ``numpy.random.Generator``, or with ``normals`` an array of standard normals (with
            ``vectorized``, a list of generators, or a row of normals, for each row of points). A second argument that
            is called ``rng`` or ``generator`` says the same.
        normals: the number of standard normals that a noisy function takes.
        correlated: the correlation ρ of the normals of successive proposals (correlated pseudo-marginal chains).
        vectorized: the function takes an array with a row for each chain, and is called once for all chains.
        args, kwargs: data for the function, which is called as ``log_density(x, *args, **kwargs)``; noise comes right
            after ``x``.
        on_error: "stop" ends the run when the function raises an exception; "reject" rejects the point, and the
            result warns with the number of such points and the first message.
        gradient: the gradient of the log density, for samplers that drift along it (``km.PMALA``,
            ``km.KAMH(drift=True)``): a function of the same arguments, or True if ``log_density`` returns the pair
            (log density, gradient); of a vectorised function, a row for each point. Built-in targets, expressions
            and PyMC models have their own. It is checked by finite differences where the first chain starts.
        pool: whether chains learn together, if their sampler can. A pool of workers is an ``executor``.
        until: a stopping rule such as "ess=400,rhat=1.01"; the run ends at ``draws`` or ``max_draws`` at the latest.
        max_draws, max_evaluations, max_minutes: limits of the run.
        check: how the verdict compares the draws with the log density: "free" by the values stored with them, "full" by
            slopes that are measured after the run, "off" not at all. "auto", the default, is "free", and where that is
            silent it measures slopes for at most 5 % of the evaluations, within ``max_evaluations``.
        threads: the number of threads. A Python function is always called on one.
        executor: a ``concurrent.futures.Executor`` that runs the chains; the draws do not depend on it.
        checkpoint: a folder for the run, for ``km.resume``, ``km.load`` and the program ``kameleon``.
        keep_warmup: whether the draws of the warm-up are kept.
        keep_jumps: whether jump proposals are kept, from which the evidence and weighted draws come.
        progress: True, False, or a function that is called with the state of every chain. By default there is a bar in
            a terminal, a table in a notebook, and elsewhere a line on standard error once a minute.

    Ctrl-C ends the run and returns the draws so far.

    >>> import kameleon as km
    >>> def banana(x):
    ...     return -(x[0] ** 2) / 200 - (x[1] - 0.1 * (x[0] ** 2 - 100)) ** 2 / 2
    >>> result = km.sample(banana, [0.0, 0.0], draws=1000, warmup=3000, seed=42)
    >>> result.draws.shape
    (4, 1000, 2)
    """
    chosen = arguments.sampler(sampler)
    given = arguments.names(parameters, start)
    how = How(noisy, normals, vectorized, args, kwargs or {}, on_error, gradient)
    recipe = partial(problem.make, log_density, given, how)
    what = recipe()
    joint = joint_of(priors, prior_draws, vectorized)
    table, prior = arguments.settle(what, start, bounds, priors, joint)
    starts = arguments.starts(start, what, table)
    seed = secrets.randbits(32) if seed is None else seed
    if warmup == "population":
        arguments.check_population(prior, table)
    if prior is not None:
        arguments.check_slope(prior, chosen)
        recipe = partial(problem.under, recipe, prior)
        what = recipe()
        if starts is None:
            arguments.draw_starts(prior, table, seed, chains)
    plan = {
        "chains": chains,
        "warmup": arguments.warmup(warmup),
        "max-warmup": max_warmup,
        "draws": draws,
        "thin": thin,
        "seed": seed,
        "threads": threads,
        "correlation": correlated,
        "pool": arguments.pool(pool),
        "until": until,
        "max-draws": max_draws,
        "max-evaluations": max_evaluations,
        "max-minutes": max_minutes,
        "check": check,
    }
    keep = {"keep-warmup": keep_warmup, "keep-jumps": keep_jumps}
    settings = arguments.settings(chosen, what, table, starts, plan, keep)
    settings["population"] = arguments.population(population)
    if correlated and not (what.normals if what.native is None else what.native.normals):
        raise SettingsError(
            "correlated", "needs a log density that is a function of standard normals; set `normals` to their number"
        )
    sender = None if executor is None else Sender(executor, recipe)
    folder = None if checkpoint is None else Path(checkpoint)
    text = json.dumps(settings, default=plain)
    return _run(text, what, folder, (None, None, False), sender, watcher(progress, settings["run"], _load(sender)))


def resume(
    checkpoint: str | os.PathLike[str],
    log_density: Any = None,
    *,
    draws: int | None = None,
    max_minutes: float | None = None,
    priors: Priors = None,
    prior_draws: Draws = None,
    vectorized: bool = False,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    gradient: Gradient = None,
    executor: Executor | Any | None = None,
    trust: bool = False,
    progress: Progress = None,
) -> Result:
    """Resume the run in a folder, also one of the program ``kameleon``, exactly as if it had never stopped.

    Args:
        checkpoint: the folder.
        log_density: what was sampled. Not needed for built-in targets, expressions, programs, libraries and servers.
        draws: the new number of draws of each chain, to make the run longer.
        max_minutes: the most minutes from now on.
        priors, prior_draws: the priors of the run, where they are functions, or distributions of ``scipy.stats`` that
            are not the same as a built-in prior. Other priors are kept in the folder.
        vectorized, args, kwargs, gradient, executor, progress: as in ``km.sample``.
        trust: continue although ``log_density`` gives other values than the run has stored. The point where each
            chain is, is evaluated again; without ``trust`` another value is a ``km.StoreError``.

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
    model = settings["model"]
    if log_density is None:
        if model.get("external"):
            raise SettingsError("log_density", f"pass the function again: this is a run of {model['external']}")
        recipe = partial(problem.opened, text)
    else:
        noise = model.get("noisy") or False
        normals = noise["normals"] if isinstance(noise, dict) and model.get("external") else 0
        takes = normals if callable(log_density) else 0
        how = How(bool(noise), takes, vectorized, args, kwargs or {}, model.get("on-error") or "stop", gradient)
        recipe = partial(problem.make, log_density, list(settings["parameters"]), how)
    whole = arguments.again(recipe, settings, priors, joint_of(priors, prior_draws, vectorized))
    sender = None if executor is None else Sender(executor, whole)
    plan = {**settings["run"], **({"draws": draws} if draws else {})}
    return _run(None, whole(), folder, (draws, max_minutes, trust), sender, watcher(progress, plan, _load(sender)))


def _load(sender: Sender | None) -> Load | None:
    return None if sender is None else sender.load


def _run(
    settings: str | None,
    what: Problem,
    folder: Path | None,
    changes: tuple[int | None, float | None, bool],
    sender: Sender | None,
    watched: AbstractContextManager[Any],
) -> Result:
    """Starts a run with these settings, or resumes the one in the folder with these changes."""
    what = problem.by_rows(what)
    assert what.native is not None
    with watched as watch:
        if sender is not None:
            sender.folder, sender.clear = folder, getattr(watch, "close", None)
        how: dict[str, Any] = {"folder": folder, "resume": changes, "prior": what.prior, "watcher": watch}
        ran = _kameleon.run(settings, what.native, attached=what.attached, sender=sender, **how)
    return finish(ran, what, sender)


def load(checkpoint: str | os.PathLike[str]) -> Result:
    """Load the run in a folder, also while it is running, and also one of the program ``kameleon``.

    >>> import tempfile
    >>> import kameleon as km
    >>> folder = tempfile.mkdtemp() + "/run"
    >>> result = km.sample(km.targets.Banana(2, b=0.01), draws=500, warmup=5000, seed=1, checkpoint=folder)
    >>> bool((km.load(folder).draws == result.draws).all())
    True
    """
    posterior, ending, reason = _kameleon.load(Path(checkpoint))
    return Result(posterior, ending=ending, reason=reason)
