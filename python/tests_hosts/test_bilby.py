"""The plugin for bilby: what it gives is right, for every kind of prior that bilby has."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from multiprocessing.pool import ThreadPool

import bilby
import numpy as np
import pytest
from bilby.core import prior as priors_of

import kameleon as km
import kameleon.bilby as plugin

SHORT = {"seed": 1, "outdir": "out", "draws": 2000, "check": "off"}


class Normal(bilby.Likelihood):
    """Two normal observations, whose log density is normalised."""

    def log_likelihood(self, parameters):
        x, y = parameters["x"], parameters["y"]
        return -0.5 * ((x - 0.3) ** 2 + (y + 0.2) ** 2) / 0.04 - np.log(2 * np.pi * 0.04)


class Other(bilby.Likelihood):
    """A likelihood that is a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def log_likelihood(self, parameters):
        return self.function(parameters)


def box(**more):
    return bilby.core.prior.PriorDict(
        {"x": priors_of.Uniform(-2, 2), "y": priors_of.Uniform(-2, 2), **more},
    )


def run(likelihood=None, priors=None, **more):
    return bilby.run_sampler(likelihood or Normal(), priors or box(), sampler="kameleon", **{**SHORT, **more})


def close(found, truth, errors=5.0):
    """Whether the estimated evidence is the true one, within its error."""
    return abs(found.log_evidence - truth) < errors * found.log_evidence_err


def test_bilby_finds_the_plugin():
    assert "kameleon" in bilby.core.sampler.get_implemented_samplers()
    assert bilby.core.sampler.get_sampler_class("kameleon").get_expected_outputs("a", "b") == ([], ["a/kameleon_b/"])


def test_mean_sd_and_evidence_are_those_of_the_truth():
    found = run(label="truth", until="ess=4000", draws=None)
    assert close(found, -np.log(16)) and found.log_evidence_err < 0.05
    for name, mean in {"x": 0.3, "y": -0.2}.items():
        draws = found.posterior[name]
        assert abs(draws.mean() - mean) < 5 * 0.2 / np.sqrt(4000) and abs(draws.std() / 0.2 - 1) < 0.06
    assert np.allclose(found.posterior.log_prior, -np.log(16))
    again = [Normal().log_likelihood(row) for _, row in found.posterior.iterrows()]
    assert np.allclose(found.posterior.log_likelihood, again)
    assert found.num_likelihood_evaluations > len(found.posterior)


def test_both_modes_are_found_with_their_weights():
    def two(at):
        return np.logaddexp(
            np.log(0.3) - 0.5 * ((at["x"] + 1) ** 2 + (at["y"] + 1) ** 2) / 0.01,
            np.log(0.7) - 0.5 * ((at["x"] - 1) ** 2 + (at["y"] - 1) ** 2) / 0.01,
        ) - np.log(2 * np.pi * 0.01)

    found = run(Other(two), label="modes")
    assert abs((found.posterior["x"] > 0).mean() - 0.7) < 0.05 and close(found, -np.log(16))


def test_fixed_parameters_stay_where_they_are():
    def likelihood(at):
        return Normal().log_likelihood({"x": at["x"], "y": at["y"]}) + 0 * at["fixed"]

    found = run(Other(likelihood), box(fixed=priors_of.DeltaFunction(4.0)), label="fixed")
    assert (found.posterior["fixed"] == 4.0).all() and close(found, -np.log(16))


def test_a_constraint_is_kept_and_the_prior_is_normalised_within_it():
    def sum_of(at):
        return {**at, "total": at["x"] + at["y"]}

    priors = bilby.core.prior.PriorDict(
        {"x": priors_of.Uniform(-2, 2), "y": priors_of.Uniform(-2, 2), "total": priors_of.Constraint(0.1, 9)},
        conversion_function=sum_of,
    )
    found = run(priors=priors, label="constraint")
    assert (found.posterior["x"] + found.posterior["y"] >= 0.1).all()
    # x + y is normal with mean 0.1 and so half of it is inside; the share of the prior is (4 − 0.1)²/2 of 16.
    assert abs(found.log_evidence - np.log(0.5 / (3.9**2 / 2))) < 5 * found.log_evidence_err + 0.01


def test_a_prior_may_depend_on_another_parameter():
    def half(reference, x):
        return {"minimum": reference["minimum"], "maximum": x}

    priors = bilby.core.prior.ConditionalPriorDict(
        {
            "x": priors_of.Uniform(0.1, 2, name="x"),
            "y": priors_of.ConditionalUniform(condition_func=half, minimum=-1, maximum=1, name="y"),
        }
    )
    found = run(priors=priors, label="conditional")
    assert (found.posterior["y"] <= found.posterior["x"]).all()
    x, y = np.meshgrid(np.linspace(0.1, 2, 1901), np.linspace(-1, 2, 3001), indexing="ij")
    density = np.exp(Normal().log_likelihood({"x": x, "y": y})) * (y < x) / (x + 1) / 1.9
    assert abs(found.log_evidence - np.log(density.sum() * 1e-6)) < 5 * found.log_evidence_err + 0.01


def test_a_period_of_a_conditional_prior_is_refused_in_words(said):
    def whole(reference, x):
        return {"minimum": reference["minimum"], "maximum": reference["maximum"]}

    shape = {"condition_func": whole, "minimum": -2, "maximum": 2, "name": "y", "boundary": "periodic"}
    priors = {"x": priors_of.Uniform(-2, 2, name="x"), "y": priors_of.ConditionalUniform(**shape)}
    run(priors=bilby.core.prior.ConditionalPriorDict(priors), label="conditional", draws=300)
    assert "y has the boundary 'periodic', which is not used" in said()


def test_a_joint_prior_of_several_parameters_is_used_as_it_is():
    covariance = [[1.0, 0.6], [0.6, 1.0]]
    both = priors_of.MultivariateGaussianDist(["x", "y"], mus=[[0.0, 0.0]], covs=[covariance])
    priors = bilby.core.prior.PriorDict({name: priors_of.MultivariateGaussian(both, name) for name in ("x", "y")})
    found = run(priors=priors, label="joint")
    total = np.array(covariance) + 0.04 * np.eye(2)
    at = np.array([0.3, -0.2])
    truth = -0.5 * at @ np.linalg.solve(total, at) - 0.5 * np.log(np.linalg.det(2 * np.pi * total))
    assert close(found, truth)
    mean = np.array(covariance) @ np.linalg.solve(total, at)
    assert np.abs(found.posterior[["x", "y"]].mean().to_numpy() - mean).max() < 0.03


def test_a_phase_may_lie_at_the_ends_of_its_period():
    def phase(at):
        return 8 * (np.cos(at["x"]) - 1) - 0.5 * at["y"] ** 2 / 0.04

    angle = priors_of.Uniform(0, 2 * np.pi, boundary="periodic")
    found = run(Other(phase), {"x": angle, "y": priors_of.Uniform(-2, 2)}, label="phase")
    truth = np.log(np.i0(8)) - 8 + 0.5 * np.log(2 * np.pi * 0.04) - np.log(4)
    assert close(found, truth)
    assert abs((found.posterior["x"] < np.pi).mean() - 0.5) < 0.05
    # Between plain bounds the phase has two modes, and a spread of half a turn.
    plain = run(Other(phase), {"x": priors_of.Uniform(0, 2 * np.pi), "y": priors_of.Uniform(-2, 2)}, label="plain")
    ours, other = (km.load(f"out/kameleon_{label}") for label in ("phase", "plain"))
    assert len(ours.modes) == 1 and abs(ours.summary()["x"]["sd"] - 0.37) < 0.03
    assert len(other.modes) == 2 and plain.posterior["x"].std() > 2 and other.summary()["x"]["sd"] > 2


def test_ratios_of_likelihoods_give_bayes_factors():
    class Ratio(Normal):
        def noise_log_likelihood(self):
            return -3.0

        def log_likelihood_ratio(self, parameters):
            return self.log_likelihood(parameters) + 3.0

    found = run(Ratio(), label="ratio")
    assert abs(found.log_bayes_factor - (3 - np.log(16))) < 5 * found.log_evidence_err
    assert close(found, -np.log(16))


def test_a_pool_gives_the_same_draws():
    alone, pooled = run(label="alone", chains=4), run(label="pooled", chains=4, npool=2)
    assert np.array_equal(alone.posterior["x"], pooled.posterior["x"])
    assert alone.log_evidence == pooled.log_evidence


def test_a_pool_that_was_made_before_the_run_gives_the_same_draws_too():
    alone = run(label="alone", chains=4, draws=300)
    # Such workers start with nothing of this process.
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pooled = run(label="pooled", chains=4, draws=300, pool=pool)
    assert np.array_equal(alone.posterior["x"], pooled.posterior["x"])


def test_a_pool_may_evaluate_one_likelihood_after_another():
    with multiprocessing.Pool(2) as pool:
        made = [plugin._Likelihood((Normal(), {"y": y}, ["x"], False), str(y), None) for y in (0.0, 1.0)]
        found = [pool.map(each, [[0.1], [0.2]]) for each in made]
    assert found == [[Normal().log_likelihood({"x": x, "y": y}) for x in (0.1, 0.2)] for y in (0.0, 1.0)]


def test_threads_need_no_likelihood_that_can_be_sent():
    with ThreadPool(2) as pool:
        found = run(Other(lambda at: Normal().log_likelihood(at)), label="threads", draws=300, pool=pool)
    assert len(found.posterior) > 0


def test_the_same_seed_of_bilby_gives_the_same_draws():
    found = []
    for label in "ab":
        bilby.core.utils.random.seed(3)
        found.append(run(label=label, seed=None, draws=300).posterior["x"])
    assert np.array_equal(*found)


SCRIPT = """
import sys, time
sys.path.insert(0, {here!r})
import bilby
from test_bilby import Normal, run
class Slow(Normal):
    def log_likelihood(self, parameters):
        time.sleep(0.0005)
        return super().log_likelihood(parameters)
found = run(Slow(), label="killed", npool={npool})
found.posterior.to_csv("killed.csv", index=False)
"""


@pytest.mark.parametrize(("kind", "npool"), [("SIGINT", 1), ("SIGTERM", 2), ("SIGKILL", 1)])
def test_a_run_that_was_ended_goes_on_when_it_is_called_again(kind, npool, tmp_path):
    script = SCRIPT.format(here=os.path.dirname(__file__), npool=npool)
    command = [sys.executable, "-c", script]
    first = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    settings = tmp_path / "out/kameleon_killed/settings.toml"
    while not settings.exists() and first.poll() is None:
        time.sleep(0.05)
    time.sleep(2.0)
    assert first.poll() is None, first.stderr.read()
    first.send_signal(getattr(signal, kind))
    _, log = first.communicate(timeout=60)
    assert first.returncode == (-9 if kind == "SIGKILL" else 130), log
    assert not (tmp_path / "killed.csv").exists()
    second = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=100)
    assert second.returncode == 0 and "Resuming the run" in second.stderr, second.stderr
    text = np.genfromtxt("killed.csv", delimiter=",", names=True)
    assert np.allclose(text["x"], run(label="whole").posterior["x"], rtol=0, atol=1e-12)


def test_another_model_does_not_go_on_with_a_run_that_is_not_its_own():
    run(label="kept", draws=300)
    os.remove("out/kept_result.json")
    with pytest.raises(km.StoreError):
        run(Other(lambda at: Normal().log_likelihood(at) - 1.0), label="kept", draws=400)
    with pytest.raises(km.SettingsError, match="not those of the run"):
        run(priors={"x": priors_of.Uniform(-2, 2), "y": priors_of.Uniform(-2, 3)}, label="kept", draws=400)
    with pytest.raises(km.SettingsError, match="has x, y"):
        priors = {"x": priors_of.Uniform(-2, 2), "z": priors_of.Uniform(-2, 2)}
        run(Other(lambda at: -(at["x"] ** 2)), priors, label="kept", draws=400)
    assert len(run(label="kept", draws=300, clean=True).posterior) > 0
    bilby.core.utils.command_line_args.clean = False


def test_an_exception_of_the_likelihood_ends_the_run_and_the_next_call_goes_on():
    calls = []

    def fragile(at):
        calls.append(0)
        if len(calls) == 3000:
            raise ArithmeticError("no convergence")
        return Normal().log_likelihood(at)

    with pytest.raises(km.TargetError, match="no convergence") as caught:
        run(Other(fragile), label="fragile")
    assert isinstance(caught.value.__cause__, ArithmeticError)
    found = run(Other(fragile), label="fragile")
    assert np.array_equal(found.posterior["x"], run(label="whole").posterior["x"])


class Failing(Normal):
    """Fails at its first call after a number of them."""

    def __init__(self, calls):
        super().__init__()
        self.left = calls

    def log_likelihood(self, parameters):
        self.left -= 1
        if self.left == 0:
            raise ArithmeticError("no convergence")
        return super().log_likelihood(parameters)


def test_a_run_that_goes_on_keeps_its_settings_and_says_which_are_not_used(said):
    begun = {"label": "begun", "draws": None, "until": "ess=900, rhat=1.010", "max_evaluations": 40_000}
    failing = Failing(3000)
    with pytest.raises(km.TargetError, match="no convergence"):
        run(failing, **begun)
    small = km.Population(particles=300)
    found = run(failing, **{**begun, "until": "ess=500", "seed": 2, "chains": 6, "thin": 2, "population": small})
    for what in (
        "the run in out/kameleon_begun was begun with other settings, and keeps them",
        "until is 'ess=900,rhat=1.01', not 'ess=500'",
        "seed is 1, not 2",
        "chains is 4, not 6",
        "thin is 1, not 2",
        "population.particles is None, not 300",
        "clean=True begins another run",
    ):
        assert what in said()
    assert "max_evaluations is" not in said() and "check is" not in said()
    assert np.array_equal(found.posterior["x"], run(**{**begun, "label": "whole"}).posterior["x"])


def test_what_is_left_out_when_a_run_goes_on_is_as_it_was(said):
    begun = {"label": "begun", "thin": 2, "on_error": "reject", "warmup": 700}
    run(**begun, draws=300)
    os.remove("out/begun_result.json")
    run(label="begun", draws=400)
    assert "keeps them" not in said() and km.load("out/kameleon_begun").draws.shape == (4, 400, 2)


def test_the_same_call_goes_on_with_all_its_limits_and_another_number_of_draws_ends_them(said):
    limited = {"label": "limited", "draws": 5000, "warmup": 700, "max_evaluations": 6000}
    failing = Failing(4500)
    with pytest.raises(km.TargetError, match="no convergence"):
        run(failing, **limited)
    run(failing, **limited)
    assert "keeps them" not in said() and "max_evaluations" in km.load("out/kameleon_limited").reason
    os.remove("out/limited_result.json")
    run(**{**limited, "draws": 6000})
    assert "max_evaluations is None, not 6000" in said()
    assert km.load("out/kameleon_limited").draws.shape == (4, 6000, 2)


def test_points_without_a_likelihood_are_rejected_and_reported(said):
    def partly(at):
        return np.nan if at["x"] > 0.5 else -np.inf if at["y"] > 0.1 else Normal().log_likelihood(at)

    found = run(Other(partly), label="nan")
    assert found.posterior["x"].max() <= 0.5 and found.posterior["y"].max() <= 0.1
    assert "NaN" in said()


def test_a_wrong_argument_is_named(said):
    run(label="wrong", nlive=500, draws=300)
    assert "'nlive' not an argument of 'Kameleon'" in said()
    with pytest.raises(km.SettingsError, match="n has the discrete prior"):
        run(Other(lambda at: -((at["x"] - at["n"]) ** 2)), box(n=priors_of.Categorical(3)), label="discrete")
    with pytest.raises(km.SettingsError, match="warmup"):
        run(label="wrong2", warmup="long")


def test_the_result_is_saved_read_again_and_plotted(tmp_path):
    found = run(label="saved", draws=500, population=km.Population(particles=500))
    again = bilby.read_in_result("out/saved_result.json")
    assert again.log_evidence == found.log_evidence and np.allclose(again.posterior["x"], found.posterior["x"])
    found.plot_corner()
    assert (tmp_path / "out/saved_corner.png").stat().st_size > 10_000
