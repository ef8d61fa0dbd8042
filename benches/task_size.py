"""What is shipped to a worker and back with each task, and what a task costs the process that the run stays in.

    pip install . && python benches/task_size.py

Tasks are run at once in this process, as few as can be and then many short ones; the processor time of their work is
not counted, so the difference is what it takes to send a task and to take its answer.
"""

import time
from concurrent.futures import Future

import numpy as np

import kameleon as km
from kameleon import executors


class Here:
    """An executor that notes the sizes of tasks and answers, and the time that the work takes."""

    def __init__(self):
        self.sizes = []
        self.seconds = 0.0

    def submit(self, function, task, attempt):
        started = time.thread_time()
        future = Future()
        future.set_result(function(task, attempt))
        self.seconds += time.thread_time() - started
        self.sizes.append((len(task[2]), len(future.result()[0])))
        return future


def slow(x):
    """A millisecond is enough for tasks of few evaluations."""
    time.sleep(0.001)
    return -0.5 * float(x @ x)


def measure(dim, task_time):
    """The sizes of all tasks of a run, and its processor seconds besides the work of the tasks."""
    executors.TASK_TIME = task_time
    pool, started = Here(), time.process_time()
    km.sample(slow, np.zeros(dim), chains=8, warmup=1000, draws=1000, seed=1, executor=pool, check="off")
    return np.array(pool.sizes), time.process_time() - started - pool.seconds


def main():
    print("kilobytes there and back, while chains learn and at the end; ms of processor time here for each task")
    for dim in (2, 8, 50):
        few, without = measure(dim, 60.0)
        many, cost = measure(dim, 0.001)
        (a, b), (c, d) = few[: len(few) // 2].mean(axis=0) / 1e3, many[-100:].mean(axis=0) / 1e3
        each = 1e3 * (cost - without) / (len(many) - len(few))
        print(f"{dim:3} dimensions: {a:5.0f} {b:5.0f}   {c:5.0f} {d:5.0f}   {each:5.2f} ms ({len(many)} tasks)")


if __name__ == "__main__":
    main()
