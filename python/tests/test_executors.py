"""Chains on other processes: the same draws, errors that come back, folders and Ctrl-C."""

import math
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from executor_runs import PLAN, KillsOnce, density

import kameleon as km


def test_a_process_pool_gives_the_same_draws(here):
    seen = []
    with ProcessPoolExecutor(2) as pool:
        result = km.sample(density, [0.0, 0.0], executor=pool, progress=seen.append, **PLAN)
        native = km.sample(km.targets.Banana(2), executor=pool, **PLAN)
        rival = km.sample(km.targets.Banana(2), sampler=km.DEMCZ(), executor=pool, **PLAN)
    assert np.array_equal(result.draws, here.draws)
    assert all(np.array_equal(a, b) for a, b in zip(result.weighted_draws(), here.weighted_draws(), strict=True))
    assert result.evidence == here.evidence
    assert np.array_equal(native.draws, km.sample(km.targets.Banana(2), **PLAN).draws)
    assert np.array_equal(rival.draws, km.sample(km.targets.Banana(2), sampler=km.DEMCZ(), **PLAN).draws)
    assert result.complete and result.stats["evaluations"] == 5 * 1801
    assert [iterations for iterations, _, _ in seen[-1]] == 5 * [1800]
    assert result.learned == here.learned and "x1" in repr(result.summary())


def test_noise_normals_and_rows_are_those_of_a_run_without_executor():
    short = {**PLAN, "chains": 2, "draws": 100, "sampler": km.AM(), "warmup": 600}
    kinds = [
        (noisy, {}),
        (with_normals, {"normals": 3, "correlated": 0.9}),
        (rows, {"vectorized": True}),
        (noisy_rows, {"vectorized": True}),
        (rows_with_normals, {"vectorized": True, "normals": 3}),
    ]
    with ProcessPoolExecutor(2) as pool:
        for function, more in kinds:
            there = km.sample(function, [0.0, 0.0], executor=pool, **short, **more)
            assert np.array_equal(there.draws, km.sample(function, [0.0, 0.0], **short, **more).draws), function


def noisy(x, rng):
    return density(x) + 0.3 * rng.standard_normal()


def with_normals(x, u):
    return density(x) + 0.1 * u.sum()


def rows(x):
    return -0.5 * (x**2).sum(axis=1)


def noisy_rows(x, rngs):
    return rows(x) + [0.3 * rng.standard_normal() for rng in rngs]


def rows_with_normals(x, u):
    return rows(x) + 0.1 * u.sum(axis=1)


def fails_on_the_worker(x):
    if x[0] > 1:
        raise ArithmeticError("too far")
    return -0.5 * x[0] ** 2


def test_an_exception_on_a_worker_comes_back_with_what_was_drawn():
    with ProcessPoolExecutor(1) as pool, pytest.raises(km.TargetError) as caught:
        km.sample(fails_on_the_worker, [0.0], executor=pool, **PLAN)
    assert isinstance(caught.value.__cause__, ArithmeticError)
    assert any("fails_on_the_worker" in note for note in caught.value.__cause__.__notes__)
    assert caught.value.result.stats["evaluations"] > 1


def test_what_cannot_be_sent_is_told():
    with ProcessPoolExecutor(1) as pool, pytest.raises(km.SettingsError, match="top of a module"):
        km.sample(lambda x: 0.0, [0.0], executor=pool, **PLAN)
    with pytest.raises(km.SettingsError, match="executor"):
        km.sample(density, [0.0], executor="process", **PLAN)
    with multiprocessing.Pool(1) as pool, pytest.raises(km.SettingsError, match="take ProcessPoolExecutor"):
        km.sample(density, [0.0], executor=pool, **PLAN)
    with ThreadPoolExecutor(1) as pool:
        for make in (km.sample, lambda _, start, **plan: km.Ensemble(start, **plan)):
            with pytest.raises(km.SettingsError, match=r"pool: must be True or False.*learn together.*`executor`"):
                make(density, [0.0], pool=pool, **PLAN)
    with ThreadPoolExecutor(1) as pool, pytest.raises(km.StartError, match="cannot start"):
        km.sample(nowhere, [0.0], executor=pool, **PLAN)


def nowhere(x):
    return -math.inf


def test_a_run_on_an_executor_is_kept_in_a_folder_and_ends_by_a_rule(here, tmp_path):
    rule = {**PLAN, "draws": 5000, "until": "ess=300"}
    with ThreadPoolExecutor(2) as pool:
        whole = km.sample(density, [0.0, 0.0], executor=pool, checkpoint=tmp_path / "whole", **PLAN)
        short = km.sample(density, [0.0, 0.0], executor=pool, checkpoint=tmp_path / "a", **{**PLAN, "draws": 100})
        longer = km.resume(tmp_path / "a", density, draws=300, executor=pool)
        ruled = km.sample(density, [0.0, 0.0], executor=pool, **rule)
        km.sample(km.targets.Banana(2), checkpoint=tmp_path / "b", **{**PLAN, "draws": 100})
        native = km.resume(tmp_path / "b", draws=300, executor=pool)
    assert np.array_equal(native.draws, km.sample(km.targets.Banana(2), **PLAN).draws)
    assert np.array_equal(whole.draws, here.draws) and np.array_equal(km.load(tmp_path / "whole").draws, here.draws)
    assert short.draws.shape[1] == 100 and np.array_equal(longer.draws, here.draws)
    assert ruled.draws.shape[1] < 5000 and ruled.reason == km.sample(density, [0.0, 0.0], **rule).reason


def test_ctrl_c_returns_the_tasks_that_came_back(monkeypatch):
    monkeypatch.setattr("kameleon.executors.TASK_TIME", 0.05)

    def press(states):
        if min(iterations for iterations, _, _ in states) > 700:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(2) as pool, pytest.warns(km.KameleonWarning, match="stopped before its end"):
        plan = {**PLAN, "pool": False, "warmup": 500, "draws": 10**6, "sampler": km.SM()}
        result = km.sample(density, [0.0], executor=pool, progress=press, **plan)
    assert not result.complete and result.draws.shape[1] >= 200


class Interrupted(KillsOnce):
    """A noisy log density whose process gets Ctrl-C once, in the middle of an evaluation."""

    def __call__(self, x, rng):
        noise = 0.1 * rng.standard_normal()
        self.calls += 1
        if self.calls == 700 and not os.path.exists(self.marker):
            Path(self.marker).touch()
            raise KeyboardInterrupt
        return density(x) + noise


def test_ctrl_c_on_a_worker_alone_changes_nothing(tmp_path):
    with ProcessPoolExecutor(1) as pool:
        there = km.sample(Interrupted(tmp_path / "interrupted"), [0.0, 0.0], executor=pool, **PLAN)
    assert there.complete and (tmp_path / "interrupted").exists()
    assert np.array_equal(there.draws, km.sample(Interrupted(tmp_path / "interrupted"), [0.0, 0.0], **PLAN).draws)


def test_a_run_interrupted_within_an_evaluation_is_stopped_and_resumed_exactly(tmp_path):
    function = Interrupted(tmp_path / "interrupted")
    with pytest.warns(km.KameleonWarning, match="stopped before its end"):
        stopped = km.sample(function, [0.0, 0.0], checkpoint=tmp_path / "run", **PLAN)
    assert not stopped.complete
    whole = km.sample(function, [0.0, 0.0], **PLAN)
    assert np.array_equal(km.resume(tmp_path / "run", function).draws, whole.draws)
