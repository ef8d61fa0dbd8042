"""Ask and tell in batches: the draws of `km.sample`, stored at any moment."""

import pickle

import numpy as np
import pytest

import kameleon as km

PLAN = {"warmup": 900, "draws": 150, "chains": 10, "seed": 4, "thin": 2}


def rows(points):
    return -0.5 * (points**2).sum(axis=1)


def noisy_rows(points, generators):
    return rows(points) + [0.3 * generator.standard_normal() for generator in generators]


def drive(ensemble, function=rows, calls=None):
    """Answers all questions, or this number of them."""
    while not ensemble.done and calls != 0:
        ensemble.tell(function(ensemble.ask()))
        calls = None if calls is None else calls - 1
    return ensemble


def is_same(ensemble, result):
    found = ensemble.result()
    same = np.array_equal(found.draws, result.draws) and np.array_equal(found.log_density, result.log_density)
    return same and found.reason == result.reason and found.evidence == result.evidence


@pytest.mark.parametrize("sampler", [km.Kameleon(), km.DEMCZ(), km.AM(discard=50)])
def test_an_ensemble_makes_the_draws_of_sample(sampler):
    plan = {**PLAN, "sampler": sampler}
    whole = km.sample(rows, [0.5, 0.5], vectorized=True, **plan)
    ensemble = km.Ensemble([0.5, 0.5], **plan)
    assert ensemble.ask().shape == (10, 2)
    assert is_same(drive(ensemble), whole)
    assert repr(ensemble.result().summary()) == repr(whole.summary())


def test_an_ensemble_stored_between_ask_and_tell_goes_on_bit_for_bit():
    whole = km.sample(noisy_rows, [0.5, 0.5], vectorized=True, noisy=True, **PLAN)
    ensemble = km.Ensemble([0.5, 0.5], noisy=True, **PLAN)
    for calls in range(2000):
        if ensemble.done:
            break
        points, seeds = ensemble.ask(), ensemble.seeds
        if calls % 300 == 7:
            ensemble = pickle.loads(pickle.dumps(ensemble))
            assert np.array_equal(ensemble.ask(), points) and ensemble.seeds == seeds
        ensemble.tell(noisy_rows(points, ensemble.generators))
    assert is_same(ensemble, whole) and is_same(km.Ensemble.load(ensemble.save()), whole)


def test_bounds_priors_and_normals_are_those_of_sample():
    def estimate(points, normals):
        return 3 * np.log(points[:, 0]) - points[:, 0] - 0.5 * points[:, 1] ** 2 + 0.1 * normals.sum(axis=1)

    plan = {
        **PLAN,
        "parameters": ["rate", "x"],
        "priors": {"rate": "gamma(2, 1)", "x": "uniform(-3, 3)"},
        "normals": 3,
        "correlated": 0.9,
        "warmup": 600,
        "sampler": km.AM(),
    }
    whole = km.sample(estimate, vectorized=True, **plan)
    ensemble = km.Ensemble(**plan)
    drive(ensemble, lambda points: estimate(points, ensemble.normals))
    assert is_same(ensemble, whole) and ensemble.result().names == ["rate", "x"]


def test_an_ensemble_ends_by_a_rule_and_finds_the_end_of_its_warm_up_like_sample():
    plan = {"until": "ess=300", "draws": 3000, "max_warmup": 1500, "chains": 4, "seed": 2}
    whole = km.sample(rows, [0.5, 0.5], vectorized=True, **plan)
    assert is_same(drive(km.Ensemble([0.5, 0.5], **plan)), whole)


def test_values_that_cannot_be_used_are_counted_and_the_draws_are_those_of_sample():
    def odd(points):
        values = rows(points)
        values[points[:, 0] > 1] = np.nan
        values[points[:, 0] < -1] = -np.inf
        return values

    with pytest.warns(km.KameleonWarning, match="had no usable log density"):
        whole = km.sample(odd, [0.0, 0.0], vectorized=True, **PLAN)
    ensemble = drive(km.Ensemble([0.0, 0.0], **PLAN), odd)
    with pytest.warns(km.KameleonWarning, match="had no usable log density"):
        assert np.array_equal(ensemble.result().draws, whole.draws)


def test_the_result_before_the_end_has_the_draws_so_far():
    ensemble = drive(km.Ensemble([0.5, 0.5], **PLAN), calls=1001)
    with pytest.warns(km.KameleonWarning, match="stopped before its end, after 50 draws in each chain"):
        part = ensemble.result()
    assert not part.complete and part.draws.shape == (10, 50, 2)
    assert np.array_equal(drive(ensemble).result().draws[:, :50], part.draws)


def test_wrong_answers_and_settings_are_refused_in_words():
    ensemble = km.Ensemble([0.0, 0.0], **PLAN)
    with pytest.raises(km.EvaluationError, match=r"call ask\(\) first"):
        ensemble.tell(np.zeros(10))
    ensemble.ask()
    with pytest.raises(km.EvaluationError, match="10 points were asked for, so 10 values are wanted, not 9"):
        ensemble.tell(np.zeros(9))
    with pytest.raises(km.EvaluationError, match=r"not an array of shape \(10, 1\)"):
        ensemble.tell(np.zeros((10, 1)))
    with pytest.raises(km.EvaluationError, match="a number is wanted for each row"):
        ensemble.tell(["no"] * 10)
    ensemble.tell(np.zeros(10))
    with pytest.raises(km.StartError, match="chain 0 cannot start"):
        drive(km.Ensemble([0.0], **PLAN), lambda points: np.full(len(points), -np.inf))
    with pytest.raises(km.SettingsError, match="start"):
        km.Ensemble(chains=4)
    with pytest.raises(km.SettingsError, match="not a saved ensemble"):
        km.Ensemble.load(b"nothing")
    with pytest.raises(km.SettingsError, match="population"):
        km.Ensemble(priors=["normal(0, 1)"], warmup="population")
    with pytest.raises(km.SettingsError, match="add the values"):
        km.Ensemble([0.0], priors=lambda x: 0.0)
    state = ensemble.save()
    with pytest.raises(km.SettingsError, match="checksum"):
        km.Ensemble.load(state[:-1] + bytes([state[-1] ^ 1]))


def test_none_and_masked_numbers_are_invalid_points_and_complex_ones_are_refused():
    def drawn(answer):
        ensemble = km.Ensemble([0.0, 0.0], **PLAN)
        ensemble.ask()
        ensemble.tell(np.zeros(10))
        drive(ensemble, answer, calls=200)
        return ensemble

    def lost(points, with_nothing):
        values = rows(points)
        return [with_nothing if k == 3 else value for k, value in enumerate(values)]

    def masked(points):
        values = np.ma.masked_array(rows(points))
        values[3] = np.ma.masked
        return values

    expected = drawn(lambda points: lost(points, np.nan))
    for ensemble in (drawn(lambda points: lost(points, None)), drawn(masked)):
        assert np.array_equal(ensemble.positions, expected.positions)
    with pytest.raises(km.EvaluationError, match="complex"):
        expected.tell(rows(expected.ask()) + 0j)
    expected.tell(rows(expected.ask()))


def test_an_ensemble_says_how_far_it_is_and_is_loaded_from_bytes_of_any_kind():
    ensemble = drive(km.Ensemble([0.0, 0.0], **PLAN), calls=31)
    assert repr(ensemble) == "<Ensemble of 10 chains after 30 iterations>"
    state = ensemble.save()
    for kind in (bytes, bytearray, memoryview):
        assert np.array_equal(km.Ensemble.load(kind(state)).ask(), ensemble.ask())
    with pytest.raises(km.SettingsError, match=r"state: must be the bytes that save\(\) returned, not 'ensemble.bin'"):
        km.Ensemble.load("ensemble.bin")
