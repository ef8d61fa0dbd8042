"""Chains on other processes: the same draws, and none lost."""

import math
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

import kameleon as km

PLAN = {"draws": 300, "warmup": 1500, "chains": 5, "seed": 8}
"""Chains that learn together."""
SHORT = {**PLAN, "chains": 2, "warmup": 800, "draws": 50}
"""For executors that take long to start."""
FROM_PRIOR = {"priors": ["normal(0, 3)"] * 2, "warmup": "population", "draws": 200, "chains": 2, "seed": 8}
"""A small population before the chains."""


def density(x):
    return -0.5 * math.fsum(v * v for v in x)


def fails_on_the_worker(x):
    if x[0] > 1:
        raise ArithmeticError("too far")
    return -0.5 * x[0] ** 2


class KillsOnce:
    """A log density that kills its process once, in the middle of a stage of the warm-up."""

    def __init__(self, marker):
        self.marker = str(marker)
        self.home = os.getpid()
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        if self.calls != 700 or os.path.exists(self.marker):
            return density(x)
        try:
            os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return density(x)
        assert os.getpid() != self.home, "the test must not kill itself"
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(scope="module")
def here():
    return km.sample(density, [0.0, 0.0], **PLAN)


@pytest.fixture(scope="module")
def here_from_prior():
    return km.sample(density, **FROM_PRIOR)


def is_same_population(there, here):
    return np.array_equal(there.draws, here.draws) and there.population == here.population and there.modes == here.modes


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


def test_a_killed_worker_costs_no_draws(here, tmp_path):
    with ProcessPoolExecutor(2) as pool, pytest.warns(km.KameleonWarning, match="takes no more work"):
        result = km.sample(KillsOnce(tmp_path / "killed"), [0.0, 0.0], executor=pool, **PLAN)
    assert np.array_equal(result.draws, here.draws)


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
    with ThreadPoolExecutor(1) as pool, pytest.raises(km.StartError, match="cannot start"):
        km.sample(nowhere, [0.0], executor=pool, **PLAN)


def nowhere(x):
    return -math.inf


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
    expected = pytest.warns(km.KameleonWarning, match=said) if always else nullcontext()
    with expected:
        result = km.sample(density, [0.0, 0.0], executor=kind(always), **PLAN)
    assert np.array_equal(result.draws, here.draws)


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
    with pytest.warns(
        km.KameleonWarning, match="takes no more work .OSError: the scheduler is gone.; the rest of 5 chains"
    ):
        result = km.sample(density, [0.0, 0.0], executor=Dies(), checkpoint=tmp_path / "run", **PLAN)
    assert result.complete and np.array_equal(result.draws, here.draws)


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


def test_a_dask_cluster_gives_the_same_draws_and_survives_the_loss_of_a_worker(here, tmp_path):
    distributed = pytest.importorskip("distributed")
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        pool = client.get_executor()
        assert np.array_equal(km.sample(density, [0.0, 0.0], executor=pool, **PLAN).draws, here.draws)
        lossy = km.sample(KillsOnce(tmp_path / "killed"), [0.0, 0.0], executor=pool, **PLAN)
    assert np.array_equal(lossy.draws, here.draws) and (tmp_path / "killed").exists()


def test_a_population_on_a_dask_cluster_is_the_same_also_after_the_loss_of_a_worker(here_from_prior, tmp_path):
    distributed = pytest.importorskip("distributed")
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        pool = client.get_executor()
        assert is_same_population(km.sample(density, executor=pool, **FROM_PRIOR), here_from_prior)
        lossy = km.sample(KillsOnce(tmp_path / "killed"), executor=pool, **FROM_PRIOR)
    assert is_same_population(lossy, here_from_prior) and (tmp_path / "killed").exists()


MPI = """
from mpi4py.futures import MPIPoolExecutor
import numpy as np, kameleon as km
from test_executors import FROM_PRIOR, PLAN, density, is_same_population
if __name__ == "__main__":
    with MPIPoolExecutor(1) as pool:
        result = km.sample(density, [0.0, 0.0], executor=pool, **PLAN)
        from_prior = km.sample(density, executor=pool, **FROM_PRIOR)
    assert np.array_equal(result.draws, km.sample(density, [0.0, 0.0], **PLAN).draws)
    assert is_same_population(from_prior, km.sample(density, **FROM_PRIOR))
    print("the same draws")
"""


RAY = """
import os, ray, numpy as np, kameleon as km
from test_executors import KillsOnce, SHORT, density
class RayExecutor:
    def submit(self, function, *args):
        return ray.remote(function).options(max_retries=0).remote(*args).future()
if __name__ == "__main__":
    paths = {"env_vars": {"PYTHONPATH": os.environ["PYTHONPATH"]}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR", runtime_env=paths)
    result = km.sample(KillsOnce("killed"), [0.0, 0.0], executor=RayExecutor(), **SHORT)
    assert os.path.exists("killed"), "a worker was lost"
    assert np.array_equal(result.draws, km.sample(density, [0.0, 0.0], **SHORT).draws)
    print("the same draws")
"""

PARSL = """
import numpy as np, kameleon as km
from parsl.concurrent import ParslPoolExecutor
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.providers import LocalProvider
from test_executors import SHORT, density
if __name__ == "__main__":
    local = LocalProvider(init_blocks=1, max_blocks=1)
    workers = HighThroughputExecutor(max_workers_per_node=2, address="127.0.0.1", encrypted=False, provider=local)
    with ParslPoolExecutor(config=Config(executors=[workers], initialize_logging=False)) as pool:
        result = km.sample(density, [0.0, 0.0], executor=pool, **SHORT)
    assert np.array_equal(result.draws, km.sample(density, [0.0, 0.0], **SHORT).draws)
    print("the same draws")
"""


def check_script(script, folder, *launcher):
    """A script that imports this module prints that the draws are the same, there and on its workers."""
    (folder / "script.py").write_text(script)
    paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    programs = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PATH": os.pathsep.join(programs)}
    command = [*(launcher or [sys.executable]), "script.py"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, env=environment, cwd=folder)
    assert "the same draws" in done.stdout, done.stderr


def test_two_ranks_of_mpi_give_the_same_draws_also_after_a_population(tmp_path):
    if shutil.which("mpiexec") is None:
        pytest.skip("no MPI on this machine, so mpi4py.futures is not tested")
    pytest.importorskip("mpi4py", reason="mpi4py is not installed, so mpi4py.futures is not tested")
    ranks = ["mpiexec", "--allow-run-as-root", "--oversubscribe", "-n", "2"]
    check_script(MPI, tmp_path, *ranks, sys.executable, "-m", "mpi4py.futures")


def test_ray_gives_the_same_draws_also_after_the_loss_of_a_worker(tmp_path):
    pytest.importorskip("ray", reason="ray is not installed, so it is not tested")
    check_script(RAY, tmp_path)


def test_parsl_gives_the_same_draws(tmp_path):
    pytest.importorskip("parsl", reason="parsl is not installed, so it is not tested")
    check_script(PARSL, tmp_path)


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
