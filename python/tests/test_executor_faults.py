"""Workers that die, hang or answer nonsense: no draw is lost or changed."""

import re
import time
import warnings
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext

import numpy as np
import pytest
from executor_runs import PLAN, KillsOnce, density

import kameleon as km


def test_a_killed_worker_costs_no_draws(here, tmp_path):
    with ProcessPoolExecutor(2) as pool, pytest.warns(km.KameleonWarning, match="takes no more work"):
        result = km.sample(KillsOnce(tmp_path / "killed"), [0.0, 0.0], executor=pool, **PLAN)
    assert np.array_equal(result.draws, here.draws)


class Strange:
    """An executor that does something strange with every task the first time, or always, and else runs it at once."""

    def __init__(self, always=False):
        self.always = always
        self.seen = set()

    def submit(self, function, task, attempt):
        known = task[2] in self.seen
        self.seen.add(task[2])
        future = Future()
        if known and not self.always:
            future.set_result(function(task))
        else:
            self.strange(future, function, task)
        return future


class Loses(Strange):
    """The worker is lost with its task."""

    def strange(self, future, function, task):
        future.set_exception(TimeoutError("the worker is gone"))


class Garbles(Strange):
    """The answer is damaged, is nothing at all, or is that of another task."""

    last = (b"", None, 0, 0.0)

    def strange(self, future, function, task):
        done, fault, mark, seconds = answer = function(task)
        damaged = done[:-3] + bytes([done[-3] ^ 1]) + done[-2:]
        kinds = [
            (damaged, fault, mark, seconds),
            None,
            "done",
            self.last,
            (done[:9], fault, mark, seconds),
            (done, fault),
        ]
        future.set_result(kinds[len(self.seen) % len(kinds)])
        type(self).last = answer


class Hangs(Strange):
    """One worker never answers: of the chains that are sent there nothing is heard again."""

    hung = 0

    def strange(self, future, function, task):
        if len(self.seen) % 7 == 5 and self.hung < 3:
            self.hung += 1
        else:
            future.set_result(function(task))


@pytest.mark.parametrize(("kind", "always"), [(Loses, False), (Loses, True), (Garbles, False), (Garbles, True)])
def test_a_task_that_is_lost_or_garbled_is_repeated_and_finally_run_here(here, kind, always):
    said = "lost a task 3 times .*(the worker is gone|not the answer).* of 5 chains were run in this process"
    expected = pytest.warns(km.KameleonWarning, match="lost a task 3 times") if always else nullcontext()
    with expected:
        result = km.sample(density, [0.0, 0.0], executor=kind(always), **PLAN)
    assert np.array_equal(result.draws, here.draws)
    assert any(re.search(said, warning) for warning in result.warnings) == always


def test_the_task_of_a_worker_that_hangs_is_given_to_another(here, monkeypatch):
    monkeypatch.setattr("kameleon.executors.TASK_TIME", 0.02)
    monkeypatch.setattr("kameleon.executors.POLL_TIME", 0.02)
    monkeypatch.setattr("kameleon.executors.PATIENCE", 1.5)
    pool = Hangs()
    result = km.sample(density, [0.0, 0.0], executor=pool, **PLAN)
    assert np.array_equal(result.draws, here.draws) and pool.hung == 3


class Dies(Strange):
    """A pool that dies altogether after some tasks, and takes no more."""

    death = None
    """A file that appears then."""

    def submit(self, function, task, attempt):
        if len(self.seen) == 28:
            if self.death is not None:
                self.death.touch()
            raise OSError("the scheduler is gone")
        return super().submit(function, task, attempt)

    def strange(self, future, function, task):
        future.set_result(function(task))


class OnlyThere:
    """A log density that needs its cluster: without it, there is none."""

    def __init__(self, dead):
        self.dead = dead

    def __call__(self, x):
        if self.dead.exists():
            raise OSError("this machine has no licence")
        return density(x)


def test_the_rest_of_a_run_whose_pool_died_is_run_here_with_a_warning(here, tmp_path):
    said = "takes no more work .OSError: the scheduler is gone."
    with pytest.warns(km.KameleonWarning, match=said) as told:
        result = km.sample(density, [0.0, 0.0], executor=Dies(), checkpoint=tmp_path / "run", **PLAN)
    assert result.complete and np.array_equal(result.draws, here.draws)
    assert any(re.search(said + "; the rest of 5 chains", warning) for warning in result.warnings)
    at_once = str(told[0].message)
    assert "the run goes on in this process" in at_once and f"km.resume({str(tmp_path / 'run')!r}" in at_once
    assert told[0].filename == __file__


def slowly(x):
    time.sleep(2e-4)
    return density(x)


def test_the_death_of_a_pool_is_told_when_it_is_known(here):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        seen = []

        def look(states):
            seen.append((len(told), sum(iterations for iterations, _, _ in states)))

        result = km.sample(slowly, [0.0, 0.0], executor=Dies(), progress=look, **PLAN)
    assert np.array_equal(result.draws, here.draws)
    first = next(iterations for warned, iterations in seen if warned)
    assert first < 5 * 1800 / 2 and "cannot be continued by another executor" in str(told[0].message)


def test_a_run_can_end_when_its_pool_dies_and_is_resumed_on_another(here, tmp_path):
    with pytest.raises(km.TargetError, match="takes no more work") as caught:  # warnings are errors here
        km.sample(slowly, [0.0, 0.0], executor=Dies(), checkpoint=tmp_path / "run", **PLAN)
    cause = caught.value.__cause__
    assert isinstance(cause, km.KameleonWarning) and "this process" not in str(cause)
    assert f"so the run ends. km.resume({str(tmp_path / 'run')!r}, ..., executor=another) goes on." in str(cause)
    assert caught.value.result.stats["evaluations"] < 5 * 1800
    with ThreadPoolExecutor(2) as other:
        whole = km.resume(tmp_path / "run", density, executor=other)
    assert np.array_equal(whole.draws, here.draws)


def test_a_run_whose_pool_died_keeps_its_draws_and_is_resumed_on_another(here, tmp_path):
    function, pool = OnlyThere(tmp_path / "dead"), Dies()
    pool.death = tmp_path / "dead"
    with pytest.raises(km.TargetError) as caught:
        km.sample(function, [0.0, 0.0], executor=pool, checkpoint=tmp_path / "run", **PLAN)
    kept = caught.value.result.stats["evaluations"]
    assert kept > 1000
    (tmp_path / "dead").unlink()
    with ThreadPoolExecutor(2) as other:
        whole = km.resume(tmp_path / "run", function, executor=other)
    assert np.array_equal(whole.draws, here.draws)
