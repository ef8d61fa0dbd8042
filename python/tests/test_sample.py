"""km.sample: what may be given to it, and what comes back."""

import ctypes
import math
import signal
import subprocess
import threading
import warnings

import numpy as np
import pytest
from conftest import normal

import kameleon as km

SHORT = {"draws": 200, "warmup": 600, "chains": 3, "seed": 7}


def banana(x):
    return -0.5 * (x[0] * x[0] / 100.0 + (x[1] - 0.1 * (x[0] * x[0] - 100.0)) ** 2)


def same(a, b):
    return np.array_equal(a.draws, b.draws) and np.array_equal(a.log_density, b.log_density)


def test_a_function_of_a_vector_gives_draws_statistics_and_a_summary():
    result = km.sample(normal, [0.0, 0.0], draws=2000, warmup=1000, chains=4, seed=42)
    assert result.draws.shape == (4, 2000, 2)
    assert result.complete and result.seed == 42 and result.sampler == "kameleon"
    assert result.stats["evaluations"] == 4 * 3001
    assert 0.1 < result.stats["acceptance"] < 0.9
    for parameter in result.summary():
        assert abs(parameter["mean"]) < 5 * parameter["mcse_mean"]
    assert "x1" in repr(result.summary()) and "<table>" in result._repr_html_()
    assert np.array_equal(result.log_density[0, :5], [normal(x) for x in result.draws[0, :5]])


def test_one_seed_gives_the_same_draws_for_every_kind_of_function():
    numba = pytest.importorskip("numba")

    @numba.cfunc("float64(CPointer(float64), intp)")
    def compiled(x, dim):
        return -0.5 * (x[0] * x[0] / 100.0 + (x[1] - 0.1 * (x[0] * x[0] - 100.0)) ** 2)

    def rows(x):
        return -0.5 * (x[:, 0] * x[:, 0] / 100.0 + (x[:, 1] - 0.1 * (x[:, 0] * x[:, 0] - 100.0)) ** 2)

    pointer = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.POINTER(ctypes.c_double), ctypes.c_ssize_t)
    first = km.sample(banana, [0.0, 0.0], **SHORT)
    assert same(first, km.sample(compiled, [0.0, 0.0], **SHORT))
    assert same(first, km.sample(compiled, [0.0, 0.0], threads=1, **SHORT))
    assert same(first, km.sample(rows, [0.0, 0.0], vectorized=True, **SHORT))
    assert same(first, km.sample(pointer(lambda x, dim: banana(x)), [0.0, 0.0], **SHORT))
    assert not same(first, km.sample(banana, [0.0, 0.0], **{**SHORT, "seed": 8}))


def test_a_vectorised_function_is_called_once_for_all_chains():
    shapes = []

    def rows(x):
        shapes.append(x.shape)
        return -0.5 * (x**2).sum(axis=1)

    km.sample(rows, [0.0, 0.0], sampler=km.SM(), vectorized=True, draws=500, warmup=0, chains=8, seed=1)
    assert shapes.count((8, 2)) >= 495 and len(shapes) <= 520


def test_shapes_become_named_arrays():
    parameters = {"mu": 3, "log_sigma": (), "corr": (2, 2)}
    result = km.sample(normal, parameters=parameters, **SHORT)
    assert result.variables == {"mu": (3,), "log_sigma": (), "corr": (2, 2)}
    assert result["mu"].shape == (3, 200, 3) and result["corr"].shape == (3, 200, 2, 2)
    assert np.array_equal(result["corr"][:, :, 1, 0], result["corr[1,0]"])
    start = {"mu": np.zeros(3), "log_sigma": 0.0, "corr": np.zeros((2, 2))}
    assert km.sample(normal, start, **SHORT).variables == result.variables


def test_bounds_and_priors_are_those_of_run_files(program, tmp_path):
    text = """
    [model]
    log-density = "7*ln(rate) - 3*rate - share"
    [parameters.rate]
    prior = "gamma(2, 1)"
    [parameters.share]
    lower = 0.0
    upper = 1.0
    prior = "student-t(3, 0, 1)"
    [sampler]
    name = "KAMH-LS"
    [run]
    draws = 200
    warmup = 600
    chains = 3
    seed = 7
    """
    (tmp_path / "run.toml").write_text(text)
    arguments = [program, "sample", str(tmp_path / "run.toml"), "--out", str(tmp_path / "out"), "--quiet"]
    subprocess.run(arguments, check=True, capture_output=True)
    result = km.sample(
        "7*ln(rate) - 3*rate - share",
        parameters=["rate", "share"],
        priors={"rate": "gamma(2, 1)", "share": "student-t(3, 0, 1)"},
        bounds={"share": (0, 1)},
        sampler=km.KAMH(),
        **SHORT,
    )
    assert np.array_equal(km.load(tmp_path / "out").draws, result.draws)
    assert (result["rate"] > 0).all() and (result["share"] > 0).all() and (result["share"] < 1).all()


def test_bounded_draws_and_log_densities_are_in_the_users_units():
    result = km.sample(
        lambda x: 7 * math.log(x[0]) - 3 * x[0], parameters=["rate"], bounds={"rate": (0, None)}, start=[1.0], **SHORT
    )
    rate = result["rate"]
    assert (rate > 0).all()
    np.testing.assert_allclose(result.log_density, 7 * np.log(rate) - 3 * rate, rtol=1e-10)


def test_an_expression_is_the_function_it_says():
    expression = km.sample("-(x^2 + y^2)/2", parameters=["x", "y"], **SHORT)
    assert expression.names == ["x", "y"]
    function = km.sample(lambda x: -(x[0] ** 2 + x[1] ** 2) / 2, parameters=["x", "y"], **SHORT)
    # Their squares may differ in the last bit, and so may the log densities.
    assert np.array_equal(expression.draws, function.draws)
    np.testing.assert_allclose(expression.log_density, function.log_density, rtol=1e-14)


def test_a_second_argument_is_a_seeded_generator_and_the_run_repeats():
    def estimate(x, rng):
        return -0.5 * x[0] ** 2 + 0.5 * rng.normal() - 0.125

    run = {**SHORT, "seed": 8}
    first, second = (km.sample(estimate, [0.0], **run) for _ in range(2))
    assert same(first, second)
    assert first._posterior["noisy"]

    def rows(x, rngs):
        return [-0.5 * row[0] ** 2 + 0.5 * rng.normal() - 0.125 for row, rng in zip(x, rngs, strict=True)]

    assert same(first, km.sample(rows, [0.0], vectorized=True, **run))


def test_correlated_chains_move_the_normals_a_little():
    seen = []

    def estimate(x, u):
        seen.append(u.copy())
        return -0.5 * x[0] ** 2 + 0.5 * u[0] - 0.125

    km.sample(estimate, [0.0], normals=4, correlated=0.999, draws=50, warmup=600, chains=1, seed=1)
    # The last five are for sd(log p̂), with normals of their own.
    moves = np.abs(np.diff(np.array(seen[:-5]), axis=0)).max()
    assert np.shape(seen)[1] == 4 and 0 < moves < 0.5
    with pytest.raises(km.SettingsError, match="correlated"):
        km.sample(normal, [0.0], correlated=0.5, **SHORT)


def test_a_noisy_compiled_function_gets_seeds_or_normals():
    numba = pytest.importorskip("numba")

    @numba.cfunc("float64(CPointer(float64), intp, CPointer(float64), intp)")
    def of_normals(x, dim, u, count):
        return -0.5 * x[0] ** 2 + 0.5 * u[0] - 0.125

    def python(x, u):
        return -0.5 * x[0] ** 2 + 0.5 * u[0] - 0.125

    compiled = km.sample(of_normals, [0.0], normals=2, **SHORT)
    plain = km.sample(python, [0.0], normals=2, **SHORT)
    # The compiler may round a sum of products once less.
    assert np.array_equal(compiled.draws, plain.draws) and np.allclose(compiled.log_density, plain.log_density)

    @numba.cfunc("float64(CPointer(float64), intp, uint64)")
    def of_seed(x, dim, seed):
        return -0.5 * x[0] ** 2 + (seed % 1000) / 1000.0

    assert km.sample(of_seed, [0.0], **SHORT)._posterior["noisy"]


def test_nan_is_counted_and_reported():
    def sometimes(x):
        return float("nan") if x[0] > 1 else -0.5 * x[0] ** 2

    with pytest.warns(km.KameleonWarning, match="no usable log density"):
        result = km.sample(sometimes, [0.0], **SHORT)
    assert result.stats["invalid"] > 0 and result.draws.max() <= 1
    assert any("NaN" in warning for warning in result.warnings)


@pytest.mark.parametrize("vectorized", [False, True])
def test_an_exception_keeps_its_traceback_and_what_was_drawn(vectorized):
    calls = []

    def fragile(x):
        calls.append(1)
        # Chains take turns, so each of them has had several by then.
        if len(calls) > (5000 if vectorized else 20_000):
            raise ZeroDivisionError("boom")
        return -0.5 * (x**2).sum(axis=-1)

    with pytest.raises(km.TargetError, match="boom") as caught:
        km.sample(fragile, [0.0, 0.0], draws=100_000, warmup=600, chains=2, seed=1, vectorized=vectorized)
    cause = caught.value.__cause__
    assert isinstance(cause, ZeroDivisionError)
    frames = []
    trace = cause.__traceback__
    while trace:
        frames.append(trace.tb_frame.f_code.co_name)
        trace = trace.tb_next
    assert "fragile" in frames
    assert caught.value.result.draws.shape[1] > 1000 and not caught.value.result.complete


def test_a_return_value_that_is_no_number_is_told():
    with pytest.raises(km.TargetError, match="is a `return` missing") as caught:
        km.sample(lambda x: None, [0.0], **SHORT)
    assert isinstance(caught.value.__cause__, TypeError)
    with pytest.raises(km.TargetError, match="3 numbers, one for each row, not 1"):
        km.sample(lambda x: np.zeros(1), [0.0], vectorized=True, **SHORT)


def interrupted(target, after, **options):
    """A run that gets Ctrl-C after a number of seconds."""
    # A shell has its background jobs ignore Ctrl-C, and tests may be one.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(after, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", km.KameleonWarning)
            return km.sample(target, [0.0, 0.0], sampler=km.SM(), draws=10**9, thin=1000, warmup=0, seed=1, **options)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("options", [{}, {"vectorized": True}])
def test_ctrl_c_returns_what_was_drawn(options):
    result = interrupted(lambda x: -0.5 * (x**2).sum(axis=-1), 1.0, **options)
    assert not result.complete and "stopped" in " ".join(result.warnings)
    assert result.stats["evaluations"] > 0


def test_ctrl_c_stops_threads_too():
    result = interrupted(km.targets.Banana(2), 0.5)
    assert not result.complete and result.draws.shape[1] > 0


def test_starts_that_cannot_be_sampled_from_are_refused():
    with pytest.raises(km.StartError, match="density is zero"):
        km.sample(lambda x: -math.inf, [0.0], **SHORT)
    with pytest.raises(km.SettingsError, match="start"):
        km.sample(normal, **SHORT)
    with pytest.raises(km.SettingsError, match="one for each of the 3 chains"):
        km.sample(normal, np.zeros((2, 2)), **SHORT)
    with pytest.raises(km.SettingsError, match="finite"):
        km.sample(normal, [math.nan], **SHORT)


def test_stopping_rules_end_a_run():
    result = km.sample(normal, [0.0], sampler=km.AM(), until="ess=200", draws=100_000, warmup=1000, seed=1)
    assert result.complete and "ess=200 was reached" in result.reason
    assert result.draws.shape[1] < 100_000
    assert result.summary()["x1"]["ess_bulk"] >= 200


def test_the_warm_up_is_kept_on_request():
    result = km.sample(normal, [0.0], keep_warmup=True, **SHORT)
    assert result.warmup_draws.shape == (3, 600, 1)
    assert km.sample(normal, [0.0], **SHORT).warmup_draws.shape == (3, 0, 1)


def test_progress_is_told_to_a_function_of_the_users():
    seen = []
    km.sample(km.targets.Banana(2, b=0.01), draws=20_000, warmup=1000, seed=1, progress=seen.append)
    assert seen and len(seen[-1]) == 4
    iterations, acceptance, scale = seen[-1][0]
    assert iterations == 21_000 and 0 < acceptance < 1 and scale > 0
    assert seen[-1].phase == "sampling" and {states.phase for states in seen} <= {"warm-up", "sampling"}


def test_progress_knows_the_phase():
    from kameleon.progress import watcher

    phases = []
    with watcher(lambda states: phases.append(states.phase), {}) as watch:
        for iterations, population in [(0, "ladder 1"), (5, None), (10, None)]:
            watch([(iterations, 0.5, 1.0, 10), (10, 0.5, 1.0, 10)], population, None)
    assert phases == ["population", "warm-up", "sampling"]


def test_what_is_returned_wrongly_is_told():
    plan = {"draws": 10, "warmup": 0, "chains": 2, "sampler": km.SM()}
    with pytest.raises(km.TargetError, match=r"must return a number, not ndarray of shape \(2,\)"):
        km.sample(lambda x: x, [0.0, 0.0], **plan)
    with pytest.raises(km.TargetError, match="must return 2 numbers, one for each row, not float"):
        km.sample(lambda x: 0.0, [0.0, 0.0], vectorized=True, **plan)
    with pytest.raises(km.TargetError, match=r"2 numbers, one for each row, not ndarray of shape \(2, 2\)"):
        km.sample(lambda x: x, [0.0, 0.0], vectorized=True, **plan)
