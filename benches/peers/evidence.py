"""Kameleon next to packages that give the evidence: error of ln Z, mode weights, evaluations and processor time.

`make compare-evidence` makes the environment and runs this: first one seed of everything, then the next. Every run is a
line of `evidence.jsonl` in the folder given, and is not made again as long as the line is there; `--refresh kameleon`
drops those of a package first. The table is that of all lines, saved as `evidence.md`.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import json
import math
import resource
import sys
import warnings
from datetime import date
from pathlib import Path

from apart import apart
from evidence_table import Run, tables
from nested import PACKAGES, Package
from problems import PROBLEMS


def processor_seconds() -> float:
    """Of this process and of those that it started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def one(problem_name: str, package: Package, seed: int) -> Run:
    """One run in this process."""
    importlib.import_module(package.module)
    problem = PROBLEMS[problem_name](seed)
    started = processor_seconds()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = package.run(problem, seed)
    seconds = processor_seconds() - started
    modes = problem.modes
    refused = math.isnan(found.log_z)
    return {
        "off": None if refused else found.log_z - problem.log_z,
        "claimed": None if refused else found.error,
        "weight_error": None if modes is None else modes.largest_error(found.points, found.weights),
        "evaluations": problem.evaluations,
        "seconds": seconds,
        "version": importlib.metadata.version(package.distribution),
        "date": f"{date.today():%Y-%m-%d}",
    }


def one_apart(problem: str, package: Package, seed: int, minutes: float) -> Run | None:
    """One run in a process of its own; None if the package could not be used, which may be mended."""
    head: Run = {"problem": problem, "package": package.name, "seed": seed}
    done = apart([__file__, "--one", problem, package.name, str(seed)], minutes)
    if isinstance(done, str):
        return head | json.loads(done)
    print(f"{problem}, {package.name}, seed {seed}: {done.why}", file=sys.stderr)
    return head | {"not_done": done.why} if done.too_long else None


def read_runs(file: Path) -> list[Run]:
    """The runs that were made before."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def append_run(file: Path, run: Run) -> None:
    """Adds a run, so that it is not lost whatever comes after."""
    with file.open("a") as lines:
        lines.write(json.dumps(run) + "\n")


def is_due(runs: list[Run], problem: str, package: Package, seed: int) -> bool:
    """Whether a run is still to be made: not a second time, and not where another seed took too long."""
    if package.problems and problem not in package.problems:
        return False
    own = [run for run in runs if (run["problem"], run["package"]) == (problem, package.name)]
    return not any(run["seed"] == seed or "not_done" in run for run in own)


def make_runs(file: Path, packages: list[Package], problems: list[str], seeds: int, minutes: float) -> None:
    """All that are due, seed by seed."""
    broken: set[str] = set()
    for seed in range(1, 1 + seeds):
        for package in packages:
            for problem in problems:
                if package.name in broken or not is_due(read_runs(file), problem, package, seed):
                    continue
                run = one_apart(problem, package, seed, minutes)
                if run is None:
                    broken.add(package.name)
                else:
                    append_run(file, run)


def matching(names: list[str], words: list[str]) -> list[str]:
    """The names that contain one of the words; all without words."""
    return [name for name in names if not words or any(word.lower() in name.lower() for word in words)]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--one", nargs=3, metavar=("PROBLEM", "PACKAGE", "SEED"), help=argparse.SUPPRESS)
    arguments.add_argument("--seeds", type=int, default=3, help="how many; 0 prints the table of what is there")
    arguments.add_argument("--minutes", type=float, default=15, help="the most processor time that one run may take")
    arguments.add_argument("--only", nargs="*", default=[], help="packages whose name contains one of these words")
    arguments.add_argument("--problems", nargs="*", default=[], help="problems whose name contains one of these words")
    arguments.add_argument("--refresh", nargs="*", default=[], help="packages whose earlier runs are dropped")
    arguments.add_argument("--out", type=Path, default=Path("comparison"))
    given = arguments.parse_args()
    by_name = {package.name: package for package in PACKAGES}
    if given.one:
        problem, name, seed = given.one
        print(json.dumps(one(problem, by_name[name], int(seed))))
        return
    given.out.mkdir(parents=True, exist_ok=True)
    file = given.out / "evidence.jsonl"
    if given.refresh:
        dropped = matching(list(by_name), given.refresh)
        kept = [run for run in read_runs(file) if run["package"] not in dropped]
        file.write_text("".join(json.dumps(run) + "\n" for run in kept))
    chosen = [by_name[name] for name in matching(list(by_name), given.only)]
    make_runs(file, chosen, matching(list(PROBLEMS), given.problems), given.seeds, given.minutes)
    text = tables(read_runs(file), list(PROBLEMS), list(by_name))
    (given.out / "evidence.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
