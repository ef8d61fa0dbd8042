"""Gradients from Python: functions, pairs, data, noise, targets, PyMC, ask and tell, and what is said of wrong ones."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import kameleon as km

SHORT = {"warmup": 600, "draws": 50, "chains": 2, "seed": 3}
SAMPLERS = [km.PMALA(), km.MALA(), km.KAMH(drift=True, n=50)]


# Not x @ x, which may round once less than the sum of a row: on some machines vectorised draws would differ then.
def value(x):
    return -0.5 * float((x * x).sum())


def slope(x):
    return -x


def both(x):
    return value(x), slope(x)


def wrong(x):
    return x * [-1, 1]


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_function_with_its_gradient_a_pair_and_a_target_are_the_same(sampler):
    apart = km.sample(value, [0.5, 1.0], gradient=slope, sampler=sampler, **SHORT)
    pair = km.sample(both, [0.5, 1.0], gradient=True, sampler=sampler, **SHORT)
    text = km.sample("-0.5*(a*a + b*b)", [0.5, 1.0], parameters=["a", "b"], sampler=sampler, **SHORT)
    assert (apart.draws == pair.draws).all()
    assert np.allclose(apart.draws, text.draws)
    with ProcessPoolExecutor(2) as pool:
        away = km.sample(value, [0.5, 1.0], gradient=slope, sampler=sampler, executor=pool, **SHORT)
    assert (away.draws == apart.draws).all()


def test_bounds_and_priors_go_with_it():
    def likelihood(x):
        return 7 * np.log(x[0]) - 3 * x[0], np.array([7 / x[0] - 3])

    given = {"priors": {"rate": "gamma(2, 1)"}, "start": [1.0], "parameters": ["rate"]}
    result = km.sample(likelihood, gradient=True, sampler=km.MALA(), warmup=2000, draws=4000, chains=4, seed=1, **given)
    # The posterior is gamma(9, 4): mean 2.25, sd 0.75.
    assert abs(result.draws.mean() - 2.25) < 0.1
    assert abs(result.draws.std() - 0.75) < 0.1


def test_data_and_noise_reach_the_gradient():
    def noisy(x, rng, centre):
        return -0.5 * float((x - centre) @ (x - centre)) + 0.1 * rng.standard_normal()

    def noisy_slope(x, rng, centre):
        return centre - x + 0.1 * rng.standard_normal(len(x))

    centre = np.array([3.0, -2.0])
    result = km.sample(
        noisy, [3.0, -2.0], gradient=noisy_slope, args=(centre,), sampler=km.MALA(), warmup=1000, draws=3000, seed=1
    )
    assert np.allclose(result.draws.mean(axis=(0, 1)), centre, atol=0.2)


def test_what_is_wrong_with_a_gradient_is_said():
    with pytest.raises(km.SettingsError, match="this target has no gradient"):
        km.sample(value, [0.0, 0.0], sampler=km.MALA(), **SHORT)
    named = r"wrong: for parameter `b` at \(a = 1, b = 2\) it is 2.0+, where .* give -2"
    with pytest.raises(km.StartError, match=named):
        km.sample(value, [1.0, 2.0], parameters=["a", "b"], gradient=wrong, sampler=km.MALA(), **SHORT)
    with pytest.raises(km.TargetError, match="the gradient must be 2 numbers, not 1"):
        km.sample(value, [1.0, 2.0], gradient=lambda x: x[:1], sampler=km.MALA(), **SHORT)
    with pytest.raises(km.TargetError, match=r"must return \(log density, gradient\), not float"):
        km.sample(value, [1.0, 2.0], gradient=True, sampler=km.MALA(), **SHORT)
    with pytest.raises(km.SettingsError, match="gradient"):
        km.sample(value, [1.0, 2.0], gradient="yes", sampler=km.MALA(), **SHORT)


def values(x):
    return -0.5 * (x * x).sum(axis=1)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_vectorised_function_with_its_gradient_makes_the_same_draws_by_one_call_for_all_chains(sampler):
    calls = []

    def pair(x):
        calls.append(x.shape)
        return values(x), -x

    given = {"sampler": sampler, "priors": {"a": "normal(0, 2)"}, "bounds": {"b": (0, None)}, "parameters": ["a", "b"]}
    alone = km.sample(both, [0.5, 1.0], gradient=True, **given, **SHORT)
    together = km.sample(pair, [0.5, 1.0], gradient=True, vectorized=True, **given, **SHORT)
    assert (alone.draws == together.draws).all()
    assert calls.count((2, 2)) == 651
    apart = km.sample(values, [0.5, 1.0], gradient=lambda x: -x, vectorized=True, **given, **SHORT)
    lists = km.sample(values, [0.5, 1.0], gradient=lambda x: (-x).tolist(), vectorized=True, **given, **SHORT)
    assert (alone.draws == apart.draws).all()
    assert (alone.draws == lists.draws).all()
    plain = {**given, "sampler": km.SM(), **SHORT}
    drawn = km.sample(pair, [0.5, 1.0], gradient=True, vectorized=True, **plain).draws
    assert (drawn == km.sample(values, [0.5, 1.0], vectorized=True, **plain).draws).all()


def test_noise_reaches_the_gradient_of_a_vectorised_function():
    def noisy(x, rngs):
        return values(x) + 0.1 * np.array([rng.standard_normal() for rng in rngs])

    def noisy_slope(x, rngs):
        return -x + 0.1 * np.array([rng.standard_normal(2) for rng in rngs])

    given = {"sampler": km.MALA(), "warmup": 1000, "draws": 3000, "seed": 1}
    result = km.sample(noisy, [0.0, 0.0], gradient=noisy_slope, vectorized=True, **given)
    assert np.allclose(result.draws.mean(axis=(0, 1)), 0, atol=0.2)


def test_rows_without_a_density_are_not_asked_for_a_gradient_and_those_that_raise_are_rejected():
    def half(x):
        return np.where(x[:, 0] > 0, values(x), -np.inf)

    def half_slope(x):
        assert (x[:, 0] > 0).all()
        if (x[:, 0] > 1.5).any():
            raise ValueError("too far")
        return -x

    given = {"sampler": km.MALA(), "vectorized": True, "on_error": "reject", **SHORT}
    with pytest.warns(km.KameleonWarning, match="too far"):
        result = km.sample(half, [0.5, 1.0], gradient=half_slope, **given)
    assert ((result.draws[..., 0] > 0) & (result.draws[..., 0] <= 1.5)).all()


def test_what_is_wrong_with_the_gradient_of_a_vectorised_function_is_said():
    def sampled(slopes, start=(1.0, 2.0), parameters=("a", "b")):
        given = {"gradient": slopes, "vectorized": True, "sampler": km.MALA(), **SHORT}
        return km.sample(values, list(start), parameters=list(parameters), **given)

    with pytest.raises(
        km.StartError, match=r"wrong: for parameter `b` at \(a = 1, b = 2\) it is 2.0+, where .* give -2"
    ):
        sampled(wrong)
    with pytest.raises(km.TargetError, match=r"must be of shape \(2, 2\), a row for each point, not \[2, 1\]"):
        sampled(lambda x: x[:, :1])
    with pytest.raises(km.TargetError, match=r"a row for each point, not ndarray of shape \(2,\)"):
        sampled(lambda x: x[:, 0])
    with pytest.raises(km.TargetError, match=r"must return \(log density, gradient\), not ndarray"):
        sampled(True)
    with pytest.raises(km.SettingsError, match="this target has no gradient"):
        sampled(None)


def test_a_gradient_that_nobody_needs_is_not_asked_for():
    def never(x):
        raise AssertionError

    km.sample(value, [0.0, 0.0], gradient=never, sampler=km.SM(), **SHORT)


@pytest.mark.parametrize("vectorized", [False, True])
@pytest.mark.parametrize("sampler", [km.MALA(), km.KAMH(drift=True, n=50)])
def test_a_prior_whose_slope_is_not_known_is_named(sampler, vectorized):
    def flat(x):
        return 0.0 * x if np.ndim(x) else 0.0

    def joint(x):
        return -0.5 * (x**2).sum(axis=-1)

    given = {"gradient": lambda x: -x, "sampler": sampler, "vectorized": vectorized, **SHORT}
    function = (lambda x: -0.5 * (x**2).sum(axis=1)) if vectorized else value
    for priors, named in ((joint, "joint"), ({"a": flat}, "flat")):
        with pytest.raises(km.SettingsError, match=f"slope of a prior that Python evaluates .*{named}") as caught:
            km.sample(function, [0.5, 1.0], parameters=["a", "b"], priors=priors, **given)
        assert caught.value.setting == "priors"
    drawn = km.sample(function, [0.5, 1.0], parameters=["a", "b"], priors={"a": "normal(0, 1)"}, **given)
    assert drawn.draws.shape[2] == 2


def test_built_in_targets_tell_their_gradient():
    banana = km.targets.Banana(2)
    x, h = np.array([2.0, 1.0]), 1e-5
    steps = np.eye(2) * h
    found = [(banana.log_density(x + step) - banana.log_density(x - step)) / (2 * h) for step in steps]
    assert np.allclose(banana.gradient(x), found, rtol=1e-6)


def test_ask_and_tell_take_gradients():
    chain = km.Chain([0.5, 1.0], sampler=km.MALA(), warmup=600, seed=1)
    x = chain.ask()
    with pytest.raises(km.EvaluationError, match="needs the gradient of the log density, 2 numbers"):
        chain.tell(value(x))
    chain.tell(value(x), slope(x))
    assert chain.tell(*both(chain.ask())).outcome in ("accepted", "rejected")
    run = km.sample(value, [0.5, 1.0], gradient=slope, sampler=km.MALA(), **SHORT)
    ensemble = km.Ensemble([0.5, 1.0], sampler=km.MALA(), **SHORT)
    points = ensemble.ask()
    with pytest.raises(km.EvaluationError, match="4 numbers, not 0"):
        ensemble.tell([value(x) for x in points])
    while not ensemble.done:
        points = ensemble.ask()
        ensemble.tell([value(x) for x in points], -points)
    assert (ensemble.result().draws == run.draws).all()


def test_a_run_with_drift_is_resumed_exactly(tmp_path):
    given = {"sampler": km.KAMH(drift=True, n=50), "gradient": slope, "warmup": 600, "seed": 3, "chains": 2}
    km.sample(value, [0.5, 1.0], draws=30, checkpoint=tmp_path / "run", **given)
    longer = km.resume(tmp_path / "run", value, gradient=slope, draws=60)
    assert (longer.draws == km.sample(value, [0.5, 1.0], draws=60, **given).draws).all()


def test_pymc_models_bring_their_gradient():
    pymc = pytest.importorskip("pymc")
    with pymc.Model() as model:
        mu = pymc.Normal("mu", 0, 2)
        sigma = pymc.HalfNormal("sigma", 1)
        pymc.Normal("y", mu, sigma, observed=[1.0, 2.0, 1.5, 0.5])
    result = km.sample(model, sampler=km.MALA(), warmup=1000, draws=1000, seed=2)
    assert abs(result.draws.mean(axis=(0, 1))[0] - 1.2) < 0.3
