"""Runs that are resumed with another function, and how a run ended, as its folder says."""

import numpy as np
import pytest

import kameleon as km

SHORT = {"draws": 300, "warmup": 600, "chains": 2, "seed": 1}


def normal(x):
    return -0.5 * float(x @ x)


def other(x):
    return -2.0 * float((x - 1) @ (x - 1))


def rows(x):
    return -0.5 * (x**2).sum(axis=1)


def test_another_function_is_refused_unless_it_is_trusted(tmp_path):
    km.sample(normal, [0.0, 0.0], checkpoint=tmp_path / "run", bounds=[(-9, 9), None], **SHORT)
    last = km.load(tmp_path / "run").log_density[0, -1]
    with pytest.raises(km.StoreError, match="trust=True") as refused:
        km.resume(tmp_path / "run", other, draws=400)
    assert f"its log density was {float(last)!r}"[:28] in str(refused.value)
    assert km.load(tmp_path / "run").draws.shape[1] == 300
    for same, how in ((normal, {}), (rows, {"vectorized": True})):
        assert km.resume(tmp_path / "run", same, draws=400, **how).draws.shape[1] == 400
    assert km.resume(tmp_path / "run", other, draws=500, trust=True).draws.shape[1] == 500


def test_noise_of_the_chain_is_made_again(tmp_path):
    def noisy(x, rng):
        return normal(x) + 0.7 * rng.normal()

    whole = km.sample(noisy, [0.0], **{**SHORT, "draws": 400})
    km.sample(noisy, [0.0], checkpoint=tmp_path / "run", **SHORT)
    np.testing.assert_array_equal(km.resume(tmp_path / "run", noisy, draws=400).draws, whole.draws)
    with pytest.raises(km.StoreError, match="not the one that was sampled"):
        km.resume(tmp_path / "run", lambda x, rng: noisy(x, rng) + 0.01, draws=500)


def test_a_missing_function_is_asked_for(tmp_path):
    km.sample(normal, [0.0], checkpoint=tmp_path / "run", **SHORT)
    with pytest.raises(km.SettingsError, match="pass the function again: this is a run of the Python function normal"):
        km.resume(tmp_path / "run")
    with pytest.raises(km.SettingsError, match="pass the function that is to be sampled"):
        km.sample(None, [0.0])


def test_load_knows_how_the_run_ended(tmp_path):
    def agrees(name, reason, complete):
        folder = tmp_path / name
        loaded = km.load(folder)
        assert loaded.complete is complete and reason in loaded.reason
        return loaded

    km.sample(normal, [0.0], checkpoint=tmp_path / "whole", **SHORT)
    agrees("whole", "all 300 draws were made", True)
    with pytest.warns(km.KameleonWarning, match=r"300 draws in each chain \(max_draws\) was reached before ess=100000"):
        short = km.sample(
            normal, [0.0], checkpoint=tmp_path / "rule", until="ess=100000", max_draws=300, warmup=600, seed=1
        )
    assert not short.complete
    assert agrees("rule", "(max_draws) was reached before", False).reason == short.reason
    with pytest.warns(km.KameleonWarning, match="max_minutes"):
        km.sample(normal, [0.0], checkpoint=tmp_path / "time", draws=10**8, max_minutes=0.005, seed=1)
    agrees("time", "(max_minutes) was reached", False)
    with pytest.warns(km.KameleonWarning, match="0.004 minutes"):
        km.resume(tmp_path / "time", normal, max_minutes=0.004)
    (tmp_path / "whole" / "status.toml").unlink()
    agrees("whole", "the run has not ended", False)
