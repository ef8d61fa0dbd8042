"""Every Python block of README and docs runs: shorter, and with threads in the place of clusters."""

import concurrent.futures
import re
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import dask.distributed
import numpy as np
import pytest
from conftest import ROOT, normal

import kameleon as km


def blocks(page):
    place = ROOT if page == "README.md" else ROOT / "docs"
    return re.findall(r"```python\n(.*?)```", (place / page).read_text(), re.DOTALL)


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


@pytest.fixture
def pools(monkeypatch, tmp_path):
    """An empty folder, and pools that are threads. ArviZ looks for dask, so the rest of it stays."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(concurrent.futures, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(dask.distributed, "Client", Pool)
    for made in (module("mpi4py"), module("mpi4py.futures", MPIPoolExecutor=Pool)):
        monkeypatch.setitem(sys.modules, made.__name__, made)


def shorten(monkeypatch):
    """Runs have at most 400 draws."""
    for kind, real in {"sample": km.sample, "Ensemble": km.Ensemble, "resume": km.resume}.items():

        def short(*args, real=real, kind=kind, **more):
            if kind != "resume" or "draws" in more:
                more["draws"] = 400 if kind == "resume" else min(more.get("draws", 400), 200)
            if kind != "resume" and more.get("warmup") != "population" and "priors" not in more:
                more["warmup"] = 700
            return real(*args, **more)

        monkeypatch.setattr(km, kind, short)


def run_of(**more):
    """What a page has sampled before its first block."""
    return km.sample(
        lambda x: 8 * np.log(x[0]) - 4 * x[0], parameters=["rate"], bounds={"rate": (0, None)}, seed=1, **more
    )


def table():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(40, 2))
    return {"X": x, "y": x[:, 0] > 0, "names": ["a", "b"], "X_new": x[:3]}


GIVEN = {
    "README.md": dict,
    "python.md": lambda: {
        "start": [0.5, 0.5],
        "log_likelihood": lambda x: -0.5 * float(x @ x),
        "somewhere_else": lambda x: -0.5 * (x**2).sum(axis=-1),
    },
    "evidence.md": lambda: {"result": run_of(draws=2000, warmup=2000)},
    "gp.md": table,
    "report.md": dict,
    "thinning.md": lambda: {
        "result": km.sample(normal, [0.0, 0.0], draws=1000, warmup=1000, seed=1),
        "points": np.random.default_rng(1).normal(size=(1000, 2)),
    },
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", GIVEN)
def test_the_blocks_of_a_page_run_one_after_another(page, pools, monkeypatch):
    given = GIVEN[page]()
    folder = Path("DIR")
    folder.mkdir()
    for ending in ("nc", "parquet"):
        run_of(draws=100, warmup=300).save(folder / f"posterior.{ending}")
    shorten(monkeypatch)
    names = {"__name__": "__main__", "km": km, "np": np, **given}
    for block in blocks(page):
        exec(compile(block, page, "exec"), names)


def test_no_page_with_python_is_left_out():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    with_python = {page.name for page in pages if "```python" in page.read_text()}
    # The blocks of docs/hosts.md have tests of their own, since they need the hosts.
    assert with_python == {*GIVEN, "clusters.md", "index.md", "start.md", "hosts.md"}


@pytest.mark.parametrize("page", ["index.md", "start.md"])
def test_the_first_pages_run_and_converge(page, capsys):
    (block,) = blocks(page)
    exec(compile(block, page, "exec"), {"__name__": "__main__"})
    printed = capsys.readouterr().out
    assert "Converged" in printed
    if page == "start.md":
        table = (ROOT / "docs" / page).read_text()
        assert all(line.strip() in table for line in printed.splitlines()), printed
