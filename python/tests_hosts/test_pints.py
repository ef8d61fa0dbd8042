"""The plugin for PINTS: chains by ask and tell, together and alone."""

import pickle

import numpy as np
import pints
import pints.toy
import pytest

import kameleon as km
import kameleon.pints as plugin


def controller(target=None, chains=3, iterations=3000, warmup=1500, seed=1, x0=None, method=plugin.Kameleon, **more):
    np.random.seed(seed)
    target = target or pints.toy.TwistedGaussianLogPDF(dimension=2, b=0.03)
    starts = [[0.1, -3.0 + k] for k in range(chains)] if x0 is None else x0
    made = pints.MCMCController(target, chains, starts, method=method, **more)
    made.set_max_iterations(iterations)
    made.set_log_to_screen(False)
    plugin.set_warmup(made, warmup)
    return made


BOTH = pytest.mark.parametrize("method", [plugin.Kameleon, plugin.KameleonChain])


@BOTH
def test_the_distribution_is_that_of_the_target(method):
    target = pints.toy.GaussianLogPDF([1.0, -2.0], [2.0, 0.5])
    draws = controller(target, iterations=6000, method=method).run()[:, 1501:]
    assert np.abs(draws.mean((0, 1)) - [1.0, -2.0]).max() < 0.15
    assert np.allclose(draws.var((0, 1)), [2.0, 0.5], rtol=0.12)
    assert max(pints.rhat(draws)) < 1.02


@pytest.mark.parametrize("chains", [1, 3, 10])
def test_the_draws_are_those_of_chains_that_learn_together(chains):
    target = pints.toy.TwistedGaussianLogPDF(dimension=2, b=0.03)
    draws = controller(target, chains=chains).run()
    np.random.seed(1)
    starts = [[0.1, -3.0 + k] for k in range(chains)]
    more = {"warmup": 1500, "seed": int(np.random.randint(2**31)), "keep_warmup": True, "check": "off"}
    whole = km.sample(lambda x: target(x), starts, chains=chains, draws=1499, **more)
    assert np.array_equal(draws[:, 0], starts)
    assert np.array_equal(draws[:, 1:1501], whole.warmup_draws)
    assert np.array_equal(draws[:, 1501:], whole.draws)
    # What chains learn from others is not what they learn alone.
    alone = km.sample(lambda x: target(x), starts, chains=chains, draws=1499, pool=False, **more)
    assert chains == 1 or not np.array_equal(alone.draws, whole.draws)


def test_the_draws_are_those_of_a_chain_with_the_same_seed():
    target = pints.toy.TwistedGaussianLogPDF(dimension=2, b=0.03)
    draws = controller(target, chains=1, method=plugin.KameleonChain).run()[0]
    np.random.seed(1)
    chain = km.Chain([0.1, -3.0], warmup=1500, seed=int(np.random.randint(2**31)))
    for point in draws:
        chain.tell(target(chain.ask()))
        assert np.array_equal(chain.position, point)


def test_each_chain_may_have_a_log_density_of_its_own():
    targets = [pints.toy.GaussianLogPDF([mean], [1.0]) for mean in (-20.0, 20.0)]
    made = controller(targets, chains=2, x0=[[-20.0], [20.0]], iterations=4000, method=plugin.KameleonChain)
    draws = made.run()[:, 1501:, 0]
    assert np.allclose(draws.mean(1), [-20.0, 20.0], atol=0.2) and np.allclose(draws.std(1), 1.0, rtol=0.15)


def test_points_that_overflow_are_passed_over_and_no_draw_is_lost():
    np.random.seed(1)
    method = plugin.Kameleon(2, [[1e308], [-1e308]])
    method.set_sampler(km.SM(nu=1e308))
    method.set_warmup(0)
    shown = 0
    for _ in range(300):
        points = method.ask()
        assert np.isfinite(points).all()
        reply = method.tell([0.0] * len(points))
        shown += reply is not None
        assert reply is None or (reply[0].shape == (2, 1) and np.isfinite(reply[0]).all())
    # Steps to points that are no numbers are draws too, where the chain stays.
    assert max(method._counts) > 310 and shown >= 290
    assert [len(draws) + shown for draws in method._draws] == [count + 1 for count in method._counts]


@BOTH
def test_log_densities_are_those_at_the_draws(method):
    target = pints.toy.TwistedGaussianLogPDF(dimension=2, b=0.03)
    made = controller(target, chains=2, method=method)
    made.set_log_pdf_storage(True)
    draws, values = made.run(), made.log_pdfs()
    again = [[target(point) for point in chain] for chain in draws]
    assert np.allclose(values, again)
    assert made.n_evaluations() == 2 * 3000
    if method is plugin.Kameleon:
        assert np.array_equal(made.samplers()[0].current_log_pdfs(), values[:, -1])


@BOTH
def test_the_warm_up_is_the_initial_phase(method, recwarn):
    made = controller(chains=1, iterations=1000, warmup=600, method=method)
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


@BOTH
def test_wrong_settings_are_named(method):
    made = controller(chains=1, method=method)
    sampler = made.samplers()[0]
    with pytest.raises(km.SettingsError, match="warmup"):
        sampler.set_warmup(-1)
    with pytest.raises(km.SettingsError, match="sampler"):
        sampler.set_sampler("KAMH")
    with pytest.raises(RuntimeError, match="before proposal"):
        sampler.tell([0.0])
    assert sampler.n_hyper_parameters() == 1
    sampler.set_hyper_parameters([700])
    made.run()
    assert sampler.warmup() == 700
    with pytest.raises(km.SettingsError, match="before the chain starts"):
        sampler.set_warmup(3)


def test_a_sampler_can_be_pickled_in_the_middle_of_a_run():
    target = pints.toy.TwistedGaussianLogPDF(dimension=2, b=0.03)
    np.random.seed(1)
    alone, together = plugin.KameleonChain([0.1, -3.0]), plugin.Kameleon(3, [[0.1, -3.0 + k] for k in range(3)])
    for sampler, value in ((alone, target), (together, lambda rows: [target(row) for row in rows])):
        for _ in range(500):
            sampler.tell(value(sampler.ask()))
        again = pickle.loads(pickle.dumps(sampler))
        for _ in range(500):
            (x, fx, _), (y, fy, _) = sampler.tell(value(sampler.ask())), again.tell(value(again.ask()))
            assert np.array_equal(x, y) and np.array_equal(fx, fy)
