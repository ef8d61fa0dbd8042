"""Targets that need no Python while they are sampled."""

import contextlib
import shutil
import socket
import subprocess
import sys
import time

import numpy as np
import pytest
from conftest import ROOT

import kameleon as km

SHORT = {"draws": 200, "warmup": 700, "chains": 2, "seed": 7}


def test_built_in_targets_know_their_truth():
    for target in (
        km.targets.Banana(3),
        km.targets.Flower(3),
        km.targets.Ring(3),
        km.targets.Funnel(3, s=1.0),
        km.targets.StudentT(3, freedom=5.0),
        km.targets.TwoModes(3),
        km.targets.MixedBanana(3),
        km.targets.ScaledGaussian(3, condition=100.0),
        km.targets.BuiltIn("banana:b=0.1", 3),
    ):
        draws = target.sample(4000, seed=1)
        error = np.linalg.norm(draws.mean(axis=0) - target.mean())
        # Five standard errors: one false alarm in millions.
        assert error < 5 * np.sqrt(target.total_variance() / 4000)
        assert abs(target.levels(draws).mean() - 0.5) < 5 * np.sqrt(1 / 12 / 4000)


def test_a_gaussian_has_the_moments_it_is_given():
    target = km.targets.Gaussian([1.0, -2.0], [[4.0, 1.0], [1.0, 9.0]])
    result = km.sample(target, [0.0, 0.0], sampler=km.AM(), draws=5000, warmup=2000, seed=1)
    for parameter, mean in zip(result.summary(), [1.0, -2.0], strict=True):
        assert abs(parameter["mean"] - mean) < 5 * parameter["mcse_mean"]
    with pytest.raises(km.SettingsError, match="symmetric"):
        km.targets.Gaussian([0.0, 0.0], [[1.0, 2.0], [3.0, 1.0]])


def test_posteriors_of_real_data_are_estimated_and_sampled():
    names = ["intercept", "period2", "period3", "period4", "log_sd"]
    best = [-1.40, -0.99, -1.13, -1.58, -0.43]
    estimates = [km.targets.Cbpp(n_imp=100).log_density(best, seed=seed) for seed in range(5)]
    # There the exact log likelihood is -91.98 and the log prior -11.26; the estimates have standard deviation 0.04.
    assert np.ptp(estimates) > 0 and np.allclose(estimates, -91.98 - 11.26, atol=0.3)
    result = km.sample(km.targets.Cbpp(), best, **SHORT)
    assert result.names == names and result._posterior["noisy"]
    volatility = km.targets.StochasticVolatility(particles=10)
    with pytest.warns(km.KameleonWarning, match="Use more particles"):
        result = km.sample(volatility, [-0.8, 4.0, -1.8], **SHORT)
    assert result.names == ["mu", "logit_phi", "log_sigma"]
    with pytest.raises(km.SettingsError, match="particles: must be from 1"):
        km.sample(km.targets.StochasticVolatility(particles=0), [0.0, 0.0, 0.0], **SHORT)


def test_exact_posteriors_have_a_likelihood_and_priors_that_may_be_replaced():
    schools = km.targets.EightSchools()
    x = [4.4, 3.6, 0.5, 0, -0.2, 0.1, -0.3, -0.1, 0.4, 0.2]
    # The value of tests/posterior_values.csv, and the log prior by the formulae of its densities.
    assert np.isclose(schools.log_likelihood(x), -29.51524349731531, rtol=1e-12)
    normals = -0.5 * (4.4 / 5) ** 2 - np.log(5) - 0.5 * np.sum(np.square(x[2:])) - 4.5 * np.log(2 * np.pi)
    prior = normals + np.log(2 / np.pi / 5) - np.log1p((3.6 / 5) ** 2)
    assert np.isclose(schools.log_density(x), schools.log_likelihood(x) + prior, rtol=1e-12)
    assert schools.log_density([0.0, -1.0, *x[2:]]) == -np.inf
    start = [1000.0, 100.0, 50.0]
    nile = {"start": start, "sampler": km.SM(), "draws": 3, "warmup": 0, "chains": 1, "seed": 1}
    own, other = (
        km.sample(km.targets.Nile(), priors=priors, **nile) for priors in (None, {"sd_level": "half-normal(5)"})
    )
    assert own.names == ["level", "sd_flow", "sd_level"] and (own.draws[..., 1:] > 0).all()
    assert not own._posterior["noisy"] and not np.array_equal(own.log_density, other.log_density)
    with pytest.raises(km.SettingsError, match="nile has no parameter `x`"):
        km.sample(km.targets.Nile(), priors={"x": "normal(0, 1)"}, parameters=["x", "y", "z"], **nile)


def test_classification_is_evaluated_estimated_sampled_and_predicts():
    X, y, names = km.targets.glass()
    gp = km.targets.GPClassification(X[::3], y[::3], names=names, n_imp=4)
    theta = np.full(9, 1.0)
    estimates = [gp.estimate(theta, n_imp=50, seed=seed) for seed in range(20)]
    assert gp.estimate(theta, n_imp=50, seed=3) == estimates[3]
    assert abs(np.mean(estimates) - gp.log_marginal(theta)) < 1
    result = km.sample(gp, theta, sampler=km.AM(), draws=100, warmup=600, chains=2, seed=1)
    assert result.names[2] == "log_l2[Mg]" and result._posterior["noisy"]
    probabilities = gp.predict(result.draws[:, ::20], X[:5])
    assert probabilities.shape == (5,) and ((probabilities > 0) & (probabilities < 1)).all()
    with pytest.raises(km.SettingsError, match="approximation"):
        km.targets.GPClassification(X, y, approximation="laplase")
    for samples in (0, -1):
        with pytest.raises(km.SettingsError, match="n_imp: must be"):
            km.targets.GPClassification(X, y, n_imp=samples)
    with pytest.raises(km.SettingsError, match="n_imp: must be at least 1, not 0"):
        gp.estimate(theta, n_imp=0)


def test_labels_of_two_classes_are_understood_and_others_explained():
    X, y, _ = km.targets.glass()
    theta = np.ones(9)
    expected = km.targets.GPClassification(X, y, n_imp=4).log_marginal(theta)
    for labels in (y > 0, (y > 0).astype(int)):
        assert km.targets.GPClassification(X, labels, n_imp=4).log_marginal(theta) == expected
    with pytest.raises(
        km.SettingsError, match=r"y: has 3 classes.*one against the rest, such as y=np.where\(y == 2, 1, -1\)"
    ):
        km.targets.GPClassification(X, np.arange(len(y)) % 3)
    with pytest.raises(km.SettingsError, match=r"booleans, not \['no', 'yes'\]; take y=np.where\(y == 'yes', 1, -1\)"):
        km.targets.GPClassification(X, np.where(y > 0, "yes", "no"))


def test_the_data_of_a_classifier_reach_arviz():
    pytest.importorskip("arviz")
    X, y, _ = km.targets.glass()
    gp = km.targets.GPClassification(X[::9], y[::9], n_imp=2)
    result = km.sample(gp, np.ones(9), sampler=km.SM(), draws=20, warmup=20, chains=1, seed=1)
    assert np.array_equal(result.to_arviz().observed_data["y"], y[::9])


SERVER = """
import sys, umbridge
class Model(umbridge.Model):
    def __init__(self): super().__init__("normal")
    def get_input_sizes(self, config): return [2]
    def get_output_sizes(self, config): return [1]
    def supports_evaluate(self): return True
    def __call__(self, parameters, config): return [[-0.5 * sum(v * v for v in parameters[0])]]
umbridge.serve_models([Model()], int(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def server():
    pytest.importorskip("umbridge")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-c", SERVER, str(port)], stdout=subprocess.DEVNULL)
    for _ in range(300):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            break
        time.sleep(0.1)
    yield f"http://127.0.0.1:{port}"
    process.kill()


def test_a_server_by_its_address_gives_the_draws_of_the_function_it_serves(server):
    plan = {"parameters": ["a", "b"], "sampler": km.SM(), "draws": 50, "warmup": 0, "chains": 2, "seed": 1}
    served = km.sample(server, **plan)
    assert np.array_equal(served.draws, km.sample(lambda x: -0.5 * (x[0] * x[0] + x[1] * x[1]), **plan).draws)
    with pytest.raises(km.SettingsError, match="parameters"):
        km.sample(server, sampler=km.SM())


def test_a_program_is_sampled(tmp_path):
    example = "import json, sys\nfor line in sys.stdin:\n    x = json.loads(line)['x']\n"
    example += "    print(json.dumps({'log_density': -0.5 * x[0] ** 2}), flush=True)\n"
    (tmp_path / "model.py").write_text(example)
    target = km.targets.Program([sys.executable, str(tmp_path / "model.py")], ["x"])
    result = km.sample(target, sampler=km.SM(), draws=50, warmup=0, chains=1, seed=1)
    assert np.array_equal(
        result.draws,
        km.sample(
            lambda x: -0.5 * x[0] ** 2, parameters=["x"], sampler=km.SM(), draws=50, warmup=0, chains=1, seed=1
        ).draws,
    )


@pytest.fixture
def library(tmp_path):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler, so shared libraries are not tested")
    path = tmp_path / "libbanana.so"
    include, source = ROOT / "crates/kameleon-models/include", ROOT / "examples/models/banana_library.c"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-I", include, "-o", path, source, "-lm"], check=True)
    return path


# So short a run may warn of its sampler, which is not what this is about.
@pytest.mark.filterwarnings("ignore::kameleon.errors.KameleonWarning")
def test_a_shared_library_is_sampled_and_resumed(library, tmp_path, monkeypatch):
    target = km.targets.SharedLibrary(library, ["a", "b"])
    settings = {**SHORT, "warmup": 3000, "seed": 8}
    whole = km.sample(target, **{**settings, "draws": 500})
    a, b = whole["a"], whole["b"]
    assert np.allclose(whole.log_density, -(a**2) / 200 - (b - 0.1 * (a**2 - 100)) ** 2 / 2, rtol=0, atol=1e-9)
    monkeypatch.chdir(tmp_path)
    km.sample(km.targets.SharedLibrary("libbanana.so", ["a", "b"]), checkpoint="run", **settings)
    monkeypatch.chdir("/")
    assert np.array_equal(km.resume(tmp_path / "run", draws=500).draws, whole.draws)
    library.unlink()
    with pytest.raises(km.SettingsError, match=r"(?i)no such file"):
        km.resume(tmp_path / "run", draws=600)


def test_a_run_is_resumed_exactly_and_read_while_it_is_open(tmp_path):
    def density(x):
        return -0.5 * (x[0] ** 2 / 100 + x[1] ** 2)

    whole = km.sample(density, [0.0, 0.0], **{**SHORT, "draws": 500})
    km.sample(density, [0.0, 0.0], checkpoint=tmp_path / "run", **SHORT)
    resumed = km.resume(tmp_path / "run", density, draws=500)
    assert np.array_equal(resumed.draws, whole.draws)
    assert np.array_equal(km.load(tmp_path / "run").draws, whole.draws)
    with pytest.raises(km.SettingsError, match="density"):
        km.resume(tmp_path / "run")
    with pytest.raises(km.StoreError, match="already"):
        km.sample(density, [0.0, 0.0], checkpoint=tmp_path / "run", **SHORT)
    with pytest.raises(km.StoreError):
        km.load(tmp_path / "nothing")


def test_a_folder_of_one_is_gone_on_with_by_the_other(program, tmp_path):
    target = km.targets.Banana(3)
    whole = km.sample(target, sampler=km.KAMH(), **{**SHORT, "draws": 500})
    km.sample(target, sampler=km.KAMH(), checkpoint=tmp_path / "ours", **SHORT)
    subprocess.run([program, "resume", tmp_path / "ours", "--draws", "500", "--quiet"], check=True, capture_output=True)
    assert np.array_equal(km.load(tmp_path / "ours").draws, whole.draws)
    flags = ["--target", "banana", "--dim", "3", "--sampler", "KAMH-LS", "--warmup", "700", "--draws", "200"]
    command = [program, "sample", *flags, "--chains", "2", "--seed", "7", "--out", tmp_path / "theirs", "--quiet"]
    subprocess.run(command, check=True, capture_output=True)
    assert np.array_equal(km.resume(tmp_path / "theirs", draws=500).draws, whole.draws)
