"""Priors: texts, distributions of scipy.stats, and functions of all parameters."""

import math
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import kameleon as km
from kameleon import _scipy
from kameleon.priors import PythonPrior, joint_of, settle

stats = pytest.importorskip("scipy.stats")

SHORT = {"draws": 300, "warmup": 700, "chains": 2, "seed": 5}

SAME = [
    stats.norm(1, 2),
    stats.norm(scale=0.3, loc=-2),
    stats.uniform(-3, 5),
    stats.expon(scale=3),
    stats.gamma(2.5, scale=0.7),
    stats.gamma(a=2.5),
    stats.erlang(3, scale=2),
    stats.chi2(4, scale=0.5),
    stats.invgamma(3, scale=2),
    stats.beta(2, 3.5),
    stats.t(4, 1, 2),
    stats.cauchy(0.5, 2),
    stats.halfnorm(scale=2),
    stats.halfcauchy(scale=0.5),
    stats.lognorm(0.8, scale=math.exp(0.3)),
    stats.lognorm(s=0.8),
    stats.loguniform(0.1, 10),
    stats.reciprocal(0.1, 10),
    stats.triang(0.3, -1, 4),
    stats.truncnorm(-0.5, 2, 1, 3),
    stats.truncnorm(0, np.inf, 0, 2),
]
"""Each is a built-in prior."""

OTHER = [
    stats.skewnorm(4, 1, 2),
    stats.logistic(1, 0.5),
    stats.gamma(2, loc=1),
    stats.expon(loc=-2, scale=2),
    stats.beta(2, 3, loc=-1, scale=4),
    stats.lognorm(0.5, loc=1),
    stats.weibull_min(1.5, scale=2),
    stats.uniform(1e6, 1e-6),
    stats.laplace(0, 2),
]
"""None of them is, by its kind, its location or the rounding of its ends."""


def of_text(prior):
    return _scipy.about(prior)


@pytest.mark.parametrize("prior", SAME, ids=of_text)
def test_a_distribution_that_is_built_in_has_the_same_density(prior):
    result = km.sample("0*a", parameters=["a"], priors={"a": prior}, **SHORT)
    assert "prior = " in result.settings and result.evidence.name == "log evidence"
    np.testing.assert_allclose(result.log_density, prior.logpdf(result["a"]), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("prior", OTHER, ids=of_text)
def test_any_other_distribution_is_added_to_the_log_density(prior):
    result = km.sample("0*a", parameters=["a"], priors={"a": prior}, **SHORT)
    np.testing.assert_allclose(result.log_density, prior.logpdf(result["a"]), rtol=1e-10, atol=1e-10)
    lower, upper = prior.support()
    assert (result["a"] > lower).all() and (result["a"] < upper).all()


def test_the_posterior_under_a_distribution_is_the_exact_one():
    # One observation, 1 with sd 1, and a logistic prior: the posterior mean by quadrature is compared with that of the
    # chains, at 4.5 standard errors (a false alarm in 150,000 seeds).
    grid = np.linspace(-10, 12, 20_001)
    weights = np.exp(stats.logistic.logpdf(grid, 0, 2) - 0.5 * (grid - 1) ** 2)
    exact = (grid @ weights) / weights.sum()
    log_z = math.log(weights.sum() * (grid[1] - grid[0]))
    priors = [stats.logistic(0, 2)]
    result = km.sample(lambda x: -0.5 * (x[0] - 1) ** 2, priors=priors, draws=4000, seed=2)
    mean = result.summary()["x1"]
    assert abs(mean["mean"] - exact) < 4.5 * mean["mcse_mean"] < 0.1
    assert abs(result.log_evidence - log_z) < 4.5 * result.log_evidence_error < 0.1


def test_bounds_cut_a_distribution_and_normalise_it_again():
    prior = stats.logistic(0, 1)
    result = km.sample("0*a", parameters=["a"], priors={"a": prior}, bounds={"a": (1, 30)}, **SHORT)
    mass = prior.sf(1) - prior.sf(30)
    np.testing.assert_allclose(result.log_density, prior.logpdf(result["a"]) - math.log(mass), rtol=1e-10)
    with pytest.raises(km.SettingsError, match=r"bounds: a: expon.* has no mass within them"):
        km.sample("0*a", parameters=["a"], priors={"a": stats.expon(loc=3)}, bounds={"a": (1, 2)})


def test_draws_within_bounds_follow_the_distribution_in_both_tails():
    # Kolmogorov-Smirnov at 1e-6.
    for prior, bounds in [
        (stats.logistic(), (20.0, None)),
        (stats.logistic(), (None, -20.0)),
        (stats.skewnorm(3), (0, 1)),
    ]:
        table = {"a": {"lower": bounds[0], "upper": bounds[1]}}
        found = settle(["a"], table, [prior])
        draws = found.draw(3, 4000)[:, 0]
        marginal = found.marginals[0]
        assert (draws > marginal.lower).all() and (draws < marginal.upper).all()
        mass = math.exp(marginal.log_mass)
        levels = (
            1 - (prior.sf(draws) - prior.sf(marginal.upper)) / mass
            if prior.cdf(marginal.lower) > 0.5
            else (prior.cdf(draws) - prior.cdf(marginal.lower)) / mass
        )
        assert stats.kstest(levels, "uniform").pvalue > 1e-6


def test_a_distribution_may_be_given_for_an_array_or_with_arrays_or_for_all():
    shapes = {"mu": 3, "s": ()}
    one = km.sample("0*s", parameters={"s": ()}, priors=stats.norm(2, 0.1), **SHORT)
    assert abs(one["s"].mean() - 2) < 0.1

    def flat(x):
        return 0.0

    all_entries = km.sample(flat, parameters=shapes, priors={"mu": stats.norm(0, 1), "s": "normal(0, 1)"}, **SHORT)
    assert all_entries.settings.count('prior = "normal(0.0, 1.0)"') == 4
    each = km.sample(
        flat, parameters=shapes, priors={"mu": stats.norm([1, 2, 3], scale=0.01), "s": stats.expon()}, **SHORT
    )
    np.testing.assert_allclose(each["mu"].mean(axis=(0, 1)), [1, 2, 3], atol=0.02)
    other = km.sample(
        flat, parameters=shapes, priors={"mu": stats.logistic([1, 2, 3], 0.01), "s": stats.expon()}, **SHORT
    )
    np.testing.assert_allclose(other["mu"].mean(axis=(0, 1)), [1, 2, 3], atol=0.02)
    with pytest.raises(km.SettingsError, match="do not have the shape"):
        km.sample(flat, parameters=shapes, priors={"mu": stats.norm([1, 2], 1)}, **SHORT)


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        (stats.poisson(3), "poisson.3. is discrete, and only continuous"),
        (stats.norm, "norm has no parameters yet: write scipy.stats.norm"),
        (stats.norm(0, -1), "norm.0, -1. is no distribution"),
        (stats.multivariate_normal([0.0, 0.0]), "must be a text such as"),
        (3, 'must be a text such as "normal.0, 1.", scipy.stats.norm.0, 1., or a log density, not 3'),
    ],
)
def test_what_is_no_prior_is_refused_in_words(prior, words):
    with pytest.raises(km.SettingsError, match=words) as caught:
        km.sample("0*a", parameters=["a"], priors={"a": prior}, **SHORT)
    assert caught.value.setting == "priors"


def test_a_distribution_with_arrays_for_parameters_belongs_to_an_array_parameter():
    with pytest.raises(km.SettingsError, match="has arrays for parameters: give it by the name of an array parameter"):
        km.sample("0*a", parameters=["a"], priors=[stats.norm([0, 1], 1)], **SHORT)


def normal_prior(x):
    return float(-0.5 * np.sum(x**2) - 0.5 * len(x) * math.log(2 * math.pi))


def normal_draws(rng, count):
    return rng.standard_normal((count, 2))


def likelihood(x):
    return -0.5 * float(np.sum((x - 2) ** 2))


def test_a_function_is_a_prior_of_all_parameters():
    by_function = km.sample(likelihood, [0.0, 0.0], priors=normal_prior, draws=4000, seed=1)
    by_text = km.sample(likelihood, [0.0, 0.0], priors="normal(0, 1)", draws=4000, seed=1)
    np.testing.assert_allclose(
        by_function.log_density, [[likelihood(x) + normal_prior(x) for x in c] for c in by_function.draws]
    )
    np.testing.assert_allclose(by_function.draws, by_text.draws, atol=1e-6)
    # It may be proper or not: nobody knows.
    assert by_function.evidence.name == "log normalising constant" and by_text.evidence.name == "log evidence"


def test_a_vectorised_run_takes_rows_of_the_prior_too_and_spares_rows_of_no_density():
    seen = []

    def rows(x):
        seen.append(x.copy())
        return -0.5 * ((x - 2) ** 2).sum(axis=1)

    def prior(x):
        return np.where(x[:, 0] > 0, -0.5 * (x**2).sum(axis=1), -np.inf)

    def point(x):
        return -0.5 * float(np.sum(x**2)) if x[0] > 0 else -math.inf

    result = km.sample(rows, [1.0, 1.0], priors=prior, vectorized=True, **SHORT)
    assert (np.concatenate(seen)[:, 0] > 0).all()
    one_by_one = km.sample(likelihood, [1.0, 1.0], priors=point, **SHORT)
    np.testing.assert_allclose(result.draws, one_by_one.draws, atol=1e-6)


def test_chains_start_at_draws_of_the_prior():
    far = stats.logistic(1000, 0.1)
    for priors in ([far, far], ["normal(1000, 0.1)", far]):
        result = km.sample(lambda x: 0.0, priors=priors, sampler=km.SM(nu=1e-9), draws=1, warmup=0, chains=3, seed=1)
        assert np.abs(result.draws - 1000).max() < 2 and len(np.unique(result.draws[:, 0, 1])) == 3
    draws = np.arange(20.0).reshape(10, 2) + 500
    result = km.sample(
        lambda x: 0.0, priors=lambda x: 0.0, prior_draws=draws, sampler=km.SM(nu=1e-9), **{**SHORT, "draws": 1}
    )
    assert all(np.abs(draws - x).sum(axis=1).min() < 1e-3 for x in result.draws[:, 0])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"priors": normal_prior, "prior_draws": np.zeros(3)},
            r"prior_draws: must have the shape \(draws, parameters\)",
        ),
        ({"priors": normal_prior, "prior_draws": np.full((3, 2), np.nan)}, "prior_draws: must be finite"),
        ({"priors": normal_prior, "prior_draws": np.zeros((3, 1))}, "has 1 column"),
        (
            {"priors": normal_prior, "prior_draws": lambda rng, n: np.zeros((n + 1, 2))},
            r"must have the shape \(1, parameters\)",
        ),
        ({"priors": "normal(0, 1)", "prior_draws": np.zeros((3, 2))}, "belongs to a prior that is a function"),
        (
            {"priors": stats.multivariate_normal([0.0, 0.0]), "bounds": [(0, None), None]},
            "bounds: cannot cut a distribution of several variables",
        ),
    ],
)
def test_draws_of_a_prior_that_do_not_fit_are_refused_in_words(arguments, words):
    with pytest.raises(km.SettingsError, match=words):
        km.sample(likelihood, parameters=["a", "b"], **arguments, **SHORT)


def test_an_exception_in_a_prior_ends_the_run_with_its_cause():
    def broken(x):
        return "much"

    with pytest.raises(km.TargetError, match="the log prior must return a number for a point") as caught:
        km.sample(likelihood, [0.0, 0.0], priors=broken, **SHORT)
    assert isinstance(caught.value.__cause__, TypeError)


def test_executors_and_resumed_runs_have_the_same_priors(tmp_path):
    priors = {"a": stats.logistic(0, 2), "b": "normal(0, 1)"}
    plan = {"parameters": ["a", "b"], "priors": priors, **SHORT}
    here = km.sample(likelihood, **plan)
    with ProcessPoolExecutor(2) as pool:
        assert np.array_equal(km.sample(likelihood, executor=pool, **plan).draws, here.draws)
    km.sample(likelihood, checkpoint=tmp_path / "run", **{**plan, "draws": 100})
    with pytest.raises(km.SettingsError, match=r"must be given again: the run has the prior logistic\(0, 2\)"):
        km.resume(tmp_path / "run", likelihood, draws=300)
    with pytest.raises(km.SettingsError, match="are not those of the run"):
        km.resume(tmp_path / "run", likelihood, priors={"a": stats.logistic(0, 3)}, draws=300)
    assert np.array_equal(km.resume(tmp_path / "run", likelihood, priors=priors, draws=300).draws, here.draws)
    km.sample(likelihood, [0.0, 0.0], priors=stats.norm(), checkpoint=tmp_path / "b", **{**SHORT, "draws": 100})
    with pytest.raises(km.SettingsError, match="are kept in the folder: leave them out"):
        km.resume(tmp_path / "b", likelihood, priors=stats.norm())


def test_draws_from_an_array_repeat_no_row_unless_they_must():
    rows = np.arange(20.0).reshape(10, 2)
    prior = PythonPrior(2, {}, joint_of(normal_prior, rows, False))
    drawn = prior.draw(1, 10)
    assert sorted(drawn[:, 0]) == sorted(rows[:, 0]) and np.array_equal(drawn, prior.draw(1, 10))
    assert prior.draw(1, 25).shape == (25, 2)
    made = PythonPrior(2, {}, joint_of(normal_prior, normal_draws, False))
    assert made.is_proper and np.array_equal(made.draw(4, 3), made.draw(4, 3))
    assert not PythonPrior(2, {}, joint_of(normal_prior, None, False)).is_proper
