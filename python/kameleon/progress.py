"""Progress in terminals and notebooks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from .errors import SettingsError


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


Seen = Sequence[tuple[int, float, float, int]]
"""The same with the iterations of warm-up, which may become fewer while a chain learns."""

SoFar = tuple[float, float] | None
"""R-hat and effective size so far."""

Watcher = Callable[[Seen, str | None, SoFar], object]

Progress = bool | Callable[[States], object] | None


@contextmanager
def watcher(progress: Progress, run: dict[str, Any]) -> Iterator[Watcher | None]:
    """What is called with the states of the chains: a bar, the user's function, or nothing."""
    if callable(progress):
        tell = progress

        def watch(seen: Seen, population: str | None, so_far: SoFar) -> None:
            states = States(state[:3] for state in seen)
            states.population = population
            states.phase = _phase(seen) if population is None else "population"
            states.r_hat, states.ess = so_far or (None, None)
            tell(states)

        yield watch
        return
    if progress not in (None, True, False):
        raise SettingsError("progress", f"must be True, False or a function, not {progress!r}")
    where = _place()
    if progress is False or (progress is None and where is None):
        yield None
        return
    bar = Bar(run, where or "terminal")
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
    return "warm-up" if any(iterations < warmup for iterations, *_, warmup in seen) else "sampling"


class Bar:
    """A progress bar with the acceptance rate."""

    def __init__(self, run: dict[str, Any], where: Literal["terminal", "notebook"]) -> None:
        draws = run.get("draws")
        self._sampling = None if draws is None else draws * run.get("thin", 1)
        self._budget = run.get("max-evaluations")
        self._started = time.monotonic()
        self._shown = 0.0
        self._where = where
        self._display: Any = None

    def __call__(self, states: Seen, population: str | None = None, so_far: SoFar = None) -> None:
        now = time.monotonic()
        if now - self._shown < 0.2:
            return
        self._shown = now
        seconds = now - self._started
        line = self.line(states, seconds) if population is None else f"population: {population}, {seconds:.0f} s"
        live = "" if so_far is None else f", R-hat {so_far[0]:.3f}, ESS at least {so_far[1]:.0f}"
        self._show(line + live)

    def total(self, states: Seen) -> int | None:
        """The iterations of all chains, as far as that is known."""
        warmup = max(warmup for *_, warmup in states)
        planned = None if self._sampling is None else len(states) * (warmup + self._sampling)
        known = [most for most in (planned, self._budget) if most is not None]
        return min(known, default=None)

    def line(self, states: Seen, seconds: float) -> str:
        """The text of the bar."""
        done = sum(iterations for iterations, *_ in states)
        accepted = sum(n * share for n, share, *_ in states) / max(done, 1)
        text = f"{_phase(states)}: {len(states)} chains, {done:,} iterations, accepted {accepted:.0%}, {seconds:.0f} s"
        total = self.total(states)
        if total is None or done == 0:
            return text
        share = min(done / total, 1.0)
        left = seconds * (1 - share) / max(share, 1e-9)
        return f"{'█' * round(24 * share):░<24} {share:4.0%}  {text}, about {left:.0f} s to go"

    def _show(self, text: str) -> None:
        if self._where == "terminal":
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
            return
        from IPython.display import HTML, display

        shown = HTML(f"<code>{text}</code>")
        if self._display is None:
            self._display = display(shown, display_id=True)
        else:
            self._display.update(shown)

    def close(self) -> None:
        """Removes the bar."""
        if self._where == "terminal" and self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
        elif self._display is not None:
            from IPython.display import HTML

            self._display.update(HTML(""))
