"""Chains on other processes and machines, through any executor with the interface of ``concurrent.futures.Executor``.

The run itself stays in this process: chains learn together, draws are stored, stopping rules are checked. The executor
gets tasks: each advances one chain until it has to wait for its group, or until the task time is over. The result of a
task depends only on the state of its chain, so draws do not depend on where tasks run, and a lost task can be repeated.
"""

from __future__ import annotations

import pickle
import threading
import traceback
import uuid
from concurrent.futures import Executor, ProcessPoolExecutor
from typing import Any

from . import _kameleon
from .errors import KameleonError, SettingsError
from .problem import Problem, Recipe, by_rows

ATTEMPTS = 3
"""How often a task is given to the executor before it is run in this process."""
TASK_TIME = 5.0
"""The longest time of a task in seconds, so that little is lost with a worker or on Ctrl-C."""
POLL_TIME = 0.2
"""How long to wait for a result, in seconds, before signals are checked."""

Answer = tuple[bytes, BaseException | None]
Task = tuple[str, Recipe, bytes]


class _Made(threading.local):
    """The last problem of each worker thread: making it may be slow, and it need not be thread-safe."""

    run = ""
    what: Problem


_made = _Made()


def do_task(task: Task) -> Answer:
    """Runs a task on a worker. An exception in the log density is part of the answer."""
    run, recipe, chain = task
    if _made.run != run:
        _made.what = by_rows(recipe())
        _made.run = run
    what = _made.what
    assert what.native is not None
    done, fault = _kameleon.work(chain, what.native, attached=what.attached, prior=what.prior)
    return done, None if fault is None else _portable(fault)


def _portable(fault: BaseException) -> BaseException:
    """The exception with its traceback as text, which can be pickled."""
    text = "".join(traceback.format_exception(fault))
    fault.add_note("on the worker:\n" + text)
    try:
        pickle.loads(pickle.dumps(fault))
    except Exception:
        return RuntimeError(text)
    return fault


class Sender:
    """Gives the tasks of a run to an executor."""

    def __init__(self, executor: Executor | Any, recipe: Recipe) -> None:
        if not callable(getattr(executor, "submit", None)):
            raise SettingsError("executor", f"must have the interface of concurrent.futures.Executor, not {executor!r}")
        self.executor = executor
        self.recipe = recipe
        self.run = uuid.uuid4().hex
        self.task_time = TASK_TIME
        self.notes: list[str] = []
        """Warnings about the executor."""
        if isinstance(executor, ProcessPoolExecutor):
            _check(recipe)

    def __call__(self, chain: int, state: bytes) -> Pending:
        return Pending(self, chain, (self.run, self.recipe, state))

    def note(self, text: str) -> None:
        """Adds a warning, once."""
        if text not in self.notes:
            self.notes.append(text)


def _check(recipe: Recipe) -> None:
    """A process pool reports poorly what it cannot pickle: check before anything runs."""
    try:
        pickle.dumps(recipe)
    except Exception as error:
        what = f"cannot be sent to another process ({error}); define it at the top of a module, or use an executor "
        raise SettingsError("log_density", what + "that pickles by value, such as dask's") from error


class Pending:
    """A task whose result is awaited."""

    def __init__(self, sender: Sender, chain: int, task: Task) -> None:
        self._sender = sender
        self._chain = chain
        self._task = task
        self._attempts = 0
        self._submit()

    def _submit(self) -> None:
        """Gives the task to the executor; there is no future if the executor refuses it."""
        self._attempts += 1
        self._arrived = threading.Event()
        self._future = None
        try:
            self._future = self._sender.executor.submit(do_task, self._task)
        except RuntimeError as error:  # also from an executor that is broken or was shut down
            self._refused = error
        else:
            self._future.add_done_callback(lambda _: self._arrived.set())

    def wait(self) -> Answer | None:
        """The answer, if it arrives within the poll time. A lost task is repeated, finally in this process."""
        if self._future is None:
            return self._here("the executor takes no more work ({}); the rest was run in this process", self._refused)
        if not self._arrived.wait(POLL_TIME):
            return None
        try:
            return self._future.result()
        except KameleonError:
            raise
        except Exception as error:
            if self._attempts < ATTEMPTS:
                self._submit()
                return None
            lost = f"the executor lost a task of chain {self._chain} {ATTEMPTS} times"
            return self._here(lost + " ({}); it was run in this process", error)

    def _here(self, text: str, why: Exception) -> Answer:
        """Runs the task in this process, with a warning."""
        self._sender.note(text.format(f"{type(why).__name__}: {why}") + ", with the same result")
        return do_task(self._task)

    def cancel(self) -> None:
        """The answer is no longer needed."""
        if self._future is not None:
            self._future.cancel()
