"""The plugin for pyPESTO: draws as its samplers give them."""

import logging

import numpy as np
import pypesto
import pypesto.sample
import pypesto.visualize
import pytest
from pypesto.objective import AggregatedObjective, NegLogParameterPriors

import kameleon as km
from kameleon.pypesto import Kameleon


def negative_log(x):
    """Two modes, of which one has the weight 0.3."""
    one = np.log(0.3) - 0.5 * np.sum((x + 1.5) ** 2) / 0.1 - np.log(2 * np.pi * 0.1)
    other = np.log(0.7) - 0.5 * np.sum((x - 1.5) ** 2) / 0.2 - np.log(2 * np.pi * 0.2)
    return -np.logaddexp(one, other)


def problem(fun=negative_log, **more):
    return pypesto.Problem(objective=pypesto.Objective(fun=fun), **{"lb": [-5, -5], "ub": [5, 5], **more})


def sample(made, count=8000, x0=None, **options):
    sampler = Kameleon({"seed": 1, "check": "off", **options})
    return pypesto.sample.sample(made, count, sampler, x0=x0), sampler


def test_both_modes_are_found_without_a_start():
    result, sampler = sample(problem())
    trace = result.sample_result
    assert trace.trace_x.shape == (1, 8000, 2) and abs((trace.trace_x[0, :, 0] > 0).mean() - 0.7) < 0.04
    assert abs(sampler.result.log_evidence + np.log(100)) < 5 * sampler.result.log_evidence_error
    assert np.allclose(trace.trace_neglogpost[0, ::500], [negative_log(x) for x in trace.trace_x[0, ::500]])
    assert trace.burn_in == 0 and pypesto.sample.effective_sample_size(result) > 1000
    pypesto.visualize.sampling_1d_marginals(result)
    pypesto.visualize.sampling_scatter(result)


def test_with_a_start_chains_begin_there_and_bounds_may_be_infinite():
    result, sampler = sample(problem(lb=[-np.inf, -5], ub=[np.inf, 5]), x0=np.array([1.5, 1.5]))
    assert sampler.result.population is None and np.isfinite(result.sample_result.trace_x).all()
    points = result.sample_result.trace_x[0, ::500]
    assert np.allclose(result.sample_result.trace_neglogpost[0, ::500], [negative_log(x) for x in points])
    with pytest.raises(km.SettingsError, match="finite bounds"):
        sample(problem(lb=[-np.inf, -5]), warmup="population")


def test_fixed_parameters_and_priors_are_those_of_the_problem():
    log_prior = {"density_fun": lambda x: -0.5 * x**2, "density_dx": lambda x: -x, "density_ddx": lambda x: -1.0}
    priors = NegLogParameterPriors([{"index": 0, **log_prior}])
    likelihood = pypesto.Objective(fun=lambda x: 0.5 * float(x[0] ** 2) + x[1])
    both = AggregatedObjective([likelihood, priors])
    box = {"lb": [-5, -5], "ub": [5, 5], "x_fixed_indices": [1], "x_fixed_vals": [1]}
    result, _ = sample(pypesto.Problem(objective=both, x_priors_defs=priors, **box))
    trace = result.sample_result
    assert trace.trace_x.shape == (1, 8000, 1) and abs(trace.trace_x.std() - np.sqrt(0.5)) < 0.05
    assert np.allclose(trace.trace_neglogprior[0, ::500], 0.5 * trace.trace_x[0, ::500, 0] ** 2)
    assert np.allclose(trace.trace_neglogpost[0, ::500], trace.trace_x[0, ::500, 0] ** 2 + 1)


@pytest.mark.parametrize("x0", [None, np.array([0.1, 0.0])])
def test_a_phase_may_lie_at_the_ends_of_its_period(x0):
    def phase(x):
        return -8 * np.cos(x[0]) + 0.5 * x[1] ** 2

    made = problem(phase, lb=[0, -8 if x0 is None else -np.inf], ub=[2 * np.pi, 8], x_names=["phi", "y"])
    result, sampler = sample(made, x0=x0, periodic=["phi"])
    trace = result.sample_result
    assert abs((trace.trace_x[0, :, 0] < np.pi).mean() - 0.5) < 0.05
    assert abs(sampler.result.summary()["phi"]["sd"] - 0.37) < 0.03
    assert np.allclose(trace.trace_neglogpost[0, ::500], [phase(x) for x in trace.trace_x[0, ::500]])
    with pytest.raises(km.SettingsError, match="psi: there is no such free parameter"):
        sample(made, periodic=["psi"])


def test_without_a_number_of_samples_the_run_ends_when_there_are_enough():
    _, sampler = sample(problem(), None)
    assert sampler.result.complete and sampler.result.summary().converged


def test_points_without_a_value_are_rejected_and_wrong_options_are_named(caplog):
    with caplog.at_level(logging.WARNING):
        partly = problem(lambda x: np.nan if x[0] > 1 else negative_log(x))
        result, _ = sample(partly, 2000, x0=np.array([-1.5, -1.5]), warmup=700)
    assert result.sample_result.trace_x[0, :, 0].max() <= 1 and "NaN" in caplog.text
    with pytest.raises(KeyError, match="walkers"):
        Kameleon({"walkers": 3})
    sampler = Kameleon()
    with pytest.raises(RuntimeError, match="call sample first"):
        sampler.get_samples()
    with pytest.raises(km.SettingsError, match="tempered"):
        sampler.sample(10, beta=0.5)
