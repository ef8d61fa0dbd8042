"""Chains on other processes and machines, by anything with the interface of ``concurrent.futures.Executor``.

The run stays here: chains learn together, draws are kept, rules are checked. What goes to the executor are pieces of a
chain: until it waits for the others of its group, or for a while. A piece follows from the chain it begins with, so the
draws are the same wherever it is done, and one whose worker was lost is done again with the same result.
"""

from __future__ import annotations

import pickle
import threading
import traceback
import uuid
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from typing import Any

from . import _kameleon
from .errors import KameleonError, SettingsError
from .problem import Problem, by_rows

ATTEMPTS = 3
"""How often a piece is given to the executor before it is done here."""
PATIENCE = 5.0
"""How many seconds a piece takes at most, so that little is lost with a worker or by Ctrl-C."""
MOMENT = 0.2
"""Seconds after which whoever waits for a piece looks up."""

Recipe = Callable[[], Problem]
"""What makes the problem anew on a worker."""
Answer = tuple[bytes, BaseException | None]
Task = tuple[str, Recipe, bytes]


class _Made(threading.local):
    """The problem that a worker was last busy with, since to make it may take long; it need not be safe for threads."""

    run = ""
    what: Problem


_made = _Made()


def do_piece(task: Task) -> Answer:
    """Does a piece of a chain on a worker. What the log density does wrong is part of the answer, not an exception."""
    run, recipe, piece = task
    if _made.run != run:
        _made.what = by_rows(recipe())
        _made.run = run
    what = _made.what
    assert what.native is not None
    done, fault = _kameleon.work(piece, what.native, attached=what.attached)
    return done, None if fault is None else _portable(fault)


def _portable(fault: BaseException) -> BaseException:
    """The exception with its traceback as text, since only that can travel."""
    text = "".join(traceback.format_exception(fault))
    fault.add_note("on the worker:\n" + text)
    try:
        pickle.loads(pickle.dumps(fault))
    except Exception:
        return RuntimeError(text)
    return fault


class Sender:
    """Gives pieces of a run to an executor."""

    def __init__(self, executor: Executor | Any, recipe: Recipe) -> None:
        if not callable(getattr(executor, "submit", None)):
            raise SettingsError("executor", f"must have the interface of concurrent.futures.Executor, not {executor!r}")
        self.executor = executor
        self.recipe = recipe
        self.run = uuid.uuid4().hex
        self.patience = PATIENCE
        self.notes: list[str] = []
        """What a person should know of the executor."""
        if isinstance(executor, ProcessPoolExecutor):
            _check(recipe)

    def __call__(self, chain: int, piece: bytes) -> Errand:
        return Errand(self, chain, (self.run, self.recipe, piece))

    def note(self, text: str) -> None:
        """Tells a person, once."""
        if text not in self.notes:
            self.notes.append(text)


def _check(recipe: Recipe) -> None:
    """A process pool says little about what it cannot send; say it before anything runs."""
    try:
        pickle.dumps(recipe)
    except Exception as error:
        what = f"cannot be sent to another process ({error}); define it at the top of a module, or use an executor "
        raise SettingsError("log_density", what + "that pickles by value, such as dask's") from error


class Errand:
    """A piece of a chain on its way."""

    def __init__(self, sender: Sender, chain: int, task: Task) -> None:
        self._sender = sender
        self._chain = chain
        self._task = task
        self._attempts = 0
        self._submit()

    def _submit(self) -> None:
        """Gives the piece to the executor; there is no future if that takes no more."""
        self._attempts += 1
        self._arrived = threading.Event()
        self._future = None
        try:
            self._future = self._sender.executor.submit(do_piece, self._task)
        except RuntimeError as error:  # also of a broken executor, or one that was shut down
            self._refused = error
        else:
            self._future.add_done_callback(lambda _: self._arrived.set())

    def wait(self) -> Answer | None:
        """The answer, if it comes within a moment; a piece that was lost is done again, in the end here."""
        if self._future is None:
            why = f"{type(self._refused).__name__}: {self._refused}"
            self._sender.note(f"the executor takes no more work ({why}); the rest was run here, with the same result")
            return do_piece(self._task)
        if not self._arrived.wait(MOMENT):
            return None
        try:
            return self._future.result()
        except KameleonError:
            raise
        except Exception as error:
            if self._attempts < ATTEMPTS:
                self._submit()
                return None
            why = f"{type(error).__name__}: {error}"
            text = f"a piece of chain {self._chain} was lost {ATTEMPTS} times by the executor ({why}); it was run here"
            self._sender.note(text + ", with the same result")
            return do_piece(self._task)

    def cancel(self) -> None:
        """The answer is not wanted any more."""
        if self._future is not None:
            self._future.cancel()
