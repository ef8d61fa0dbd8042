"""Chains on other processes and machines, by anything with the interface of ``concurrent.futures.Executor``.

Every chain is a task of its own. Its draws follow from the seed and its number, so they are the same wherever it runs,
and a chain whose worker was lost is run again with the same result.
"""

from __future__ import annotations

import json
import pickle
import time
import traceback
import warnings
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import Any

from . import problem
from .errors import KameleonError, KameleonWarning, SettingsError
from .problem import Problem
from .progress import Progress, watcher
from .result import Result, combine, conclude, in_users_units
from .samplers import Sampler

ATTEMPTS = 3
"""How often a chain is given to the executor before its loss is an error."""

Piece = dict[str, Any]
Task = tuple[Any, list[str], dict[str, Any], str, Sampler]


def run_chain(task: Task) -> Piece:
    """Runs one chain on a worker. What the log density does wrong is part of the answer, not an exception."""
    from .sampling import _start

    log_density, names, options, settings, sampler = task
    what = problem.make(log_density, names, **options)
    ran = _start(what, json.loads(settings), sampler, None, None)
    fault = ran.fault
    if fault is not None:
        # A traceback does not travel; its text does.
        fault.add_note("on the worker:\n" + "".join(traceback.format_exception(fault)))
        try:
            pickle.loads(pickle.dumps(fault))
        except Exception:
            fault = RuntimeError("".join(traceback.format_exception(fault)))
    posterior = in_users_units(ran.posterior, what.back)
    return {"posterior": posterior, "ending": ran.ending, "reason": ran.reason, "fault": fault}


def run_on(
    executor: Executor | Any,
    arguments: tuple[Any, list[str], dict[str, Any]],
    what: Problem,
    settings: dict[str, Any],
    sampler: Sampler,
    progress: Progress,
) -> Result:
    """Runs every chain as a task of the executor, and puts the draws together."""
    tasks = [_task(arguments, settings, sampler, chain) for chain in range(settings["run"]["chains"])]
    _check(executor, tasks[0])
    with watcher(progress, settings["run"]) as watch:
        answers = _gather(executor, tasks, watch)
    pieces = [piece for piece in answers if piece is not None]
    if not pieces:
        raise KeyboardInterrupt("stopped before any chain had come back")
    interrupted = len(pieces) < len(tasks)
    failed = next((piece for piece in pieces if piece["ending"] == "failed"), None)
    ending = "failed" if failed else "stopped" if interrupted else "complete"
    reason = failed["reason"] if failed else pieces[0]["reason"]
    posterior = combine([piece["posterior"] for piece in pieces])
    if interrupted:
        posterior["warnings"].append(f"the run was stopped: {len(pieces)} of {len(tasks)} chains had come back")
    result = Result(posterior, ending=ending, reason=reason, dims=what.dims, coords=what.coords)
    return conclude(result, ending, reason, failed["fault"] if failed else None)


def _task(arguments: Any, settings: dict[str, Any], sampler: Sampler, chain: int) -> Task:
    alone = {**settings, "run": {**settings["run"], "chain": chain, "threads": 1}}
    return (*arguments, json.dumps(alone), sampler)


def _check(executor: Any, task: Task) -> None:
    """A process pool says little about what it cannot send; say it before anything runs."""
    if not isinstance(executor, ProcessPoolExecutor):
        return
    try:
        pickle.dumps(task)
    except Exception as error:
        what = f"cannot be sent to another process ({error}); define it at the top of a module, or use an executor "
        raise SettingsError("log_density", what + "that pickles by value, such as dask's") from error


def _gather(executor: Any, tasks: Sequence[Task], watch: Any) -> list[Piece | None]:
    """What came of each task; None for those that Ctrl-C left without an answer."""
    futures = [_submit(executor, task) for task in tasks]
    pieces: list[Piece | None] = [None] * len(tasks)
    try:
        for chain, task in enumerate(tasks):
            pieces[chain] = _answer(executor, futures[chain], task, chain, watch, pieces)
    except KeyboardInterrupt:
        for future in futures:
            if future is not None:
                future.cancel()
    return pieces


def _submit(executor: Any, task: Task) -> Any:
    """The future of a task; None if the executor takes no more."""
    try:
        return executor.submit(run_chain, task)
    except (BrokenExecutor, RuntimeError):
        return None


def _answer(
    executor: Any, future: Future[Piece] | Any, task: Task, chain: int, watch: Any, pieces: Sequence[Piece | None]
) -> Piece:
    """Waits for a chain; one whose worker was lost is run again, in the end here."""
    error: BaseException | None = None
    for _ in range(ATTEMPTS):
        if future is None:
            break
        try:
            return _wait(future, watch, pieces)
        except KameleonError:
            raise
        except Exception as lost:
            error = lost
        future = _submit(executor, task)
    why = f": {type(error).__name__}: {error}" if error is not None else ""
    text = f"chain {chain} was lost by the executor{why}; it is run again in this process, with the same result"
    warnings.warn(text, KameleonWarning, stacklevel=6)
    return run_chain(task)


def _wait(future: Any, watch: Any, pieces: Sequence[Piece | None]) -> Piece:
    """The answer of a task, looking up now and then to show progress and to hear Ctrl-C."""
    while True:
        if watch is not None:
            watch(_states(pieces))
        try:
            return future.result(timeout=0.2)  # type: ignore[no-any-return]
        except (NotYet, TimeoutError):
            if future.done():
                return future.result()  # type: ignore[no-any-return]
            time.sleep(0.01)


def _states(pieces: Sequence[Piece | None]) -> list[tuple[int, float, float]]:
    """Iterations of the chains that have come back; of the others nothing is known."""

    def state(piece: Piece | None) -> tuple[int, float, float]:
        if piece is None:
            return (0, 0.0, 0.0)
        statistics = json.loads(piece["posterior"]["chains"][0]["statistics"])
        return (statistics["evaluations"] - 1, 0.0, 0.0)

    return [state(piece) for piece in pieces]
