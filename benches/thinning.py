"""Kernel thinning next to `goodpoints` (Compress++) and standard thinning: discrepancy and processor time, in one run.

`pip install goodpoints`, then `python benches/thinning.py`. Each method gets the same draws, standardised, and the same
Gaussian kernel. The discrepancies are measured here, by frequencies that neither method has seen: in that kernel (MMD),
in one of half its bandwidth and one of twice its bandwidth, and as the error of the means in standard deviations.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import kameleon as km

Array = NDArray[np.float64]
DIM = 8
FREQUENCIES = 1000


def gaussian(rng: np.random.Generator, count: int) -> Array:
    """Independent draws of a standard Gaussian."""
    return rng.normal(size=(count, DIM))


def banana(rng: np.random.Generator, count: int) -> Array:
    """Independent draws of B(0.1, 100)."""
    x = rng.normal(size=(count, DIM))
    x[:, 0] *= 10
    x[:, 1] += 0.1 * (x[:, 0] ** 2 - 100)
    return x


def mixture(rng: np.random.Generator, count: int) -> Array:
    """Independent draws of three Gaussians of different weights and widths, in random order."""
    which = rng.choice(3, size=count, p=[0.6, 0.3, 0.1])
    centres, widths = np.array([[0.0], [6.0], [-8.0]]), np.array([[1.0], [0.5], [2.0]])
    return centres[which] + widths[which] * rng.normal(size=(count, DIM))


def chains(
    target: km.targets.Banana | km.targets.Flower, sampler: km.Sampler
) -> Callable[[np.random.Generator, int], Array]:
    """Draws of four chains of a sampler, one chain after the other."""

    def draw(rng: np.random.Generator, count: int) -> Array:
        seed = int(rng.integers(2**31))
        result = km.sample(target, sampler=sampler, chains=4, draws=count // 4, seed=seed, warmup=20_000)
        return result.draws.reshape(-1, DIM)

    return draw


SAMPLES: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "Gaussian, independent": gaussian,
    "banana, independent": banana,
    "mixture, independent": mixture,
    "banana, kameleon": chains(km.targets.Banana(DIM, b=0.1), km.Kameleon()),
    "flower, kameleon": chains(km.targets.Flower(DIM), km.Kameleon()),
    "banana B(0.03), KAMH-LS": chains(km.targets.Banana(DIM, b=0.03), km.KAMH()),
}


def discrepancies(draws: Array, kept: list[Array], sigma: float) -> list[float]:
    """The MMD of each subset to all draws, in a Gaussian kernel."""
    omega = np.random.default_rng(99).normal(size=(DIM, FREQUENCIES)) / sigma
    whole = sum(waves(part, omega) * len(part) for part in np.array_split(draws, 64)) / len(draws)
    # Each frequency is a cosine and a sine.
    return [float(np.sqrt(((whole - waves(x, omega)) ** 2).sum() / FREQUENCIES)) for x in kept]


def waves(points: Array, omega: Array) -> Array:
    """The mean cosine and sine of each frequency; in single precision, which is many times faster and exact to 1e-6."""
    phases = (points @ omega).astype(np.float32)
    return np.array([np.cos(phases).mean(axis=0, dtype=np.float64), np.sin(phases).mean(axis=0, dtype=np.float64)])


def bandwidth(draws: Array) -> float:
    """The median heuristic."""
    some = draws[:: max(len(draws) // 1000, 1)][:1000]
    squares = ((some[:, None] - some[None]) ** 2).sum(axis=2)
    return float(np.sqrt(np.median(squares[np.triu_indices(len(some), 1)]) / 2))


def timed(work: Callable[[], NDArray[np.int64]]) -> tuple[NDArray[np.int64], float]:
    """What it gives, and its processor time."""
    began = time.process_time()
    kept = work()
    return kept, time.process_time() - began


def methods(draws: Array, to: int, sigma: float, seed: int, g: list[int]) -> dict[str, Callable[[], NDArray[np.int64]]]:
    """Each way to thin."""
    from goodpoints import compress

    def compresspp(oversampling: int) -> NDArray[np.int64]:
        kernel = {"kernel_type": b"gaussian", "k_params": np.array([2 * sigma**2])}
        return np.asarray(compress.compresspp_kt(draws, g=oversampling, seed=seed, **kernel), dtype=np.int64)

    return {
        "standard": lambda: (2 * np.arange(to) + 1) * len(draws) // (2 * to),
        **{f"goodpoints, g = {o}": lambda o=o: compresspp(o) for o in g},
        "kameleon": lambda: km.diagnose.thin(draws, to, seed=seed),
    }


def row(name: str, draws_of: Callable[[np.random.Generator, int], Array], args: argparse.Namespace) -> None:
    """The lines of one kind of draws, averaged over seeds."""
    found: dict[str, list[list[float]]] = {}
    for seed in range(args.seeds):
        draws = draws_of(np.random.default_rng(seed), args.draws)
        draws = (draws - draws.mean(axis=0)) / draws.std(axis=0)
        sigma = bandwidth(draws)
        done = {m: timed(work) for m, work in methods(draws, args.to, sigma, seed, args.g).items()}
        kept = [draws[places] for places, _ in done.values()]
        figures = [discrepancies(draws, kept, factor * sigma) for factor in (1.0, 0.5, 2.0)]
        means = [float(np.sqrt((x.mean(axis=0) ** 2).mean())) for x in kept]
        for k, (method, (_, seconds)) in enumerate(done.items()):
            found.setdefault(method, []).append([*(f[k] for f in figures), means[k], seconds])
    for method, runs in found.items():
        same, half, twice, mean, seconds = np.mean(runs, axis=0)
        ratio = same / np.mean([run[0] for run in found["standard"]])
        cells = f"{same:.4f} | {ratio:.2f} | {half:.4f} | {twice:.4f} | {mean:.4f} | {seconds:.2f}"
        print(f"| {name} | {method} | {cells} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=65_536)
    parser.add_argument("--to", type=int, default=256, help="√draws, which is what compresspp gives")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--g", type=int, nargs="+", default=[0, 2, 4], help="oversampling of compresspp")
    args = parser.parse_args()
    print("| draws | method | MMD | of standard | at σ/2 | at 2σ | error of the means | processor s |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for name, draws_of in SAMPLES.items():
        row(name, draws_of, args)


if __name__ == "__main__":
    main()
