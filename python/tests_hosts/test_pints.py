"""The plugin for PINTS: chains by ask and tell."""

import pickle

import numpy as np
import pints
import pints.toy
import pytest

import kameleon as km
import kameleon.pints as plugin


def controller(target=None, chains=3, iterations=3000, warmup=1500, seed=1, x0=None, **more):
    np.random.seed(seed)
    target = target or pints.toy.TwistedGaussianLogPDF(dimension=2, b=0.03)
    starts = [[0.1, -3.0 + k] for k in range(chains)] if x0 is None else x0
    made = pints.MCMCController(target, chains, starts, method=plugin.Kameleon, **more)
    made.set_max_iterations(iterations)
    made.set_log_to_screen(False)
    plugin.set_warmup(made, warmup)
    return made


def test_the_distribution_is_that_of_the_target():
    target = pints.toy.GaussianLogPDF([1.0, -2.0], [2.0, 0.5])
    draws = controller(target, iterations=6000).run()[:, 1501:]
    assert np.abs(draws.mean((0, 1)) - [1.0, -2.0]).max() < 0.15
    assert np.allclose(draws.var((0, 1)), [2.0, 0.5], rtol=0.12)
    assert max(pints.rhat(draws)) < 1.02


def test_the_draws_are_those_of_a_chain_with_the_same_seed():
    target = pints.toy.TwistedGaussianLogPDF(dimension=2, b=0.03)
    draws = controller(target, chains=1).run()[0]
    np.random.seed(1)
    chain = km.Chain([0.1, -3.0], warmup=1500, seed=int(np.random.randint(2**31)))
    for point in draws:
        chain.tell(target(chain.ask()))
        assert np.array_equal(chain.position, point)


def test_log_densities_are_those_at_the_draws():
    target = pints.toy.TwistedGaussianLogPDF(dimension=2, b=0.03)
    made = controller(target, chains=2)
    made.set_log_pdf_storage(True)
    draws, values = made.run(), made.log_pdfs()
    again = [[target(point) for point in chain] for chain in draws]
    assert np.allclose(values, again)
    assert made.n_evaluations() == 2 * 3000


def test_the_warm_up_is_the_initial_phase(recwarn):
    made = controller(chains=1, iterations=1000, warmup=600)
    assert made.method_needs_initial_phase() and made.initial_phase_iterations() == 601
    sampler = made.samplers()[0]
    assert sampler.in_initial_phase() and sampler.warmup() == 600
    made.run()
    assert not sampler.in_initial_phase()
    assert not [w for w in recwarn if issubclass(w.category, km.KameleonWarning)]


def test_an_initial_phase_that_ends_before_the_warm_up_is_reported():
    made = controller(chains=1, iterations=1000, warmup=600)
    made.set_initial_phase_iterations(200)
    with pytest.warns(km.KameleonWarning, match="takes 600 iterations, which are to be discarded"):
        made.run()


def test_transformations_and_parallel_evaluation_work():
    model = pints.toy.LogisticModel()
    times = np.linspace(0, 1000, 50)
    problem = pints.SingleOutputProblem(model, times, model.simulate([0.015, 500], times))
    likelihood = pints.GaussianKnownSigmaLogLikelihood(problem, 10)
    posterior = pints.LogPosterior(likelihood, pints.UniformLogPrior([0.01, 400], [0.02, 600]))
    both = pints.RectangularBoundariesTransformation([0.01, 400], [0.02, 600])
    starts = [[0.0149, 495], [0.0151, 505]]
    found = []
    for parallel in (False, 2):
        made = controller(posterior, chains=2, x0=starts, transformation=both)
        made.set_parallel(parallel)
        found.append(made.run())
    assert np.array_equal(*found)
    assert np.abs(found[0][:, 1501:].mean((0, 1)) - [0.015, 500]).max() < 1.0
    assert (found[0] > [0.01, 400]).all() and (found[0] < [0.02, 600]).all()


def test_points_without_a_density_are_rejected_and_a_start_there_is_refused():
    class Partly(pints.LogPDF):
        def n_parameters(self):
            return 2

        def __call__(self, x):
            return np.nan if x[0] > 1 else -np.inf if x[1] > 0 else -0.5 * float(np.dot(x, x))

    draws = controller(Partly(), chains=1).run()[0]
    assert draws[:, 0].max() <= 1 and draws[:, 1].max() <= 0
    with pytest.raises(ValueError, match="start"):
        controller(Partly(), chains=1, x0=[[0.0, 1.0]]).run()


def test_the_samplers_of_the_paper_can_be_chosen():
    made = controller(chains=1)
    for sampler in made.samplers():
        sampler.set_sampler(km.KAMH())
        assert sampler.name() == "Kameleon (KAMH)"
    assert np.isfinite(made.run()).all()


def test_wrong_settings_are_named():
    made = controller(chains=1)
    sampler = made.samplers()[0]
    with pytest.raises(km.SettingsError, match="warmup"):
        sampler.set_warmup(-1)
    with pytest.raises(km.SettingsError, match="sampler"):
        sampler.set_sampler("KAMH")
    with pytest.raises(RuntimeError, match="before proposal"):
        sampler.tell(0.0)
    assert sampler.n_hyper_parameters() == 1
    sampler.set_hyper_parameters([700])
    made.run()
    assert sampler.warmup() == 700
    with pytest.raises(km.SettingsError, match="before the chain starts"):
        sampler.set_warmup(3)


def test_a_sampler_can_be_pickled_in_the_middle_of_a_run():
    target = pints.toy.TwistedGaussianLogPDF(dimension=2, b=0.03)
    np.random.seed(1)
    sampler = plugin.Kameleon([0.1, -3.0])
    for _ in range(500):
        sampler.tell(target(sampler.ask()))
    again = pickle.loads(pickle.dumps(sampler))
    for _ in range(500):
        (x, fx, _), (y, fy, _) = sampler.tell(target(sampler.ask())), again.tell(target(again.ask()))
        assert np.array_equal(x, y) and fx == fy
