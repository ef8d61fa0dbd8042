"""How many times as many evaluations per second many workers make as one, for a model that sleeps.

    pip install . psutil "dask[distributed]"
    python benches/cluster.py [plain] [threads] [dask] [ensemble] [--workers 64]

The model sleeps 20 ms, or a log-normal time (sd 1 in the log) with that mean. Sleeping costs no core, so this runs
on two. A run has one chain for each worker, and is kept in a folder. "all" is the whole run, with the learning in its
warm-up and the summary at its end; "draws" is what comes after the warm-up. A worker that does nothing else makes an
evaluation in the time that it sleeps: the ratios are to that. Processor time is that of this process and its children
for each evaluation, with the model's own; "plain" is the model alone, called in a loop by as many threads. "ensemble"
asks `km.Ensemble` for a point of every chain and waits for all of them, a batch at a time; what its own calls cost is
told apart.
"""

import argparse
import tempfile
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import psutil

import kameleon as km

SLEEP = 0.02
WARMUP, DIM = 600, 8
TIMES = SLEEP * np.exp(np.random.default_rng(1).standard_normal(1 << 14) - 0.5)
TIMES *= SLEEP / TIMES.mean()


def sleeps(x, varies):
    """A normal density that takes its time, which depends on the point alone."""
    time.sleep(TIMES[zlib.crc32(x.tobytes()) % len(TIMES)] if varies else SLEEP)
    return -0.5 * float(x @ x)


def processor_seconds():
    """Of this process and of its children."""
    times = [process.cpu_times() for process in [psutil.Process(), *psutil.Process().children(recursive=True)]]
    return sum(each.user + each.system for each in times)


class Moment:
    """The evaluations made, the time, and the processor time at a moment."""

    def __init__(self, evaluations=0):
        self.evaluations = evaluations
        self.time = time.perf_counter()
        self.processor = processor_seconds()

    def until(self, later):
        """Times the evaluations per second of one worker, and processor microseconds for each, from here on."""
        made = later.evaluations - self.evaluations
        return made * SLEEP / (later.time - self.time), 1e6 * (later.processor - self.processor) / made


def measure(executor, workers, draws, varies):
    """Of a whole run, and of it after the warm-up, to which it is resumed."""
    model = partial(sleeps, varies=varies)
    with tempfile.TemporaryDirectory() as folder:
        place = folder + "/run"
        plan = {"chains": workers, "warmup": WARMUP, "draws": 1, "seed": 1}
        begin = Moment()
        km.sample(model, np.zeros(DIM), executor=executor, checkpoint=place, **plan)
        warm = Moment(workers * (WARMUP + 1))
        km.resume(place, model, draws=draws, executor=executor, trust=True)
        end = Moment(workers * (WARMUP + draws))
    return begin.until(end), warm.until(end)


def plain(workers, draws, varies):
    """The model alone, at points that differ."""
    begin = Moment()
    points = np.random.default_rng(2).normal(size=(workers, draws, DIM))
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(lambda mine: [sleeps(x, varies) for x in mine], points))
    end = begin.until(Moment(workers * draws))
    return end, end


def threads(workers, draws, varies):
    with ThreadPoolExecutor(workers) as pool:
        return measure(pool, workers, draws, varies)


def dask(workers, draws, varies):
    from distributed import Client, LocalCluster

    settings = {"n_workers": 2, "threads_per_worker": workers // 2, "dashboard_address": None}
    with LocalCluster(**settings) as cluster, Client(cluster) as client:
        return measure(client.get_executor(), workers, draws, varies)


def ensemble(workers, draws, varies):
    """Batches of a point of each chain, evaluated by as many threads."""
    chains = km.Ensemble(np.zeros(DIM), chains=workers, warmup=WARMUP, draws=draws, seed=1)
    model, made, own, warm = partial(sleeps, varies=varies), 0, [0.0, 0.0], None
    begin = Moment()
    with ThreadPoolExecutor(workers) as pool:
        while not chains.done:
            before = time.thread_time()
            points = chains.ask()
            asked = time.thread_time()
            values = list(pool.map(model, points))
            answered = time.thread_time()
            chains.tell(values)
            own[warm is not None] += asked - before + time.thread_time() - answered
            made += len(points)
            if warm is None and made >= workers * (WARMUP + 1):
                warm = Moment(made)
    end = Moment(made)
    each = 1e6 * sum(own) / made, 1e6 * own[1] / (made - warm.evaluations)
    print(f"{'':20} ask and tell: {each[0]:.1f} µs of the processor an evaluation, {each[1]:.1f} after the warm-up")
    return begin.until(end), warm.until(end)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", default=["plain", "threads", "dask", "ensemble"])
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--draws", type=int, default=1000)
    given = parser.parse_args()
    print(f"{given.workers} workers, a chain for each, of {WARMUP} + {given.draws} iterations")
    print("                      speed: all  draws      processor µs: all  draws")
    for kind in given.kinds:
        for varies in (False, True):
            run = {"plain": plain, "threads": threads, "dask": dask, "ensemble": ensemble}[kind]
            (all_speed, all_cost), (speed, cost) = run(given.workers, given.draws, varies)
            name = f"{kind:8} {'log-normal' if varies else 'constant'}"
            print(f"{name:20} {all_speed:10.1f} {speed:6.1f} {all_cost:22.0f} {cost:6.0f}", flush=True)


if __name__ == "__main__":
    main()
