"""Progress in terminals, notebooks and the logs of jobs."""

from __future__ import annotations

import re
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any, Literal, Protocol

from .errors import SettingsError

WINDOW = 60.0
"""The seconds over which evaluations per second are counted: tasks of executors bring them by the lump."""
LOG_EVERY = 60.0
"""The seconds between two lines in a log."""


class States(list[tuple[int, float, float]]):
    """Iterations, acceptance rate and scale of every chain."""

    phase: Literal["population", "warm-up", "sampling"] = "warm-up"
    """What the run is doing."""
    population: str | None = None
    """What the population before the chains is doing, while it does."""
    r_hat: float | None = None
    """The largest R-hat so far, by looks at the chains every few seconds."""
    ess: float | None = None
    """The effective number of draws is at least this, by the same looks."""
    per_second: float | None = None
    """Evaluations per second by all chains, or by the population, of late."""
    seconds_left: float | None = None
    """About how long the run will go on, where its length is known."""
    workers: int | None = None
    """The number of workers, with an executor."""
    busy: int | None = None
    """The workers that have a task now, with an executor."""
    utilisation: float | None = None
    """The share of their time that workers spent on tasks, with an executor."""


Seen = Sequence[tuple[int, float, float, int]]
"""The same with the iterations of warm-up, which may become fewer while a chain learns."""

SoFar = tuple[float, float] | None
"""R-hat and effective size so far."""

Watcher = Callable[[Seen, str | None, SoFar], object]

Progress = bool | Callable[[States], object] | None


class Load(Protocol):
    """How busy the workers of an executor are."""

    @property
    def workers(self) -> int: ...
    @property
    def busy(self) -> int: ...
    @property
    def utilisation(self) -> float | None: ...
    def look(self) -> None: ...


@contextmanager
def watcher(progress: Progress, run: dict[str, Any], load: Load | None = None) -> Iterator[Watcher | None]:
    """What is called with the states of the chains: a bar, lines in a log, the user's function, or nothing."""
    meter = Meter(run, load)
    if callable(progress):
        tell = progress
        yield lambda *seen: tell(meter.states(*seen))
        return
    if progress not in (None, True, False):
        raise SettingsError("progress", f"must be True, False or a function, not {progress!r}")
    where = _place()
    if progress is False or (progress is None and sys.stderr is None):
        yield None
        return
    in_log = progress is None and where is None
    bar = Table(meter) if where == "notebook" else Log(meter) if in_log else Bar(meter)
    try:
        yield bar
    finally:
        bar.close()


def _place() -> Literal["terminal", "notebook"] | None:
    """Where a bar can be shown, if anywhere."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and getattr(ipython.get_ipython(), "kernel", None) is not None:
        return "notebook"
    return "terminal" if sys.stderr is not None and sys.stderr.isatty() else None


def _phase(seen: Seen) -> Literal["warm-up", "sampling"]:
    # A chain that no worker has had yet tells nothing of its warm-up.
    return "warm-up" if any(iterations < warmup or not iterations for iterations, *_, warmup in seen) else "sampling"


class Meter:
    """How far a run is, how fast it goes, and how long it will go on."""

    def __init__(self, run: dict[str, Any], load: Load | None = None) -> None:
        draws = run.get("draws")
        self._sampling = None if draws is None else draws * run.get("thin", 1)
        self._budget = run.get("max-evaluations")
        self._load = load
        self._started = time.monotonic()
        self._looks: deque[tuple[float, int]] = deque()
        self._phase = ""

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return time.monotonic() - self._started

    def total(self, seen: Seen) -> int | None:
        """The iterations of all chains, as far as that is known."""
        warmup = max((warmup for *_, warmup in seen), default=0)
        planned = None if self._sampling is None else len(seen) * (warmup + self._sampling)
        known = [most for most in (planned, self._budget) if most is not None]
        return min(known, default=None)

    def states(self, seen: Seen, population: str | None = None, so_far: SoFar = None) -> States:
        """All that is known at this moment."""
        states = States(state[:3] for state in seen)
        states.population = population
        states.phase = _phase(seen) if population is None else "population"
        states.r_hat, states.ess = so_far or (None, None)
        done, total = sum(iterations for iterations, *_ in seen), self.total(seen)
        if population is not None:
            done = _evaluations(population)
        if (population is None) != (self._phase != "population"):
            # What comes now is counted from zero.
            self._looks.clear()
        self._phase = states.phase
        states.per_second = self._rate(done)
        if states.per_second and total is not None and population is None:
            states.seconds_left = max(total - done, 0) / states.per_second
        if self._load is not None:
            self._load.look()
            states.workers, states.busy = self._load.workers, self._load.busy
            states.utilisation = self._load.utilisation
        return states

    def share(self, seen: Seen) -> float | None:
        """The share of the run that is done, where its length is known."""
        total = self.total(seen)
        return min(sum(iterations for iterations, *_ in seen) / total, 1.0) if total else None

    def _rate(self, done: int) -> float | None:
        now = time.monotonic()
        if not self._looks or now - self._looks[-1][0] > WINDOW / 100:
            self._looks.append((now, done))
        while len(self._looks) > 2 and now - self._looks[1][0] > WINDOW:
            self._looks.popleft()
        since, before = self._looks[0]
        return (done - before) / (now - since) if done > before and now > since else None


def _evaluations(population: str) -> int:
    """Those of a population, by what it says of itself."""
    told = re.search(r"(\d+) evaluations", population)
    return int(told[1]) if told else 0


def _acceptance(states: States) -> float:
    """Over all chains."""
    return sum(n * share for n, share, *_ in states) / max(sum(n for n, *_ in states), 1)


def _duration(seconds: float) -> str:
    """A time for people."""
    minutes, hours = seconds / 60, seconds / 3600
    return f"{seconds:.0f} s" if seconds < 120 else f"{minutes:.0f} min" if hours < 2 else f"{hours:.1f} h"


class Shown:
    """What is shown while a run goes on, a few times a second."""

    every = 0.2
    """The seconds between two times that it is shown."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._shown = 0.0

    def __call__(self, seen: Seen, population: str | None = None, so_far: SoFar = None) -> None:
        now = time.monotonic()
        states = self._meter.states(seen, population, so_far)
        if now - self._shown >= self.every:
            self._shown = now
            self.show(states, self._meter.share(seen))

    def show(self, states: States, share: float | None) -> None:
        """Shows it."""
        raise NotImplementedError

    def close(self) -> None:
        """Removes what was shown."""
        raise NotImplementedError


class Bar(Shown):
    """A line in a terminal."""

    def line(self, states: States, share: float | None) -> str:
        """Its text."""
        done, length = sum(n for n, *_ in states), _duration(self._meter.seconds)
        what = f"{len(states)} chains, {done:,} iterations, accepted {_acceptance(states):.0%}"
        parts = [f"{states.phase}: {what if states.population is None else states.population}, {length}"]
        if states.per_second:
            parts.append(f"{states.per_second:,.0f} per second")
        if states.workers == 0:
            parts.append("no workers yet")
        elif states.workers:
            used = "" if states.utilisation is None else f", used {states.utilisation:.0%}"
            parts.append(f"{states.busy} of {states.workers} workers busy{used}")
        if states.seconds_left is not None:
            parts.append(f"about {_duration(states.seconds_left)} to go")
        if states.r_hat is not None:
            parts.append(f"R-hat {states.r_hat:.3f}, ESS at least {states.ess:.0f}")
        bar = "" if share is None or done == 0 else f"{'█' * round(24 * share):░<24} {share:4.0%}  "
        return bar + ", ".join(parts)

    def show(self, states: States, share: float | None) -> None:
        sys.stderr.write(f"\r\x1b[K{self.line(states, share)}")
        sys.stderr.flush()

    def close(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class Log(Bar):
    """A line a minute where nothing can be written over, as in the log of a job."""

    every = LOG_EVERY

    def __init__(self, meter: Meter) -> None:
        super().__init__(meter)
        # A short run says nothing.
        self._shown = time.monotonic()

    def show(self, states: States, share: float | None) -> None:
        sys.stderr.write(f"{self.line(states, share)}\n")
        sys.stderr.flush()

    def close(self) -> None:
        pass


class Table(Shown):
    """A table in a notebook, which changes in place."""

    def __init__(self, meter: Meter) -> None:
        super().__init__(meter)
        self._display: Any = None

    def rows(self, states: States) -> list[tuple[str, str]]:
        """What stands in it."""
        rows = [("phase", states.phase if states.population is None else f"population: {states.population}")]
        if states.phase != "population":
            done = sum(n for n, *_ in states)
            rows.append(("chains", f"{len(states)}, accepted {_acceptance(states):.0%}"))
            rows.append(("iterations", f"{done:,}"))
        if states.per_second:
            rows.append(("evaluations per second", f"{states.per_second:,.0f}"))
        if states.workers is not None:
            rows.append(("workers busy", f"{states.busy} of {states.workers}"))
        if states.utilisation is not None:
            rows.append(("utilisation", f"{states.utilisation:.0%}"))
        if states.r_hat is not None:
            rows.append(("R-hat, ESS so far", f"{states.r_hat:.3f}, at least {states.ess:.0f}"))
        rows.append(("time", _duration(self._meter.seconds)))
        if states.seconds_left is not None:
            rows.append(("time left", f"about {_duration(states.seconds_left)}"))
        return rows

    def html(self, states: States, share: float | None) -> str:
        """The table."""
        cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in self.rows(states))
        bar = "" if share is None else f'<caption><progress value="{share:.3f}"></progress> {share:.0%}</caption>'
        return f"<table>{bar}{cells}</table>"

    def show(self, states: States, share: float | None) -> None:
        from IPython.display import HTML, display

        shown = HTML(self.html(states, share))
        if self._display is None:
            self._display = display(shown, display_id=True)
        else:
            self._display.update(shown)

    def close(self) -> None:
        if self._display is not None:
            from IPython.display import HTML

            self._display.update(HTML(""))
