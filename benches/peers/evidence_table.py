"""The table of evidence in Markdown, from the lines of single runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from scipy.stats import f as f_distribution

Run = dict[str, Any]
"""A line of `evidence.jsonl`."""

COLUMNS = [
    "seeds",
    "rms error of log Z",
    "claimed",
    "weights",
    "evaluations",
    "CPU s",
    "error² × evaluations",
    "error² × CPU s",
]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def rounded(value: float) -> str:
    """Two digits that count, never as a power of ten."""
    digits = 1 - math.floor(math.log10(value))
    return f"{round(value, digits):,.{max(digits, 0)}f}"


@dataclass
class Row:
    """A package on a problem, over seeds; the errors of ln Z over those whose ln Z was not refused."""

    seeds: int
    refused: int
    rms: float
    claimed: float
    weight_error: float | None
    evaluations: float
    seconds: float

    @classmethod
    def of(cls, runs: list[Run]) -> Row:
        def over_seeds(key: str) -> float:
            return mean([run[key] for run in runs if run[key] is not None])

        errors = [run["off"] for run in runs if run["off"] is not None]
        has_modes = runs[0]["weight_error"] is not None
        return cls(
            len(errors),
            len(runs) - len(errors),
            math.sqrt(mean([error**2 for error in errors])),
            over_seeds("claimed"),
            over_seeds("weight_error") if has_modes else None,
            over_seeds("evaluations"),
            over_seeds("seconds"),
        )

    def relative(self, ours: Row | None, cost: str) -> str:
        """error² × cost over that of Kameleon: above 1 it is ahead. The 80 % interval takes errors for normal ones."""
        if ours is None:
            return "–"
        if self is ours:
            return "1"
        ratio = (self.rms / ours.rms) ** 2 * getattr(self, cost) / getattr(ours, cost)
        low, high = (ratio / f_distribution.ppf(level, self.seeds, ours.seeds) for level in (0.9, 0.1))
        return f"{rounded(ratio)} ({rounded(low)}–{rounded(high)})"

    def cells(self, ours: Row | None) -> list[str]:
        weights = "–" if self.weight_error is None else f"{self.weight_error:.3f}"
        return [
            f"{self.seeds}, {self.refused} refused" if self.refused else str(self.seeds),
            rounded(self.rms),
            rounded(self.claimed),
            weights,
            f"{self.evaluations:,.0f}",
            f"{self.seconds:,.1f}",
            self.relative(ours, "evaluations"),
            self.relative(ours, "seconds"),
        ]


def problem_lines(runs: list[Run], problem: str, packages: list[str]) -> list[str]:
    """A line for each package; the first names the problem."""
    own = [run for run in runs if run["problem"] == problem]
    done = {name: [run for run in own if run["package"] == name and "off" in run] for name in packages}
    ours = Row.of(done["kameleon"]) if done["kameleon"] else None
    lines = []
    for name in packages:
        late = [run["not_done"] for run in own if run["package"] == name and "not_done" in run]
        if done[name]:
            row = ours if ours is not None and name == "kameleon" else Row.of(done[name])
            cells = row.cells(ours)
            if late:
                cells[0] += f" (another {late[0]})"
        elif late:
            cells = [late[0]] + ["–"] * (len(COLUMNS) - 1)
        else:
            continue
        lines.append(f"| {'' if lines else problem} | {name} | {' | '.join(cells)} |")
    return lines


def tables(runs: list[Run], problems: list[str], packages: list[str]) -> str:
    """Versions, dates, and the table of all problems."""
    made = [run for run in runs if "off" in run]
    days = ", ".join(sorted({run["date"] for run in made}))
    versions = ", ".join(sorted({f"{run['package'].split(',')[0]} {run['version']}" for run in made}, key=str.lower))
    lines = [f"`make compare-evidence`, {days}: {versions}.", ""]
    lines += [f"| problem | package | {' | '.join(COLUMNS)} |", f"|---|---|{'--:|' * len(COLUMNS)}"]
    for problem in problems:
        lines += problem_lines(runs, problem, packages)
    return "\n".join(lines) + "\n"
