"""Kameleon next to the samplers people use: the same targets, the same number of evaluations, several seeds.

`make compare` makes the environment and runs this. It prints a table for each target and saves it in the folder given,
next to every single run. Runs that are there already are not made again: delete the file to start afresh.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from datetime import date
from pathlib import Path

import numpy as np
from apart import Failure, apart, versions
from peers import PEERS, Draws, Peer, run
from targets import Target, paper_targets

FIELDS = ["target", "sampler", "seed", "evaluations", "seconds", "mean_norm", "quantile_deviation", "ess"]
Row = dict[str, str | float]


def score(target: Target, draws: Draws) -> Row:
    """How far the mean and the quantiles of one run are from the truth, and the smallest bulk ESS over coordinates."""
    points = draws.chains.reshape(-1, target.dim)
    weights = np.full(len(points), 1 / len(points)) if draws.weights is None else draws.weights / draws.weights.sum()
    levels = target.levels(points)
    deviations = [abs(weights[levels <= alpha].sum() - alpha) for alpha in np.arange(1, 10) / 10]
    return {
        "mean_norm": float(np.linalg.norm(weights @ points - target.mean)),
        "quantile_deviation": float(np.mean(deviations)),
        "ess": effective_size(draws),
    }


def effective_size(draws: Draws) -> float:
    """Kish's for a weighted sample; the smallest rank-normalised bulk ESS for chains."""
    if draws.weights is not None:
        return float(draws.weights.sum() ** 2 / (draws.weights**2).sum())
    import arviz as az

    return float(min(az.ess(draws.chains[:, :, i]) for i in range(draws.chains.shape[2])))


def one(index: int, peer: Peer, seed: int) -> Row:
    """One run in this process."""
    target = paper_targets()[index]
    # Processor time, so that what else the machine does is not counted.
    started = time.process_time()
    draws = run(peer, target, seed)
    seconds = time.process_time() - started
    head: Row = {"target": target.name, "sampler": peer.name, "seed": seed}
    return head | {"evaluations": target.evaluations, "seconds": seconds} | score(target, draws)


def one_apart(index: int, peer: Peer, seed: int, minutes: float) -> Row | str:
    """One run in a process of its own, or what went wrong."""
    done = apart([__file__, "--one", str(index), peer.name, str(seed)], minutes)
    if isinstance(done, Failure):
        return done.why
    values = done.split(";")
    row: Row = {"target": values[0], "sampler": values[1]}
    return row | {key: float(value) for key, value in zip(FIELDS[2:], values[2:], strict=True)}


def n_eq_interval(total_variance: float, errors: list[float]) -> tuple[float, float, float]:
    """tr Σ / mean squared error of the mean, and an 80 % bootstrap interval over the seeds."""
    squares = np.array(errors) ** 2
    rng = np.random.default_rng(0)
    again = rng.choice(squares, (4000, len(squares))).mean(axis=1)
    low, high = np.quantile(total_variance / again, [0.1, 0.9])
    return total_variance / squares.mean(), low, high


def table(target: Target, rows: list[Row], notes: list[str]) -> str:
    """The table of one target in Markdown, best n_eq first."""
    head = f"### {target.name}, d = {target.dim}, {target.budget:,} evaluations\n\n"
    columns = ["seeds", "n_eq (80 %)", "‖mean‖", "quantile deviation", "ESS", "evaluations", "CPU µs per evaluation"]
    head += f"| sampler | {' | '.join(columns)} |\n|---|{'--:|' * len(columns)}\n"
    lines = []
    for name in dict.fromkeys(str(row["sampler"]) for row in rows):
        own = [row for row in rows if row["sampler"] == name]
        mean = {key: float(np.mean([float(row[key]) for row in own])) for key in FIELDS[3:]}
        n_eq, low, high = n_eq_interval(target.total_variance, [float(row["mean_norm"]) for row in own])
        micro = 1e6 * mean["seconds"] / mean["evaluations"]
        cells = [
            name,
            str(len(own)),
            f"{n_eq:.0f} ({low:.0f}–{high:.0f})" if len(own) > 1 else f"{n_eq:.0f}",
            f"{mean['mean_norm']:.2f}",
            f"{100 * mean['quantile_deviation']:.2f} %",
            f"{mean['ess']:.0f}",
            f"{mean['evaluations']:,.0f}",
            f"{micro:.1f}",
        ]
        lines.append((n_eq, "| " + " | ".join(cells) + " |\n"))
    lines.sort(key=lambda line: -line[0])
    return head + "".join(line for _, line in lines) + "".join(f"\n{note}\n" for note in notes)


def key(row: Row) -> tuple[str, str, int]:
    """Which run a row is of."""
    return str(row["target"]), str(row["sampler"]), int(float(row["seed"]))


def read_rows(file: Path) -> list[Row]:
    """The runs that were made before."""
    if not file.exists():
        return []
    with file.open(newline="") as lines:
        return [dict(row) for row in csv.DictReader(lines)]


def append_row(file: Path, row: Row) -> None:
    """Adds a run, so that it is not lost whatever comes after."""
    new = not file.exists()
    with file.open("a", newline="") as lines:
        writer = csv.DictWriter(lines, FIELDS)
        if new:
            writer.writeheader()
        writer.writerow(row)


def seeds_of(peer: Peer, first: int | None, count: int | None) -> range:
    """The usual seeds, at most as many as the sampler is worth waiting for; or fresh ones, as many as asked for."""
    if first is None:
        return range(1, 1 + min(peer.seeds, count or peer.seeds))
    return range(first, first + (count or peer.seeds))


def heading() -> str:
    """What was compared, when, and in which versions."""
    return f"`make compare`, {date.today():%Y-%m-%d}, {versions(sorted({peer.package for peer in PEERS}))}.\n"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--one", nargs=3, metavar=("TARGET", "SAMPLER", "SEED"), help=argparse.SUPPRESS)
    arguments.add_argument("--seeds", type=int, help="the largest number of seeds for each sampler")
    arguments.add_argument("--first-seed", type=int, help="fresh seeds from here on, exactly as many as --seeds says")
    arguments.add_argument("--on", nargs="*", default=[], help="targets whose name contains one of these words")
    arguments.add_argument("--minutes", type=float, default=15, help="the most that one run may take")
    arguments.add_argument("--only", nargs="*", default=[], help="samplers whose name contains one of these words")
    arguments.add_argument("--out", type=Path, default=Path("comparison"))
    given = arguments.parse_args()
    if given.one:
        index, name, seed = given.one
        peer = next(peer for peer in PEERS if peer.name == name)
        print(";".join(str(value) for value in one(int(index), peer, int(seed)).values()))
        return
    given.out.mkdir(parents=True, exist_ok=True)
    file = given.out / "runs.csv"
    done = read_rows(file)
    chosen = [p for p in PEERS if not given.only or any(word.lower() in p.name.lower() for word in given.only)]
    text = heading()
    for index, target in enumerate(paper_targets()):
        if given.on and not any(word.lower() in target.name.lower() for word in given.on):
            continue
        notes = []
        for peer in chosen:
            for seed in seeds_of(peer, given.first_seed, given.seeds):
                if any(key(row) == (target.name, peer.name, seed) for row in done):
                    continue
                print(f"{target.name}: {peer.name}, seed {seed}", file=sys.stderr)
                row = one_apart(index, peer, seed, given.minutes)
                if isinstance(row, str):
                    notes.append(f"{peer.name} is left out, or has fewer seeds: {row}")
                    print(notes[-1], file=sys.stderr)
                    break
                done.append(row)
                append_row(file, row)
        text += "\n" + table(target, [row for row in done if row["target"] == target.name], notes)
    (given.out / "peers.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
