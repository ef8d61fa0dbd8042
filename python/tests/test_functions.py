"""Python functions as log densities: data, noise, exceptions, starts without density."""

import re

import numpy as np
import pytest

import kameleon as km

SHORT = {"draws": 300, "warmup": 600, "chains": 2, "seed": 1}


def normal(x):
    return -0.5 * float(x @ x)


def scaled(x, mean, sd=1.0):
    return -0.5 * float(((x - mean) ** 2).sum()) / sd**2


def noisy_scaled(x, rng, mean):
    return scaled(x, mean) + 0.1 * rng.normal() - 0.005


def rows_with_data(x, mean):
    return -0.5 * ((x - mean) ** 2).sum(axis=1)


def test_data_come_by_args_and_kwargs():
    expected = km.sample(lambda x: scaled(x, 3.0, 2.0), [0.0], **SHORT).draws
    for data in ({"args": (3.0, 2.0)}, {"kwargs": {"mean": 3.0, "sd": 2.0}}, {"args": [3.0], "kwargs": {"sd": 2.0}}):
        np.testing.assert_array_equal(km.sample(scaled, [0.0], **data, **SHORT).draws, expected)
    rows = km.sample(rows_with_data, [0.0], args=(3.0,), vectorized=True, **SHORT)
    np.testing.assert_array_equal(rows.draws, km.sample(scaled, [0.0], args=(3.0,), **SHORT).draws)
    assert km.sample(noisy_scaled, [0.0], args=(3.0,), **SHORT)._posterior["noisy"]


def test_a_vectorised_function_is_called_with_a_row_of_each_of_1000_chains():
    calls = []

    def rows(x):
        calls.append(len(x))
        return -0.5 * (x**2).sum(axis=1)

    # 40 iterations are the shortest warm-up that chains of the default sampler may end by themselves.
    plan = {"chains": 1000, "warmup": 40, "draws": 10, "seed": 1, "check": "off"}
    result = km.sample(rows, np.zeros(2), vectorized=True, **plan)
    assert result.draws.shape == (1000, 10, 2)
    # A start and 50 iterations; besides, single rows tell whether the function is noisy.
    assert [count for count in calls if count > 1] == 51 * [1000]


def test_a_single_row_may_give_a_single_number():
    """As the densities of scipy.stats do."""

    def log_density(rows):
        values = -0.5 * np.sum(rows**2, axis=1)
        return float(values[0]) if len(rows) == 1 else values

    result = km.sample(log_density, [0.1, 0.2], vectorized=True, draws=200, warmup=200, seed=1)
    assert result.complete and result.draws.shape == (4, 200, 2)
    with pytest.raises(km.TargetError):
        km.sample(lambda rows: 0.0, [0.1, 0.2], vectorized=True, draws=200, warmup=200, seed=1)


def test_a_second_argument_is_data_or_noise_but_never_guessed():
    with pytest.raises(km.SettingsError, match="takes mean besides the point: pass data by args= or kwargs=; if it is"):
        km.sample(scaled, [0.0])
    with pytest.raises(km.SettingsError, match=r"takes a, b besides the point: pass data by args= or kwargs=$"):
        km.sample(lambda x, a, b: 0.0, [0.0])
    with pytest.raises(km.SettingsError, match="log_density has no argument 'scale'"):
        km.sample(scaled, [0.0], args=(1.0,), kwargs={"scale": 1.0})
    with pytest.raises(km.SettingsError, match="args: is for Python functions, not for Banana"):
        km.sample(km.targets.Banana(2), args=(1.0,))
    assert km.sample(lambda x, e: normal(x) + 0.1 * e.normal(), [0.0], noisy=True, **SHORT)._posterior["noisy"]


def fragile(x):
    if x[0] > 1:
        raise ValueError("too large for the solver")
    return normal(x)


def fragile_rows(x):
    return np.array([fragile(row) for row in x])


@pytest.mark.parametrize("function, how", [(fragile, {}), (fragile_rows, {"vectorized": True})])
def test_exceptions_reject_if_asked_for(function, how, tmp_path):
    with pytest.raises(km.TargetError):
        km.sample(function, [0.0], **how, **SHORT)
    with pytest.warns(km.KameleonWarning, match="were rejected; the first .* ValueError: too large for the solver"):
        result = km.sample(function, [0.0], on_error="reject", checkpoint=tmp_path / "run", **how, **SHORT)
    assert result["x1"].max() <= 1 and result.stats["invalid"] > 10 and result.complete
    with pytest.warns(km.KameleonWarning):
        longer = km.resume(tmp_path / "run", function, draws=400, **how)
    assert longer.complete and longer.draws.shape[1] == 400
    with pytest.raises(km.SettingsError, match='must be "stop" or "reject"'):
        km.sample(function, [0.0], on_error="ignore", **how)


def test_ctrl_c_is_no_rejection():
    def interrupted(x):
        if interrupted.calls > 500:
            raise KeyboardInterrupt
        interrupted.calls += 1
        return normal(x)

    interrupted.calls = 0
    with pytest.warns(km.KameleonWarning, match="stopped before its end"):
        result = km.sample(interrupted, [0.0], on_error="reject", **SHORT)
    assert not result.complete and interrupted.calls == 501


def positive(x):
    return -np.inf if (x < 0).any() else -float(x.sum())


def test_random_starts_without_density_are_drawn_again():
    result = km.sample(positive, parameters=["a", "b", "c"], **SHORT)
    assert (result.draws > 0).all()
    with pytest.raises(km.StartError, match="the last of 100 starts that were drawn at random"):
        km.sample(lambda x: -np.inf, parameters=["a"], **SHORT)
    with pytest.raises(km.StartError, match=r"cannot start at x1 = 1, x2 = -1: its density is zero.*support$"):
        km.sample(positive, [1.0, -1.0], **SHORT)


# A noisy chain may also be stuck.
@pytest.mark.filterwarnings("ignore::kameleon.errors.KameleonWarning")
def test_noise_that_is_not_declared_is_told():
    rng = np.random.default_rng(1)

    def told(pattern, function):
        found = km.sample(function, [0.0], **SHORT)
        assert any(re.search(pattern, warning) for warning in found.warnings), found.warnings

    told("not declared so: at the same point .* set noisy=True", lambda x: normal(x) + rng.normal())
    advice = r"(is above 1.5|is stuck).*normals=COUNT\) and set correlated=0.99"
    told(advice, lambda x, rng: normal(x) + 3 * rng.normal())
    quiet = km.sample(lambda x, rng: normal(x) + 0.5 * rng.normal(), [0.0], **SHORT)
    assert 0.2 < quiet.stats["sd_log_estimate"] < 1.0 and not quiet.warnings
