"""What a step costs through Python, next to emcee and to a native target.

    pip install . emcee numba && python benches/python_vs_emcee.py

Every figure is the shortest of several turns, taken in alternation, so trust the ratios more than the microseconds.
It is the processor's time, which other programs on the machine do not change much, but for the speed-up by a second
core: that is real time, and needs two cores that are free.
"""

import time

import emcee
import numba
import numpy as np

import kameleon as km

DIM, CHAINS, TURNS = 8, 4, 5


def trivial(x):
    """As little as a Python log density can do."""
    return -0.5 * (x[0] * x[0] + x[1] * x[1])


@numba.cfunc("float64(CPointer(float64), intp)", fastmath=False)
def compiled(x, dim):
    """The banana of km.targets.Banana(8)."""
    twist = x[1] - 0.1 * (x[0] * x[0] - 100.0)
    square = x[0] * x[0] / 100.0 + twist * twist
    for i in range(2, dim):
        square += x[i] * x[i]
    return -0.5 * square


def kamh(target, iterations, clock=time.process_time, **options):
    """Seconds for each iteration of KAMH-LS with n = 1000, after the warm-up."""
    plan = {"sampler": km.KAMH(n=1000), "warmup": 2000, "seed": 1, "start": np.zeros(DIM), "progress": False}

    def seconds(draws):
        started = clock()
        km.sample(target, draws=draws, **{**plan, **options})
        return clock() - started

    chains = options["chains"]
    return (seconds(iterations) - seconds(1)) / (iterations * chains)


def stretch(iterations):
    """Seconds for each evaluation of emcee's stretch move."""
    walkers = 4 * DIM
    sampler = emcee.EnsembleSampler(walkers, DIM, trivial)
    start = np.random.default_rng(1).normal(size=(walkers, DIM))
    state = sampler.run_mcmc(start, 50)
    started = time.process_time()
    sampler.run_mcmc(state, iterations)
    return (time.process_time() - started) / (iterations * walkers)


def best(**runs):
    """The shortest of some turns, taken in alternation."""
    found = {name: [] for name in runs}
    for _ in range(TURNS):
        for name, run in runs.items():
            found[name].append(run())
    return {name: min(times) for name, times in found.items()}


def main():
    banana = km.targets.Banana(DIM)
    print(f"emcee {emcee.__version__}, kameleon {km.__version__}; microseconds, shortest of {TURNS} turns")
    costs = best(
        kameleon=lambda: kamh(trivial, 10_000, chains=1),
        emcee=lambda: stretch(400),
    )
    print("\nA trivial Python log density in 8 dimensions, for each evaluation:")
    print(f"  KAMH-LS, n = 1000   {1e6 * costs['kameleon']:7.2f}")
    print(f"  emcee stretch move  {1e6 * costs['emcee']:7.2f}   ratio {costs['kameleon'] / costs['emcee']:.2f}")
    costs = best(
        native=lambda: kamh(banana, 40_000, chains=1, threads=1),
        pointer=lambda: kamh(compiled, 40_000, chains=1, threads=1),
    )
    print("\nThe banana in Rust, and by a numba pointer, one chain, for each iteration:")
    print(f"  native              {1e6 * costs['native']:7.2f}")
    print(f"  pointer             {1e6 * costs['pointer']:7.2f}   ratio {costs['pointer'] / costs['native']:.3f}")
    costs = best(
        one=lambda: kamh(compiled, 40_000, time.perf_counter, chains=2, threads=1),
        two=lambda: kamh(compiled, 40_000, time.perf_counter, chains=2, threads=2),
    )
    print("\nTwo chains of the pointer on one thread and on two:")
    print(f"  {costs['one'] / costs['two']:.2f} times as fast")
    costs = best(
        together=lambda: kamh(trivial, 10_000, chains=2),
        alone=lambda: kamh(trivial, 10_000, chains=1),
    )
    print("\nTwo chains of the Python function together, next to one after another, for each iteration:")
    print(f"  ratio {costs['together'] / costs['alone']:.2f}")


if __name__ == "__main__":
    main()
