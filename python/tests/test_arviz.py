"""ArviZ: the same diagnostics, and results that it takes as its own."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import normal
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kameleon as km

arviz = pytest.importorskip("arviz")

PAIRS = {
    "r_hat": lambda x: arviz.rhat(x),
    "r_hat_bulk": lambda x: arviz.rhat(x, method="z_scale"),
    "r_hat_folded": lambda x: arviz.rhat(x, method="folded"),
    "ess_bulk": lambda x: arviz.ess(x, method="bulk"),
    "ess_tail": lambda x: arviz.ess(x, method="tail"),
    "ess_mean": lambda x: arviz.ess(x, method="mean"),
    "ess_sd": lambda x: arviz.ess(x, method="sd"),
    "mcse_mean": lambda x: arviz.mcse(x, method="mean"),
    "mcse_sd": lambda x: arviz.mcse(x, method="sd"),
}


@st.composite
def awkward(draw):
    """Draws as chains make them: correlated, drifting, stuck, rounded, heavy-tailed, of any scale."""
    chains, length = draw(st.integers(2, 5)), draw(st.integers(4, 120))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rho = draw(st.sampled_from([0.0, 0.5, 0.95, -0.7]))
    noise = rng.standard_t(draw(st.sampled_from([1.0, 3.0, 100.0])), size=(chains, length))
    x = np.empty_like(noise)
    x[:, 0] = noise[:, 0]
    for t in range(1, length):
        x[:, t] = rho * x[:, t - 1] + noise[:, t]
    match draw(st.sampled_from(["plain", "rounded", "drift", "apart", "stuck"])):
        case "rounded":
            x = np.round(x)
        case "drift":
            x += np.linspace(0, 5, length)
        case "apart":
            x += 3 * np.arange(chains)[:, None]
        case "stuck":
            x[0] = x[0, 0]
    # Not too far from zero: ArviZ itself loses figures there.
    return draw(st.sampled_from([1.0, 1e-3, 1e6])) * (x + draw(st.sampled_from([0.0, 10.0])))


@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(awkward())
def test_diagnostics_are_those_of_arviz(x):
    for name, theirs in PAIRS.items():
        with np.errstate(all="ignore"):
            expected = np.ravel(theirs(x))[0]
        np.testing.assert_allclose(getattr(km.diagnose, name)(x), expected, rtol=1e-8, err_msg=name)
    for p in (0.05, 0.5, 0.9):
        np.testing.assert_allclose(km.diagnose.ess_quantile(x, p), arviz.ess(x, method="quantile", prob=p), rtol=1e-8)
        np.testing.assert_allclose(km.diagnose.mcse_quantile(x, p), arviz.mcse(x, method="quantile", prob=p), rtol=1e-8)


def test_edge_cases_are_those_of_arviz():
    rng = np.random.default_rng(1)
    for x in [np.ones((2, 10)), rng.normal(size=(1, 50)), rng.normal(size=(3, 3)), np.full((2, 8), np.nan)]:
        for name in ("ess_bulk", "ess_mean", "r_hat"):
            with np.errstate(all="ignore"):
                expected = np.ravel(PAIRS[name](x))[0]
            np.testing.assert_allclose(getattr(km.diagnose, name)(x), expected, rtol=1e-8, err_msg=f"{name} {x.shape}")


def test_one_number_for_each_parameter_of_an_array():
    x = np.random.default_rng(1).normal(size=(4, 100, 2, 3))
    found = km.diagnose.ess_bulk(x)
    assert found.shape == (2, 3) and found[1, 2] == km.diagnose.ess_bulk(x[:, :, 1, 2])
    with pytest.raises(km.SettingsError, match="draws"):
        km.diagnose.ess_bulk(1.0)


def test_mmd_sees_a_shift_and_nothing_else():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 300, 2))
    assert abs(km.diagnose.mmd2(x, y)) < 0.02 < km.diagnose.mmd2(x, y + 1)
    with pytest.raises(km.SettingsError, match="columns"):
        km.diagnose.mmd2(x, y[:, :1])


@pytest.fixture(scope="module")
def result():
    return km.sample(
        normal, parameters={"mu": 3, "log_sigma": ()}, draws=300, warmup=700, chains=2, seed=1, keep_warmup=True
    )


def test_a_result_becomes_inference_data(result):
    data = result.to_arviz()
    assert data.posterior["mu"].shape == (2, 300, 3) and data.posterior["log_sigma"].shape == (2, 300)
    assert np.array_equal(data.posterior["mu"], result["mu"])
    assert np.array_equal(data.sample_stats["lp"], result.log_density)
    weights = np.asarray(data.sample_stats["jump_log_weight"])
    assert np.array_equal(weights[~np.isnan(weights)], result.weighted_draws()[1])
    assert data.warmup_posterior["mu"].shape == (2, 700, 3)
    table = arviz.summary(data, var_names=["log_sigma"], round_to="none")
    assert table["ess_bulk"].iloc[0] == pytest.approx(result.summary()["log_sigma"]["ess_bulk"], rel=1e-8)


def test_a_saved_result_is_opened_by_arviz(result, tmp_path):
    result.save(tmp_path / "run.nc")
    data = arviz.from_netcdf(tmp_path / "run.nc")
    assert np.array_equal(data.posterior["mu"], result["mu"])
    result.save(tmp_path / "run.csv")
    assert len((tmp_path / "run.csv").read_text().splitlines()) == 601
    with pytest.raises(km.SettingsError, match="parquet"):
        result.save(tmp_path / "run.txt")
    with pytest.raises(km.StoreError):
        result.save(tmp_path / "nowhere" / "run.nc")


def test_the_report_is_one_page(result, tmp_path):
    result.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html") and "log_sigma" in page


NEW = """
import sys; sys.path.insert(0, sys.argv[1])
import arviz, numpy as np, kameleon as km
result = km.sample(km.targets.Banana(2), draws=300, warmup=1000, chains=2, seed=1)
data = result.to_arviz()
assert int(arviz.__version__.split(".")[0]) >= 1
assert np.array_equal(data["posterior"]["x1"], result["x1"])
assert np.array_equal(data["sample_stats"]["lp"], result.log_density)
weights = np.asarray(data["sample_stats"]["jump_log_weight"])
assert np.array_equal(weights[~np.isnan(weights)], result.weighted_draws()[1])
"""


def test_newer_arviz_gets_a_data_tree(tmp_path):
    python = os.environ.get("KAMELEON_TEST_PYTHON_NEW", "")
    if not python or not Path(python).exists():
        pytest.skip("no Python with ArviZ 1.x (KAMELEON_TEST_PYTHON_NEW), so the package is not tested with it")
    (tmp_path / "kameleon").symlink_to(Path(km.__file__).parent)
    done = subprocess.run([python, "-c", NEW, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_package_needs_numpy_only():
    heavy = ["arviz", "dask", "pymc", "matplotlib", "numba"]
    code = f"import sys, kameleon; sys.exit(any(name in sys.modules for name in {heavy}))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_where_the_draws_came_from_is_told_and_the_warm_up_has_its_statistics():
    result = km.sample(km.targets.Banana(2, b=0.01), draws=200, warmup=600, chains=2, seed=1, keep_warmup=True)
    data = result.to_arviz()
    assert data.warmup_sample_stats["lp"].shape == data.warmup_posterior["x1"].shape == (2, 600)
    attributes = data.posterior.attrs
    assert attributes["inference_library"] == "kameleon" and attributes["tuning_steps"] == 600
    assert attributes["created_at"] and attributes["sampling_time"] > 0 and attributes["thin"] == 1
    with pytest.raises(km.SettingsError, match="is known for PyMC models only"):
        result.to_arviz(log_likelihood=True)


def test_the_summary_is_a_table_of_pandas_and_reprs_are_short():
    result = km.sample(km.targets.Gaussian(np.zeros(20), np.eye(20)), draws=200, warmup=600, chains=2, seed=1)
    table = result.summary().to_dataframe()
    assert list(table.index) == result.names and list(table.columns) == list(km.summary.COLUMNS)
    assert table.loc["x3", "mean"] == result.summary()["x3"]["mean"]
    assert "… 20 in all" in repr(result) and len(repr(result)) < 120
    assert len(repr(result.stats)) < 300 and len(result.stats["chains"]) == 2


def test_data_of_built_in_posteriors_reach_arviz():
    result = km.sample(km.targets.EightSchools(), warmup=500, draws=100, chains=2, seed=1, check="off")
    data = result.to_arviz()
    assert list(data.observed_data["effect"].values[:3]) == [28.0, 8.0, -3.0]
