"""Draws that stand for all of them."""

import re

import numpy as np
import pytest
from conftest import ROOT, normal

import kameleon as km


@pytest.fixture(scope="module")
def result():
    return km.sample(
        lambda x: -0.5 * (x @ x), np.zeros(3), parameters=["a", "b[0]", "b[1]"], draws=4000, chains=2, seed=1
    )


def test_what_is_kept_can_be_traced_and_has_the_names_and_shapes_of_the_parameters(result):
    thinned = result.thin_to(64)
    assert thinned.points.shape == (64, 3) and list(thinned) == list(result.variables) == ["a", "b"]
    assert thinned["a"].shape == (64,) and thinned["b"].shape == (64, 2)
    np.testing.assert_array_equal(result.draws[thinned.chain, thinned.draw], thinned.points)
    np.testing.assert_array_equal(result.log_density[thinned.chain, thinned.draw], thinned.log_density)
    np.testing.assert_array_equal(dict(thinned)["b"], thinned.points[:, 1:])
    with pytest.raises(km.ParameterError, match="'c'"):
        thinned["c"]
    assert repr(thinned).startswith("<64 of 8000 draws of a, b, MMD to all of them 0.0")


def test_the_discrepancy_is_below_a_quarter_and_a_seed_makes_one_choice(result):
    thinned, again, other = result.thin_to(64), result.thin_to(64), result.thin_to(64, seed=2)
    assert thinned.mmd < 0.25 * thinned.mmd_standard
    np.testing.assert_array_equal(thinned.points, again.points)
    assert (thinned.points.shape == other.points.shape) and (thinned.points != other.points).any()


def test_weighted_draws_and_changed_densities_are_thinned_by_their_weights(result):
    weighted = result.thin_to(64, weighted=True)
    assert weighted.weighted and abs(weighted["a"].mean()) < 0.1 and np.isnan(weighted.log_density).all()
    changed = km.reweight(result, lambda x: 0.5 * x[0])
    shifted = result.thin_to(64, log_weights=changed.log_weights)
    assert abs(shifted["a"].mean() - changed["a"]["mean"]) < 0.05 < changed["a"]["mean"]
    assert abs(result.thin_to(64)["a"].mean()) < 0.05


def test_plain_arrays_are_thinned_too():
    points = np.random.default_rng(1).normal(size=(3000, 2))
    kept = km.diagnose.thin(points, 30)
    assert len(set(kept.tolist())) == 30 and (abs(points[kept].mean(axis=0)) < 0.1).all()
    heavy = np.where(points[:, 0] > 0, 0.0, -np.inf)
    assert (points[km.diagnose.thin(points, 30, log_weights=heavy), 0] > 0).all()


def test_the_report_shows_what_was_kept(result, tmp_path):
    result.report(tmp_path / "report.html", thinned=result.thin_to(20))
    assert "<dt>thinned to</dt><dd>20 of 8000 draws" in (tmp_path / "report.html").read_text()
    result.report(tmp_path / "report.html", thinned=result.thin_to(20, weighted=True))
    assert "weighted draws, MMD" in (tmp_path / "report.html").read_text()


def test_what_cannot_be_thinned_is_refused_in_words(result):
    for wrong, words in {
        8001: "8001 draws cannot be kept: there are only 8000",
        0: "at least one draw must be kept",
        -1: "must not be negative",
        2.5: "must be a whole number",
    }.items():
        with pytest.raises(km.SettingsError, match=words):
            result.thin_to(wrong)
    with pytest.raises(km.SettingsError, match="must have the shape"):
        result.thin_to(5, log_weights=np.zeros(7))
    with pytest.raises(km.SettingsError, match="weights of their own"):
        result.thin_to(5, weighted=True, log_weights=np.zeros((2, 4000)))
    with pytest.raises(km.SettingsError, match="not finite"):
        km.diagnose.thin([[1.0], [np.nan]], 1)
    with pytest.raises(km.SettingsError, match=r"\(draws, parameters\)"):
        km.diagnose.thin([1.0, 2.0], 1)
    with pytest.raises(km.KameleonError, match="SM makes no jumps"):
        km.sample(normal, [0.0], sampler=km.SM(), draws=100, seed=1).thin_to(5, weighted=True)


def test_the_page_about_thinning_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = km.sample(km.targets.Banana(2), draws=1000, warmup=1500, chains=2, seed=1)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/thinning.md").read_text(), re.DOTALL)
    assert len(blocks) == 1
    exec(blocks[0], {"km": km, "result": result, "points": result.draws[0]})
    assert (tmp_path / "report.html").exists()
