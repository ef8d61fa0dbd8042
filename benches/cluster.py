"""How many times as many evaluations per second 64 workers make as one, for a model that sleeps.

    pip install . "dask[distributed]" && python benches/cluster.py [threads] [dask] [--workers 64] [--seconds 15]

The model sleeps 20 ms, or a log-normal time (sd 1 in the log) with that mean. Sleeping costs no core, so this runs on two.
A run has one chain for each worker. "all" counts the evaluations of a whole run; "draws" those after the warm-up, in which
chains do not learn from each other. One worker makes 1 / 20 ms evaluations per second, and that is measured too: the
mean of what its sleeps really took. Processor time is that of this process and of its children, beyond what the
sleeping itself takes.
"""

import argparse
import os
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

import kameleon as km

SLEEP = 0.02
WARMUP, DIM = 600, 8


def sleeps(x, spread):
    """A normal density that takes its time, which depends on the point alone."""
    seconds = SLEEP
    if spread:
        normal = np.random.default_rng(abs(hash(x.tobytes()))).standard_normal()
        seconds = SLEEP * np.exp(spread * normal - 0.5 * spread**2)
    time.sleep(seconds)
    return -0.5 * float(x @ x)


def processor_seconds():
    """Of this process and of children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Clock:
    """Notes when the warm-up of all chains was over, and the evaluations until then."""

    def __init__(self):
        self.started = self.warm = time.perf_counter()
        self.before = 0

    def __call__(self, states):
        if states.phase != "sampling":
            self.warm = time.perf_counter()
            self.before = sum(iterations for iterations, _, _ in states)


def measure(executor, workers, draws, spread):
    """Evaluations per second of the whole run, and after its warm-up; processor seconds for each evaluation."""
    clock, before = Clock(), processor_seconds()
    km.sample(
        partial(sleeps, spread=spread),
        np.zeros(DIM),
        chains=workers,
        warmup=WARMUP,
        draws=draws,
        seed=1,
        executor=executor,
        progress=clock,
    )
    ended, cost = time.perf_counter(), processor_seconds() - before
    whole = workers * (WARMUP + draws + 1)
    return whole / (ended - clock.started), (whole - clock.before) / (ended - clock.warm), cost / whole


def show(name, spread, measured):
    whole, after, cost = measured
    kind = "log-normal" if spread else "constant  "
    print(f"{name:8} {kind}  all {whole * SLEEP:5.1f}   draws {after * SLEEP:5.1f}   {1e6 * cost:6.0f} µs", flush=True)


def threads(workers, draws, spread):
    with ThreadPoolExecutor(workers) as pool:
        return measure(pool, workers, draws, spread)


def dask(workers, draws, spread):
    from distributed import Client, LocalCluster

    settings = {"n_workers": 2, "threads_per_worker": workers // 2, "dashboard_address": None}
    before = processor_seconds()
    with LocalCluster(**settings) as cluster, Client(cluster) as client:
        whole, after, _ = measure(client.get_executor(), workers, draws, spread)
    # Its workers are children, whose time is known when they have ended.
    return whole, after, (processor_seconds() - before) / (workers * (WARMUP + draws + 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", default=["threads", "dask"])
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=15.0)
    arguments = parser.parse_args()
    draws = int(arguments.seconds / SLEEP)
    print(f"times the evaluations per second of one worker; {arguments.workers} workers, {WARMUP} + {draws} iterations")
    for kind in arguments.kinds:
        for spread in (0.0, 1.0):
            show(kind, spread, {"threads": threads, "dask": dask}[kind](arguments.workers, draws, spread))


if __name__ == "__main__":
    main()
