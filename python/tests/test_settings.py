"""Samplers and kernels: their defaults are the library's, and what is wrong is named."""

import json
import math

import numpy as np
import pytest
from conftest import normal

import kameleon as km
from kameleon import _kameleon

BY_NAME = {
    "kameleon": km.Kameleon(),
    "DE-MC(Z)": km.DEMCZ(),
    "SM": km.SM(),
    "AM-FS": km.AM(learn_scale=False),
    "AM-LS": km.AM(),
    "AM-PCA": km.AMPCA(),
    "KAMH": km.KAMH(learn_scale=False),
    "KAMH-LS": km.KAMH(),
    "PCA-Kameleon": km.KameleonPCA(),
    "MALA": km.MALA(),
    "PMALA": km.PMALA(),
    "KMC": km.KMC(),
    "KMC-finite": km.KMC(finite=True),
}


@pytest.mark.parametrize("name", km.samplers.names())
def test_the_defaults_of_a_class_are_those_of_the_library(name):
    sampler = BY_NAME[name]
    assert sampler.name == name
    assert _kameleon.check_sampler(json.dumps({"name": name})) == (name, sampler._json, sampler._needs_gradient)
    result = km.sample(km.targets.Banana(2), sampler=sampler, draws=50, warmup=700, chains=1, seed=1)
    assert result.sampler == name


@pytest.mark.parametrize(
    ("make", "setting"),
    [
        (lambda: km.KAMH(gamma="large"), "gamma"),
        (lambda: km.KAMH(n=2.5), "n"),
        (lambda: km.KAMH(bandwidth=[1]), "bandwidth"),
        (lambda: km.KAMH(bandwidth="wide"), "bandwidth"),
        (lambda: km.KAMH(kernel="gaussian"), "kernel"),
        (lambda: km.KAMH(kernel=km.kernels.Matern(order=0.5)), "kernel"),
        (lambda: km.AM(until="later"), "until"),
        (lambda: km.KameleonPCA(gamma="large"), "gamma"),
        (lambda: km.KameleonPCA(schedule="often"), "schedule"),
        (lambda: km.SM(nu="x"), "nu"),
        (lambda: km.sample(normal, [0.0], sampler="KAMH"), "sampler"),
        (lambda: km.sample(normal, [0.0], sampler=km.KAMH(gamma=-1.0)), "gamma"),
        (lambda: km.sample(normal, [0.0], chains=0), "chains"),
        (lambda: km.sample(normal, [0.0], draws=0), "draws"),
        (lambda: km.sample(normal, [0.0], warmup=-1), "warmup"),
        (lambda: km.sample(normal, [0.0], warmup=2.5), "warmup"),
        (lambda: km.sample(normal, [0.0], warmup=True), "warmup"),
        (lambda: km.sample(normal), "start"),
        (lambda: km.sample(normal, [0.0], warmup="later"), "warmup"),
        (lambda: km.sample(normal, [0.0], sampler=km.SM(), warmup="chains"), "warmup"),
        (lambda: km.sample(normal, [0.0], max_warmup=0), "max_warmup"),
        (lambda: km.sample(normal, [0.5], keep_jumps="a"), "keep_jumps"),
        (lambda: km.sample(normal, [0.0], correlated=1.5, normals=1), "normals"),
        (lambda: km.sample(normal, [0.0], until="ess=many"), "until"),
        (lambda: km.sample(normal, bounds={"x": (0, 1)}), "parameters"),
        (lambda: km.sample(normal, [0.0], bounds={"x": (0, 1)}), "bounds"),
        (lambda: km.sample(normal, parameters=["x"], bounds={"y": (0, 1)}), "bounds"),
        (lambda: km.sample(normal, parameters=["x"], bounds={"x": 3}), "bounds"),
        (lambda: km.sample(normal, parameters=["x"], bounds=[(0, 1), None]), "bounds"),
        (lambda: km.sample(3, [0.0]), "log_density"),
        (lambda: km.sample("x^", parameters=["x"]), "log_density"),
        (lambda: km.targets.Banana(1).mean(), "dim"),
        (lambda: km.targets.Banana(2, v=-1.0).mean(), "v"),
        (lambda: km.targets.TwoModes(2, weight=2.0).mean(), "weight"),
        (lambda: km.Kameleon(n=1), "n"),
        (lambda: km.sample(noisy, [0.0], correlated=1.5, normals=1), "correlated"),
        (lambda: km.sample(normal, [0.5], parameters=["x"], bounds={"x": (1, 0)}), "bounds"),
        (lambda: km.sample(normal, [0.5], parameters=["x"], priors={"x": "norml(0, 1)"}), "priors"),
        (lambda: km.sample(normal, [0.5], parameters=["x"], priors={"x": 3}), "priors"),
        (lambda: km.sample(normal, [0.5], keep_warmup="a"), "keep_warmup"),
        (lambda: km.sample(normal, {"x": 0.0, "y": 1.0}, parameters=["x"]), "start"),
        (lambda: km.sample(normal, {"x": math.nan}, parameters=["x"]), "start"),
    ],
)
def test_what_is_wrong_is_named(make, setting):
    with pytest.raises(km.SettingsError) as caught:
        make()
    assert caught.value.setting == setting
    assert isinstance(caught.value, ValueError) and caught.value.what
    assert not any(name in caught.value.what for name in ("u64", "usize", "f64", "untagged", "invalid")), caught.value


def test_words_are_those_of_the_argument():
    with pytest.raises(km.SettingsError, match=r'iterations, "chains", "population" or "auto", not 2\.5'):
        km.sample(normal, [0.0], warmup=2.5)
    with pytest.raises(km.SettingsError, match=r"^start: give a start or the parameters, since a function"):
        km.sample(normal)
    with pytest.raises(km.SettingsError, match=r"^bounds: there is no parameter 'b'; there is only a$"):
        km.sample(normal, parameters=["a"], bounds={"b": (0, 1)})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"chains": "a"}, 'chains: must be a whole number, 0 or more, not "a"'),
        ({"draws": 1e3}, "draws: must be a whole number, 0 or more, not 1000.0"),
        ({"until": 400}, "until: must be a text, not 400"),
        ({"max_minutes": "a"}, 'max_minutes: must be a number, not "a"'),
        ({"pool": "x"}, "pool: must be True or False, not 'x'"),
        ({"noisy": "x"}, "noisy: must be True or False, not 'x'"),
        ({"normals": "x"}, "normals: must be a whole number, 0 or more, not 'x'"),
        ({"check": "all"}, "check: must be one of `auto`, `free`, `full`, `off`, not `all`"),
        ({"progress": "x"}, "progress: must be True, False or a function, not 'x'"),
        ({"parameters": ["a", "a"]}, "parameters: two of them are named 'a'"),
        ({"bounds": [(1, 0)]}, "bounds: x1: lower, 1, must be less than upper, 0"),
        ({"parameters": ["a", "b"]}, "start: the point for chain 0 has 1 coordinate, but there are 2 parameters"),
    ],
)
def test_words_say_what_is_allowed_and_what_was_given(arguments, words):
    with pytest.raises(km.SettingsError) as caught:
        km.sample(normal, [0.5], **arguments)
    assert str(caught.value) == words


def noisy(x, u):
    return normal(x) + u[0]


def test_numbers_of_numpy_are_numbers():
    plan = {
        "draws": np.int64(50),
        "warmup": np.int32(700),
        "chains": np.int64(2),
        "seed": np.uint64(3),
        "thin": np.int8(1),
    }
    given = km.sample(km.targets.Banana(2), **plan)
    assert np.array_equal(given.draws, km.sample(km.targets.Banana(2), **{k: int(v) for k, v in plan.items()}).draws)
    with pytest.raises(KeyError, match="there are x1, x2"):
        given["x3"]


def test_a_bandwidth_by_number_stays():
    settings = km.KAMH(kernel=km.kernels.Gaussian() + 2 * km.kernels.Linear(), bandwidth=3.0).settings
    assert settings["bandwidth"] == "fixed"
    assert settings["kernel"] == {"sum": [{"name": "gaussian", "sigma": 3.0}, {"scaled": [2.0, {"name": "linear"}]}]}


def test_published_adaptation_is_a_setting_that_others_win_over():
    assert km.AM(published=True).settings["every"] == 20
    assert km.AM(published=True, every=7).settings["every"] == 7
    assert km.KAMH(published=True).settings["history"] == "stored"


def test_samplers_are_values():
    assert km.KAMH(n=10) == km.KAMH(n=10) != km.KAMH()
    assert len({km.KAMH(), km.KAMH(), km.SM()}) == 2
    assert "gamma=0.2" in repr(km.KAMH())
    assert km.KAMH(z=np.zeros((3, 2))).settings["z"] == [[0.0, 0.0]] * 3


def flat(x):
    return -0.5 * float(x @ x)


SHORT = {"draws": 200, "warmup": 600, "chains": 2, "seed": 1}


def test_bounds_may_be_arrays():
    lower, upper = np.array([0.0, -1.0]), np.array([1.0, np.inf])
    expected = km.sample(flat, [0.5, 0.5], bounds=[(0, 1), (-1, None)], **SHORT).draws
    for bounds in (np.stack([lower, upper], axis=1), (lower, upper), Ends(lower, upper)):
        np.testing.assert_array_equal(km.sample(flat, [0.5, 0.5], bounds=bounds, **SHORT).draws, expected)
    mu = km.sample(flat, parameters={"mu": 2}, bounds={"mu": (lower, upper)}, **SHORT)["mu"]
    assert (mu > lower).all() and (mu < upper).all()
    three = km.sample(flat, [0.5] * 3, bounds=[(0, 1)] * 3, **SHORT).draws
    for bounds in (([0, 0, 0], [1, 1, 1]), (np.zeros(3), np.ones(3)), (0, 1)):
        np.testing.assert_array_equal(km.sample(flat, [0.5] * 3, bounds=bounds, **SHORT).draws, three)
    assert km.sample(flat, bounds=(np.zeros(3), np.ones(3)), **SHORT).draws.shape[2] == 3
    with pytest.raises(km.SettingsError, match="start: give a start or the parameters"):
        km.sample(flat, bounds=(0, 1), **SHORT)
    with pytest.raises(km.SettingsError, match=r"have shapes \(3,\) and \(2,\), not \(2,\)"):
        km.sample(flat, [0.5, 0.5], bounds=(np.zeros(3), upper), **SHORT)


class Ends:
    """As of scipy.optimize."""

    def __init__(self, lb, ub):
        self.lb, self.ub = lb, ub


def test_a_function_may_be_the_prior_of_one_parameter():
    def log_prior(a):
        return -0.5 * ((a - 3) / 0.1) ** 2

    result = km.sample(flat, parameters=["a", "b"], priors={"a": log_prior, "b": "Normal(0, 0.1)"}, **SHORT)
    # Means and errors of the products of normal densities, six standard errors at an ESS of 100.
    assert abs(result["a"].mean() - 3 * 100 / 101) < 0.06 and abs(result["b"].mean()) < 0.06
    assert result.evidence is not None and result.evidence.name == "log normalising constant"
    with pytest.raises(km.SettingsError, match="a function is none that can be drawn from"):
        km.sample(flat, parameters=["a"], priors={"a": log_prior}, **{**SHORT, "warmup": "population"})
    with pytest.raises(km.SettingsError, match="a parameter without a prior has a flat one: leave it out"):
        km.sample(flat, parameters=["a"], priors={"a": "flat"}, **SHORT)


@pytest.mark.parametrize("wrong", [3, "ab"])
def test_names_that_are_no_list_are_refused(wrong):
    with pytest.raises(km.SettingsError, match="parameters: must be a list of names"):
        km.sample(lambda x: 0.0, parameters=wrong)
