"""The Python blocks of the first pages run, and those of docs/clusters.md with threads in the place of clusters."""

import re
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import numpy as np
import pytest
from conftest import ROOT, normal

import kameleon as km


def blocks(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)


BLOCKS = blocks("clusters.md")
SHORT = {"chains": 2, "warmup": 20, "draws": 10, "sampler": km.SM()}


class Pool(ThreadPoolExecutor):
    """What clusters give: an executor. It has whatever else the page asks of one."""

    def __init__(self, *_, **__):
        super().__init__(2)

    def get_executor(self):
        return self

    def scale(self, jobs):
        assert jobs > 0


def module(name, **content):
    made = types.ModuleType(name)
    vars(made).update(content)
    return made


@pytest.fixture
def cluster(monkeypatch, tmp_path):
    """A folder with the simulator and fit.py, and clusters that are threads."""
    monkeypatch.chdir(tmp_path)
    sums = "import sys\nprint(-0.5 * sum(float(x) ** 2 for x in sys.argv[1:]))\n"
    (tmp_path / "simulator").write_text(f"#!{sys.executable} -S\n{sums}")
    (tmp_path / "simulator").chmod(0o755)

    def remote(function):
        pool = Pool()
        return types.SimpleNamespace(
            remote=lambda *args: types.SimpleNamespace(future=lambda: pool.submit(function, *args))
        )

    for made in (
        module("dask"),
        module("dask.distributed", Client=Pool),
        module("dask_jobqueue", SLURMCluster=lambda **_: nullcontext(Pool())),
        module("mpi4py"),
        module("mpi4py.futures", MPIPoolExecutor=Pool),
        module("ray", init=lambda: None, remote=remote),
        module("fit", log_density=normal),
    ):
        monkeypatch.setitem(sys.modules, made.__name__, made)
    for kind, real in {"sample": km.sample, "Ensemble": km.Ensemble}.items():
        monkeypatch.setattr(km, kind, lambda *args, real=real, **more: real(*args, **{**more, **SHORT}))


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_of_the_page_about_clusters_runs(cluster, block):
    rows = {"evaluate_somewhere": lambda points: -0.5 * (points**2).sum(axis=1)}
    names = {"__name__": "__main__", **rows}
    exec(compile(block, "docs/clusters.md", "exec"), names)
    assert names["result"].draws.shape == (2, 10, 2) and np.isfinite(names["result"].draws).all()


def test_the_page_has_a_block_for_each_kind_of_cluster():
    assert len(BLOCKS) == 5


@pytest.mark.parametrize("page", ["index.md", "start.md"])
def test_the_first_pages_run_and_converge(page, capsys):
    (block,) = blocks(page)
    exec(compile(block, page, "exec"), {"__name__": "__main__"})
    printed = capsys.readouterr().out
    assert "Converged" in printed
    if page == "start.md":
        table = (ROOT / "docs" / page).read_text()
        assert all(line.strip() in table for line in printed.splitlines()), printed
