"""Chains on other processes: the same draws, and none lost."""

import math
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import kameleon as km

PLAN = {"draws": 200, "warmup": 700, "chains": 3, "seed": 7, "pool": False}


def density(x):
    return -0.5 * math.fsum(v * v for v in x)


def fails_on_the_worker(x):
    if x[0] > 1:
        raise ArithmeticError("too far")
    return -0.5 * x[0] ** 2


class KillsOnce:
    """A log density that kills its process the first time that it is evaluated anywhere."""

    def __init__(self, marker):
        self.marker = str(marker)
        self.home = os.getpid()

    def __call__(self, x):
        try:
            os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return density(x)
        assert os.getpid() != self.home, "the test must not kill itself"
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(scope="module")
def here():
    return km.sample(density, [0.0, 0.0], **PLAN)


def test_a_process_pool_gives_the_same_draws(here):
    with ProcessPoolExecutor(2) as pool:
        result = km.sample(density, [0.0, 0.0], executor=pool, **PLAN)
        native = km.sample(km.targets.Banana(2), executor=pool, **PLAN)
    assert np.array_equal(result.draws, here.draws)
    assert np.array_equal(native.draws, km.sample(km.targets.Banana(2), **PLAN).draws)
    assert result.complete and result.stats["evaluations"] == 3 * 901
    assert "x1" in repr(result.summary())


def test_a_killed_worker_costs_no_draws(here, tmp_path):
    with ProcessPoolExecutor(2) as pool, pytest.warns(km.KameleonWarning, match="run again"):
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
    with ThreadPoolExecutor(1) as pool, pytest.raises(km.SettingsError, match="executor"):
        km.sample(density, [0.0], executor=pool, checkpoint="somewhere", **PLAN)


def test_threads_are_an_executor_too(here):
    with ThreadPoolExecutor(2) as pool:
        assert np.array_equal(km.sample(density, [0.0, 0.0], executor=pool, **PLAN).draws, here.draws)


def test_a_dask_cluster_gives_the_same_draws_and_survives_the_loss_of_a_worker(here, tmp_path):
    distributed = pytest.importorskip("distributed")
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        pool = client.get_executor()
        assert np.array_equal(km.sample(density, [0.0, 0.0], executor=pool, **PLAN).draws, here.draws)
        lossy = km.sample(KillsOnce(tmp_path / "killed"), [0.0, 0.0], executor=pool, **PLAN)
    assert np.array_equal(lossy.draws, here.draws)


MPI = """
from mpi4py.futures import MPIPoolExecutor
import numpy as np, kameleon as km
from test_executors import PLAN, density
if __name__ == "__main__":
    with MPIPoolExecutor(1) as pool:
        result = km.sample(density, [0.0, 0.0], executor=pool, **PLAN)
    assert np.array_equal(result.draws, km.sample(density, [0.0, 0.0], **PLAN).draws)
    print("the same draws")
"""


def test_two_ranks_of_mpi_give_the_same_draws(tmp_path):
    if shutil.which("mpiexec") is None:
        pytest.skip("no MPI on this machine, so mpi4py.futures is not tested")
    pytest.importorskip("mpi4py", reason="mpi4py is not installed, so mpi4py.futures is not tested")
    (tmp_path / "script.py").write_text(MPI)
    command = ["mpiexec", "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.executable, "-m", "mpi4py.futures"]
    here = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(here)}
    script = [*command, str(tmp_path / "script.py")]
    done = subprocess.run(script, capture_output=True, text=True, timeout=100, env=environment)
    assert "the same draws" in done.stdout, done.stderr
