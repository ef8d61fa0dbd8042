"""Chains on other processes and machines, through any executor with the interface of ``concurrent.futures.Executor``.

The run itself stays in this process: chains learn together, draws are stored, stopping rules are checked. The executor
gets tasks: each advances one chain until it has to wait for its group, or until the task time is over. The result of a
task depends only on the state of its chain, so draws do not depend on where tasks run: a task that was lost, or whose
answer is damaged, is repeated, and one whose worker is slow is given to a second one.
"""

from __future__ import annotations

import pickle
import re
import threading
import time
import traceback
import uuid
import warnings
import zlib
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from . import _kameleon
from .errors import KameleonError, KameleonWarning, SettingsError
from .problem import Problem, Recipe, by_rows

ATTEMPTS = 3
"""How often a task is given to the executor before it is run in this process."""
TASK_TIME = 5.0
"""The longest time of a task in seconds, so that little is lost with a worker; six times that in long runs."""
POLL_TIME = 0.2
"""How long to wait for a result, in seconds, before signals are checked."""
MOST_POLLS = 2500
"""How often in a second all chains together look whether the run was stopped: with thousands each looks less often."""
PATIENCE = 6.0
"""A task that takes this many times as long as every task before it is given to another worker too."""
COUNT_EVERY = 5.0
"""How often the workers of an executor are counted while they are shown, in seconds: those of a cluster come and go."""

Answer = tuple[bytes, BaseException | None]
Task = tuple[str, Recipe, bytes]
Done = tuple[bytes, BaseException | None, int, float]
"""What a worker sends: the answer, a checksum of task and answer, and the seconds that it worked."""


class _Made(threading.local):
    """The last problem of each worker thread: making it may be slow, and it need not be thread-safe."""

    run = ""
    what: Problem


_made = _Made()


def do_task(task: Task, attempt: int = 1) -> Done:
    """Runs a task on a worker. An exception in the log density is part of the answer.

    The attempt makes no difference here: some executors, dask's among them, run equal calls once.
    """
    started = time.perf_counter()
    run, recipe, state = task
    if _made.run != run:
        _made.what = by_rows(recipe())
        _made.run = run
    what = _made.what
    assert what.native is not None
    done, fault = _kameleon.work(state, what.native, attached=what.attached, prior=what.prior)
    sent = None if fault is None else _portable(fault)
    return done, sent, _mark(task, done), time.perf_counter() - started


def _mark(task: Task, done: bytes) -> int:
    """A checksum by which an answer is known to be whole, and that of this task."""
    return zlib.crc32(done, zlib.crc32(task[2]))


def _checked(task: Task, answer: Any) -> Done:
    """The answer; an error for anything that no worker has sent as the answer of this task."""
    match answer:
        case (bytes(done), fault, mark, float(seconds)) if mark == _mark(task, done):
            return done, fault, mark, seconds
    raise ValueError("what came back is not the answer to the task")


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
    """Gives the tasks of a run to an executor, and knows how busy its workers are."""

    def __init__(self, executor: Executor | Any, recipe: Recipe) -> None:
        if not callable(getattr(executor, "submit", None)):
            what = f"must have the interface of concurrent.futures.Executor, not {executor!r}"
            if callable(getattr(executor, "map", None)):
                what += ". In place of a pool that only maps, such as multiprocessing.Pool, take ProcessPoolExecutor"
            raise SettingsError("executor", what)
        self.executor = executor
        self.recipe = recipe
        self.run = uuid.uuid4().hex
        self.task_time = TASK_TIME
        self.load = Load(lambda: _workers(executor))
        self.folder: Path | None = None
        """Where the run is kept, if it is."""
        self.clear: Callable[[], None] | None = None
        """Clears the line of a progress bar before a warning is told."""
        self._lost: dict[tuple[str, str], set[int]] = {}
        self._news: deque[str] = deque()
        if isinstance(executor, ProcessPoolExecutor):
            _check(recipe)

    def __call__(self, chain: int, state: bytes) -> Pending:
        return Pending(self, chain, (self.run, self.recipe, state))

    def note(self, what: str, then: str, why: Exception, chain: int) -> None:
        """Adds a warning about a chain: what happened and why, and what was then done for how many of them."""
        what = f"{what} ({_short(why)})"
        if (what, then) not in self._lost:
            self._news.append(what)
        self._lost.setdefault((what, then), set()).add(chain)

    def tell(self) -> None:
        """Warns of what has become known since it was last called; the thread that waits for the run calls it."""
        alone = "It has no checkpoint, so it cannot be continued by another executor."
        again = f"km.resume({str(self.folder)!r}, ..., executor=another)"
        while self._news:
            if self.clear is not None:
                self.clear()
            what = self._news.popleft()
            way = alone if self.folder is None else f"To use another executor, stop it (Ctrl-C), and {again}."
            try:
                # Above this function are `_run`, `km.sample` or `km.resume`, and the user.
                text = f"{what}: the run goes on in this process, with the same draws. {way}"
                warnings.warn(text, KameleonWarning, stacklevel=4)
            except KameleonWarning:
                way = alone if self.folder is None else f"{again} goes on."
                raise KameleonWarning(f"{what}, and warnings are errors, so the run ends. {way}") from None

    @property
    def notes(self) -> list[str]:
        """Warnings about the executor, each once, with the number of chains that it is about."""
        lost = ((what, then, _of(len(chains), "chain")) for (what, then), chains in self._lost.items())
        return [f"{what}; {then.format(chains)}, with the same result" for what, then, chains in lost]


class Load:
    """How busy the workers of an executor are."""

    def __init__(self, count: Callable[[], int | None]) -> None:
        self.out = 0
        """The tasks that are out."""
        self.longest = 0.0
        """The longest time from sending a task to its answer, in seconds."""
        self._count = count
        self._workers = count()
        self._counted = time.monotonic()
        self._most = 0
        self._worked = 0.0
        self._offered = 0.0
        self._changed = time.monotonic()
        self._lock = threading.Lock()

    @property
    def workers(self) -> int:
        """Their number: that of the executor where it tells, or else the most tasks that were out at a time."""
        return self._most if self._workers is None else self._workers

    def look(self) -> None:
        """Counts the workers again, if it is time; who shows them calls it."""
        now = time.monotonic()
        if now - self._counted >= COUNT_EVERY:
            workers = self._count()
            with self._lock:
                self._offer(now)
                self._workers, self._counted = workers, now

    @property
    def busy(self) -> int:
        """The workers that have a task."""
        return min(self.out, self.workers)

    def sent(self) -> None:
        """A task was sent."""
        self._change(1)

    def back(self, since: float, worked: float | None = None) -> None:
        """A task is no longer out: it was answered after this work, or was lost."""
        self._change(-1)
        if worked is not None:
            self.longest = max(self.longest, time.monotonic() - since)
            self._worked += worked

    def _change(self, by: int) -> None:
        with self._lock:
            self._offer(time.monotonic())
            self.out += by
            self._most = max(self._most, self.out)

    def _offer(self, now: float) -> None:
        self._offered += (now - self._changed) * self.workers
        self._changed = now

    @property
    def utilisation(self) -> float | None:
        """The share of their time that workers spent on tasks that were answered; None before the first answer."""
        return min(self._worked / self._offered, 1.0) if self._worked and self._offered else None


def _workers(executor: Any) -> int | None:
    """The number of workers at this moment, where the executor tells it; a cluster may have none yet."""
    known = getattr(executor, "_max_workers", None)
    client = getattr(executor, "_client", None)
    if known is None and client is not None and callable(getattr(client, "ncores", None)):
        try:
            known = sum(client.ncores().values())
        except Exception:  # of a client that is closed, or whose scheduler is gone
            return None
    return known if isinstance(known, int) else None


def _of(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _short(error: BaseException) -> str:
    """An exception in one line: those of clusters have tracebacks and colours in them."""
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()]
    said = [line for line in lines if line.strip("^~ ")]
    return f"{type(error).__name__}: {said[-1] if said else ''}"


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
        self._answers: SimpleQueue[Future[Done]] = SimpleQueue()
        self._out: list[Future[Done]] = []
        self._refused: Exception | None = None
        self._since = time.monotonic()
        sender.load.sent()
        self._submit()

    def _submit(self) -> None:
        """Gives the task to the executor, which may refuse it."""
        self._attempts += 1
        self._sent = time.monotonic()
        try:
            future = self._sender.executor.submit(do_task, self._task, self._attempts)
        except Exception as error:  # also from an executor that is broken or was shut down
            self._refused = error
        else:
            self._out.append(future)
            future.add_done_callback(self._answers.put)

    def wait(self) -> Answer | None:
        """The answer, if it arrives within the poll time. A lost task is repeated, finally in this process."""
        if self._refused is not None and not self._out:
            then = "the rest of {} was run in this process"
            return self._here("the executor takes no more work", then, self._refused)
        try:
            future = self._answers.get(timeout=max(POLL_TIME, self._sender.load.out / MOST_POLLS))
        except Empty:
            self._hurry()
            return None
        self._out.remove(future)
        try:
            done, fault, _, seconds = _checked(self._task, future.result())
        except KameleonError:
            raise
        except Exception as error:
            return self._lost(error)
        self._end(seconds)
        return done, fault

    def _lost(self, error: Exception) -> Answer | None:
        """Repeats the task, or runs it here after the last attempt."""
        if self._attempts < ATTEMPTS and self._refused is None:
            self._submit()
        if self._out or self._refused is not None:
            return None
        then = "such tasks of {} were run in this process"
        return self._here(f"the executor lost a task {ATTEMPTS} times", then, error)

    def _hurry(self) -> None:
        """Gives the task to another worker too if that of the last attempt is slow; the first answer counts."""
        longest = self._sender.load.longest
        is_slow = longest > 0 and time.monotonic() - self._sent > PATIENCE * max(longest, self._sender.task_time)
        if is_slow and self._attempts < ATTEMPTS and self._refused is None:
            self._submit()

    def _here(self, what: str, then: str, why: Exception) -> Answer:
        """Runs the task in this process, with a warning."""
        self._sender.note(what, then, why, self._chain)
        self._end(None)
        return do_task(self._task)[:2]

    def _end(self, worked: float | None) -> None:
        """No more answers are awaited."""
        self._sender.load.back(self._since, worked)
        for future in self._out:
            future.cancel()
        self._out.clear()

    def cancel(self) -> None:
        """The answer is no longer needed."""
        self._end(None)
