"""The evidence, weighted draws and reweighting."""

import csv
import math

import numpy as np
import pytest
from conftest import normal

import kameleon as km

EXACT = math.lgamma(9) - 9 * math.log(4)
"""The logarithm of ∫ rate⁸ exp(−4 rate), for 7 events in 3 hours and the prior gamma(2, 1)."""


def events(**more):
    settings = {"draws": 4000, "seed": 3, **more}
    return km.sample("7*ln(rate) - 3*rate", parameters=["rate"], priors={"rate": "gamma(2, 1)"}, **settings)


@pytest.fixture(scope="module")
def result():
    return events()


def test_the_evidence_is_the_exact_one(result):
    evidence = result.evidence
    assert evidence.reliable and evidence.why == "" and evidence.name == "log evidence"
    assert abs(result.log_evidence - EXACT) < 4 * result.log_evidence_error < 0.1
    assert (evidence.log, evidence.error) == (result.log_evidence, result.log_evidence_error)
    assert 0 < evidence.efficiency <= 1 and evidence.pareto_k < 0.7 and evidence.largest_z < 4
    assert str(evidence).startswith("log evidence: -1.8") and str(evidence) in result._repr_html_()
    summary = result.summary()
    assert repr(summary).endswith(f"\n\n{evidence}\n{summary.caution}") and summary.evidence == evidence


def test_without_a_prior_it_is_a_normalising_constant():
    result = km.sample(normal, [0.0], draws=4000, seed=1)
    assert result.evidence.name == "log normalising constant"
    assert abs(result.log_evidence - 0.5 * math.log(2 * math.pi)) < 4 * result.log_evidence_error


def test_a_refusal_has_words_and_no_number():
    few = km.sample(km.targets.Banana(8), draws=50, warmup=2000, seed=1)
    assert not few.evidence.reliable and few.evidence.why
    assert math.isnan(few.log_evidence) and math.isnan(few.log_evidence_error) and math.isnan(few.evidence.log)
    without = events(draws=500, keep_jumps=False)
    assert str(without.evidence) == "log evidence: unknown: jump proposals were not kept (keep_jumps=False)"
    with pytest.raises(km.KameleonError, match="no weighted draws: jump proposals were not kept"):
        without.weighted_draws()
    other = km.sample(normal, [0.0], sampler=km.SM(), draws=500, seed=1)
    with pytest.raises(km.KameleonError, match="no weighted draws: SM makes no jumps"):
        other.weighted_draws()
    assert other.summary().evidence is None and "evidence" not in repr(other.summary())
    assert other.evidence is None and math.isnan(other.log_evidence)


def test_weighted_draws_give_evidence_and_means(result, tmp_path):
    points, log_weights = result.weighted_draws()
    assert points.shape == (len(log_weights), 1) and (points > 0).all()
    weights = np.exp(log_weights)
    assert abs(math.log(weights.mean()) - EXACT) < 0.05
    assert abs((weights @ points[:, 0]) / weights.sum() - 2.25) < 0.1
    result.save(tmp_path / "run.weighted.csv")
    with open(tmp_path / "run.weighted.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["log_weight"]) for row in rows] == list(log_weights)
    assert [float(row["rate"]) for row in rows] == list(points[:, 0])


def test_means_by_weights_stand_next_to_those_of_the_chains(result):
    evidence = result.evidence
    points, log_weights = result.weighted_draws()
    weights = np.exp(log_weights)
    assert evidence.means == {"rate": pytest.approx((weights @ points[:, 0]) / weights.sum())}
    assert abs(evidence.means["rate"] - 2.25) < 4 * evidence.errors["rate"] < 0.2
    assert abs(evidence.z["rate"]) == evidence.largest_z and evidence.regions_met > 0
    without = events(draws=500, keep_jumps=False).evidence
    assert without.means == without.errors == without.z == {} and math.isnan(without.largest_z)


def test_a_run_on_disk_has_the_same(result, tmp_path):
    stored = events(checkpoint=tmp_path / "run")
    read = km.load(tmp_path / "run")
    for other in (stored, read):
        assert other.evidence == result.evidence
        assert all(np.array_equal(a, b) for a, b in zip(other.weighted_draws(), result.weighted_draws(), strict=True))
    longer = km.resume(tmp_path / "run", draws=6000)
    whole = events(draws=6000)
    assert np.array_equal(longer.draws, whole.draws) and longer.evidence == whole.evidence
    longer.report(tmp_path / "page.html")
    assert "log evidence" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_reweighting_takes_a_function_an_array_or_an_expression(result):
    # An exponential prior in place of the gamma prior.
    by_function = km.reweight(result, lambda x: -math.log(x[0]))
    by_array = km.reweight(result, -np.log(result["rate"]))
    by_expression = km.reweight(result, "-ln(rate)")
    for changed in (by_function, by_array, by_expression):
        assert changed.reliable and changed.pareto_k < 0.7 and changed.ess > 500
        rate = changed["rate"]
        assert abs(rate["mean"] - 2) < 4 * rate["mcse_mean"] < 0.2
        exact = math.lgamma(8) - 8 * math.log(4) - EXACT
        assert abs(changed.log_change - exact) < 4 * changed.log_change_error < 0.2
        assert changed.log_weights.shape == result.draws.shape[:2] and "rate" in repr(changed)
        with pytest.raises(KeyError, match=r"^there is no parameter 'mu'; there is only rate$"):
            changed["mu"]
    assert by_function["rate"]["mean"] == pytest.approx(by_array["rate"]["mean"], rel=1e-12)


def test_few_draws_are_refused_and_a_run_that_is_not_converged_is_told(result):
    one = km.reweight(result, lambda x: -0.5 * ((x[0] - 2.345678) / 1e-6) ** 2)
    assert not one.reliable and len(one) == 0 and one.ess < 100 and "effective size" in one.why
    assert result.summary().converged and km.reweight(result, "0*rate").converged
    short = events(draws=200)
    changed = km.reweight(short, "0*rate")
    assert not short.summary().converged and changed.reliable and not changed.converged
    assert "The run is not converged" in repr(changed) and "not converged" not in repr(km.reweight(result, "0*rate"))


def test_a_change_that_is_too_large_is_refused(result):
    changed = km.reweight(result, lambda x: 50 * x[0])
    assert not changed.reliable and len(changed) == 0 and math.isnan(changed.log_change)
    assert repr(changed).startswith("not reliable: the change is too large for these draws")
    with pytest.raises(km.ParameterError, match=r"^there are no figures of 'rate': the change is too large"):
        changed["rate"]
    with pytest.raises(km.SettingsError, match="each draw"):
        km.reweight(result, [1.0, 2.0])
    with pytest.raises(km.SettingsError, match="NaN"):
        km.reweight(result, lambda x: math.nan)
    with pytest.raises(km.SettingsError, match="speed"):
        km.reweight(result, "speed")


def test_the_warm_up_ends_when_it_has_learned_and_is_told():
    chosen = km.sample(normal, [0.0, 0.0], draws=500, seed=1)
    assert 200 < chosen.warmup < 50_000
    assert all(chain["evaluations"] == chosen.warmup + 501 for chain in chosen.stats["chains"])
    short = km.sample(normal, [0.0, 0.0], draws=500, warmup="chains", max_warmup=1000, seed=1)
    assert short.warmup <= 1000
    assert km.sample(normal, [0.0, 0.0], draws=500, warmup=1234, seed=1).warmup == 1234
    budget = km.sample(normal, [0.0, 0.0], max_evaluations=20_000, seed=1)
    assert budget.stats["evaluations"] <= 20_000 and budget.draws.shape[1] > 2000
    assert km.sample(normal, [0.0], sampler=km.SM(), draws=500, seed=1).warmup > 0


def test_a_bad_function_for_reweighting_is_told_as_such(result):
    for bad in (lambda x: "much", lambda x: x[99], lambda: 0.0, lambda x: None, {"a": 1}):
        with pytest.raises(km.SettingsError, match="must be a function of a point"):
            km.reweight(result, bad)
