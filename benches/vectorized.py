"""What a row costs us when a vectorised function is called for all chains at once; and the same next to emcee.

    pip install . emcee && python benches/vectorized.py

The cost of a row is the processor time of a run of random-walk chains in 6 dimensions with a vectorised function, less
that of the function itself, less that of the same chains on a target in Rust on one thread: what is left is the
bookkeeping of chains in step and the crossing into Python and back. Figures are the shortest of several turns in
alternation; of the default sampler there is no such figure, since it learns, and is shown whole, next to emcee.
"""

import time

import numpy as np

import kameleon as km

DIM, TURNS = 6, 5


class Timed:
    """A normal log density of rows, which knows its own processor time."""

    def __init__(self):
        self.seconds = 0.0
        self.calls = 0

    def __call__(self, x):
        started = time.process_time()
        values = -0.5 * np.einsum("ij,ij->i", x, x)
        self.seconds += time.process_time() - started
        self.calls += 1
        return values


def run(target, chains, iterations, sampler=None, **options):
    """Processor seconds of a run."""
    started = time.process_time()
    plan = {"chains": chains, "draws": iterations, "seed": 1, "progress": False, "check": "off", **options}
    km.sample(target, np.zeros(DIM), sampler=sampler or km.SM(), **plan)
    return time.process_time() - started


def row(chains, iterations):
    """Microseconds for each row: whole run, function, the same chains in Rust; and the rows of a call."""
    function = Timed()
    whole = run(function, chains, iterations, warmup=0, vectorized=True)
    native = run(km.targets.ScaledGaussian(DIM), chains, iterations, warmup=0, threads=1)
    rows = chains * iterations
    return [1e6 * cost / rows for cost in (whole, function.seconds, native)], rows / function.calls


def emcee_seconds(evaluations):
    """Processor seconds of emcee's stretch move, vectorised, with the walkers that people take."""
    import emcee

    walkers = 4 * DIM
    sampler = emcee.EnsembleSampler(walkers, DIM, Timed(), vectorize=True)
    start = np.random.default_rng(1).normal(size=(walkers, DIM))
    started = time.process_time()
    sampler.run_mcmc(start, evaluations // walkers)
    return time.process_time() - started


def main():
    print("microseconds for each row: ours on top, the function, a step in Rust; rows in a call")
    for chains, iterations in ((8, 20_000), (100, 2_000), (1000, 400)):
        turns = [row(chains, iterations) for _ in range(TURNS)]
        # The shortest of each: the shortest of the differences would be that of a turn in which Rust was slow.
        whole, function, native = np.min([costs for costs, _ in turns], axis=0)
        ours = whole - function - native
        print(f"{chains:5} chains  {ours:6.2f} {function:6.2f} {native:6.2f}   {turns[0][1]:6.1f}")
    evaluations = 96_000
    print(f"\nprocessor seconds for {evaluations:,} evaluations in {DIM} dimensions, and the ratio to emcee")
    kinds = {
        "emcee, stretch, 24 walkers": lambda: emcee_seconds(evaluations),
        "kameleon, 24 chains": lambda: default(24, evaluations),
        "kameleon, 8 chains": lambda: default(8, evaluations),
        "kameleon, 4 chains": lambda: default(4, evaluations),
    }
    found = {name: [] for name in kinds}
    for _ in range(TURNS):
        for name, seconds in kinds.items():
            found[name].append(seconds())
    peer = min(found["emcee, stretch, 24 walkers"])
    for name, times in found.items():
        print(f"{name:28} {min(times):6.2f} {min(times) / peer:6.2f}")


def default(chains, evaluations):
    """Processor seconds of the default sampler with a quarter of its iterations as warm-up."""
    each = evaluations // chains
    return run(Timed(), chains, each - each // 4, km.Kameleon(), warmup=each // 4, vectorized=True)


if __name__ == "__main__":
    main()
