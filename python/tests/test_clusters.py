"""Chains on dask, MPI, ray and parsl: the same draws, and what becomes of a run whose worker is killed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from executor_runs import FROM_PRIOR, PLAN, SHORT, KillsOnce, density, is_same_population

import kameleon as km


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
from executor_runs import FROM_PRIOR, PLAN, density, is_same_population
if __name__ == "__main__":
    with MPIPoolExecutor(1) as pool:
        result = km.sample(density, [0.0, 0.0], executor=pool, **PLAN)
        from_prior = km.sample(density, executor=pool, **FROM_PRIOR)
    assert np.array_equal(result.draws, km.sample(density, [0.0, 0.0], **PLAN).draws)
    assert is_same_population(from_prior, km.sample(density, **FROM_PRIOR))
    print("the same draws")
"""

MPI_KILLED = """
from mpi4py.futures import MPIPoolExecutor
import kameleon as km
from executor_runs import SHORT, KillsOnce
if __name__ == "__main__":
    with MPIPoolExecutor(1) as pool:
        km.sample(KillsOnce("killed"), [0.0, 0.0], executor=pool, checkpoint="run", **SHORT)
    print("survived")
"""

RAY = """
import os, ray, numpy as np, kameleon as km
from executor_runs import KillsOnce, SHORT, density
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
import os, numpy as np, kameleon as km
from parsl.concurrent import ParslPoolExecutor
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.providers import LocalProvider
from executor_runs import KillsOnce, SHORT, density
if __name__ == "__main__":
    local = LocalProvider(init_blocks=1, max_blocks=1)
    node = {"max_workers_per_node": 2, "address": "127.0.0.1", "encrypted": False, "heartbeat_period": 2}
    workers = HighThroughputExecutor(provider=local, **node)
    with ParslPoolExecutor(config=Config(executors=[workers], initialize_logging=False)) as pool:
        result = km.sample(KillsOnce("killed"), [0.0, 0.0], executor=pool, **SHORT)
    assert os.path.exists("killed"), "a worker was lost"
    assert np.array_equal(result.draws, km.sample(density, [0.0, 0.0], **SHORT).draws)
    print("the same draws")
"""


def run_script(script, folder, *launcher):
    """Runs a script that imports the density of these tests, there and on its workers."""
    (folder / "script.py").write_text(script)
    paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    programs = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PATH": os.pathsep.join(programs)}
    command = [*(launcher or [sys.executable]), "script.py"]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, env=environment, cwd=folder)


def check_script(script, folder, *launcher):
    """The script prints that the draws are the same."""
    done = run_script(script, folder, *launcher)
    assert "the same draws" in done.stdout, done.stderr


def mpiexec():
    """The MPI that is installed beside Python, or else that of the machine, with the flags that two ranks need."""
    beside = Path(sys.executable).with_name("mpiexec")
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        pytest.skip("no MPI on this machine, so mpi4py.futures is not tested")
    about = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=60).stdout
    is_open_mpi = "Open MPI" in about or "OpenRTE" in about
    return [found, *(["--allow-run-as-root", "--oversubscribe"] if is_open_mpi else []), "-n", "2"]


def test_two_ranks_of_mpi_give_the_same_draws_also_after_a_population(tmp_path):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed, so mpi4py.futures is not tested")
    check_script(MPI, tmp_path, *mpiexec(), sys.executable, "-m", "mpi4py.futures")


def test_a_killed_rank_ends_an_mpi_job_which_is_resumed_from_its_folder(tmp_path):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed, so mpi4py.futures is not tested")
    done = run_script(MPI_KILLED, tmp_path, *mpiexec(), sys.executable, "-m", "mpi4py.futures")
    assert done.returncode != 0 and "survived" not in done.stdout and (tmp_path / "killed").exists()
    resumed = km.resume(tmp_path / "run", density)
    assert np.array_equal(resumed.draws, km.sample(density, [0.0, 0.0], **SHORT).draws)


def test_ray_gives_the_same_draws_also_after_the_loss_of_a_worker(tmp_path):
    pytest.importorskip("ray", reason="ray is not installed, so it is not tested")
    check_script(RAY, tmp_path)


def test_parsl_gives_the_same_draws_also_after_the_loss_of_a_worker(tmp_path):
    pytest.importorskip("parsl", reason="parsl is not installed, so it is not tested")
    check_script(PARSL, tmp_path)
