"""The verdict, from Python: the check of draws by the log densities stored with them, goals, runs without draws."""

import numpy as np
import pytest

import kameleon as km


@pytest.mark.parametrize(("seed", "doubted"), [(180, True), (7, False)])
def test_the_verdict_is_what_the_check_says_where_chains_agree(seed, doubted):
    result = km.sample(km.targets.Banana(dim=3, b=0.1), warmup=2000, draws=2000, seed=seed)
    assert result.check is not None
    assert result.check["residual"] < 0.01
    assert len(result.check["means"]) == len(result.check["squares"]) == 3
    worst = max(abs(figure["z"]) for figure in result.check["means"] + result.check["squares"])
    assert (worst > 3.15) == doubted
    summary = result.summary()
    assert any("Stein" in message for message in summary.messages) == doubted and summary.converged != doubted


def test_the_check_can_be_switched_off():
    result = km.sample(km.targets.Banana(dim=3, b=0.1), warmup=2000, draws=2000, seed=1, check="off")
    assert result.check is None
    assert 'check = "off"' in result.settings


def test_a_goal_that_was_reached_is_not_called_a_failure():
    result = km.sample(km.targets.Banana(dim=2, b=0.01), sampler=km.SM(), warmup=100, until="ess=20", seed=1)
    summary = result.summary()
    assert result.complete and not summary.converged and summary.goal == "ess=20"
    for shown in (repr(summary), summary._repr_html_(), result._repr_html_()):
        assert "The goal ess=20 was reached. By the usual limits:" in shown and "Not converged" not in shown


def test_a_notebook_says_what_the_text_says_of_tails():
    target = km.targets.Gaussian([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]])
    checked = km.sample(target, warmup=1000, draws=1000, seed=1).summary()
    silent = km.sample(target, warmup=1000, draws=1000, seed=1, check="off").summary()
    assert checked.converged and checked.tails_checked and silent.converged and not silent.tails_checked
    for summary, words in ((checked, "the draws fit the log densities"), (silent, "would not have been seen.")):
        for shown in (repr(summary), summary._repr_html_()):
            assert "Converged: every R-hat is at most 1.01" in shown and words in shown


def test_a_run_without_draws_has_no_table_of_nan():
    def breaks(x):
        raise RuntimeError("no licence")

    with pytest.raises(km.TargetError, match="no licence") as caught:
        km.sample(breaks, [0.0], seed=1)
    result = caught.value.result
    for shown in (repr(result.summary()), result.summary()._repr_html_(), str(result.warnings)):
        assert "NaN" not in shown and "onger" not in shown and "draws made before" not in shown
    assert repr(result.summary()).startswith("There are no draws yet")


def test_the_check_is_silent_at_an_edge_that_is_no_bound():
    def half(x):
        return -0.5 * float(x @ x) if x[0] > 0 else -np.inf

    result = km.sample(half, start=[1.0], warmup=1000, draws=1000, seed=1)
    assert result.check is None
    assert result.summary().converged


def test_a_funnel_is_not_called_converged_and_gets_no_evidence():
    with pytest.warns(km.KameleonWarning, match="looks like a funnel"):
        result = km.sample(km.targets.Funnel(dim=3, s=2.0), warmup=2000, draws=2000, seed=1)
    summary = result.summary()
    assert all(parameter["r_hat"] <= 1.01 for parameter in summary)
    assert not summary.converged
    assert any("looks like a funnel" in message for message in summary.messages)
    assert result.evidence is not None and not result.evidence.reliable
    assert "warning: chains 0, 1, 2, 3: the target looks like a funnel" in str(summary)


def test_measured_slopes_are_counted_and_know_the_means_better():
    target = km.targets.Funnel(dim=3, s=1.0)
    auto = km.sample(target, warmup=2000, draws=2000, seed=3)
    free = km.sample(target, warmup=2000, draws=2000, seed=3, check="free")
    assert auto.check is not None
    spent = auto.check["evaluations"]
    assert 0 < spent <= free.stats["evaluations"] / 20
    assert auto.stats["evaluations"] == free.stats["evaluations"] + spent
    assert abs(auto.check["means"][0]["estimate"]) < 0.01
    full = km.sample(target, warmup=2000, draws=2000, seed=3, check="full")
    assert full.check is not None and full.check["evaluations"] == 12_000
    with pytest.raises(km.SettingsError, match="check"):
        km.sample(target, check="more")  # type: ignore[arg-type]


def test_remarks_and_reasons_are_in_the_words_of_python():
    run = {"priors": {"a": "normal(0, 3)"}, "parameters": ["a"], "draws": 500, "seed": 5}
    result = km.sample("-2*a^2", warmup="chains", max_warmup=300, keep_jumps=False, **run)
    text = " ".join(result.summary().remarks)
    assert "max_warmup" in text and 'warmup="population"' in text and not result.summary().messages
    kept = km.sample("-2*a^2", warmup=500, keep_jumps=False, **run)
    assert kept.evidence is not None and "keep_jumps=False" in kept.evidence.why


def test_messages_are_in_the_words_of_python():
    modes = "+".join(f"exp(-50*((a-{a})^2+(b-{b})^2+c^2))" for a, b in [(-3, 1), (0, 0), (2, -3), (3, 3)])
    priors, small = dict.fromkeys("abc", "uniform(-4, 4)"), km.Population(max_evaluations=5000)
    with pytest.warns(km.KameleonWarning):
        result = km.sample(f"ln({modes})", priors=priors, parameters=list("abc"), population=small, draws=1000, seed=1)
    summary = result.summary()
    for said in (summary.messages[0], str(summary), summary._repr_html_()):
        assert "a larger max_evaluations lets it go on." in said and "max-evaluations" not in said


@pytest.mark.parametrize("given", [-1, 0, 2.5, "long"])
def test_a_warm_up_that_is_none_is_told_alike(given):
    with pytest.raises(km.SettingsError, match=r"must be a number of iterations, .*not ") as error:
        km.sample(km.targets.Banana(2), warmup=given, seed=1)
    assert error.value.setting == "warmup" and '"chains", "population" or "auto"' in error.value.what
