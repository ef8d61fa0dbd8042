"""The population warm-up: modes, evidence, priors of all kinds, batches, executors, resumed runs."""

import math
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import kameleon as km

stats = pytest.importorskip("scipy.stats")

HALF_WIDTH = 10.0
BOX = f"uniform({-HALF_WIDTH}, {HALF_WIDTH})"
PLAN = {"warmup": "population", "draws": 500, "seed": 3}
CENTRES = np.array([[-4.0, 0.0], [4.0, 1.0]])
SHARES = np.array([0.3, 0.7])
EXACT = -2 * math.log(2 * HALF_WIDTH)
"""The log evidence of the two modes in the box; what is beyond its walls does not matter."""


def rows(x):
    """Two modes of standard deviation 1/2, whose densities sum to one."""
    squares = ((x[:, None, :] - CENTRES) ** 2).sum(axis=2)
    return np.log(np.exp(-2 * squares) @ SHARES) - math.log(math.pi / 2)


def two_modes(x):
    return float(rows(x[None])[0])


def in_box(x):
    """The log density of the box."""
    return EXACT if np.abs(x).max() < HALF_WIDTH else -math.inf


def draw_in_box(rng, count):
    return rng.uniform(-HALF_WIDTH, HALF_WIDTH, (count, 2))


@pytest.fixture(scope="module")
def here():
    return km.sample(two_modes, priors=[BOX, BOX], **PLAN)


def has_both_modes(result):
    """Whether both modes are there with their weights, within 5 standard errors (a false alarm in a million seeds)."""
    heavy, light = result.modes
    for mode, centre, share in [(heavy, CENTRES[1], 0.7), (light, CENTRES[0], 0.3)]:
        np.testing.assert_allclose([*mode.where.values()], centre, atol=0.2)
        assert abs(mode.weight - share) < 5 * mode.error + 0.01 and mode.error < 0.05
        assert abs(mode.log_evidence - EXACT - math.log(share)) < 0.2 and mode.chains
    assert abs(result.log_evidence - EXACT) < 5 * result.log_evidence_error < 0.25
    return result.evidence.name == "log evidence" and result.population.doubts == []


def test_two_modes_are_found_with_their_weights(here):
    assert has_both_modes(here)
    assert here.draws.shape == (4, 500, 2) and here.summary().converged
    assert repr(here.summary()).splitlines()[-3] == "modes by weight:" and str(here.modes[1]) in repr(here.summary())
    assert "Modes by weight" in here._repr_html_()
    population = here.population
    assert population.frozen and population.progress is None and 10 < population.batches < 200
    assert abs(population.ladder_log_z - EXACT) < 0.5 and abs(population.log_z - EXACT) < 0.1
    chains = sum(chain["evaluations"] for chain in here.stats["chains"])
    assert here.check is not None
    assert here.stats["evaluations"] == population.evaluations + chains + here.check["evaluations"]


def test_draws_carry_the_label_of_their_mode_on_request(here):
    labels = here.mode_labels()
    assert labels.shape == (4, 500) and set(labels.flat) == {0, 1}
    assert np.array_equal(labels == 0, here["x1"] > 0)
    pytest.importorskip("arviz")
    assert np.array_equal(here.to_arviz(modes=True).sample_stats["mode"].values, labels + 1)
    assert "mode" not in here.to_arviz().sample_stats
    chains = km.sample(two_modes, priors=[BOX, BOX], **{**PLAN, "warmup": 1000})
    assert chains.population is None and chains.modes == []
    with pytest.raises(km.KameleonError, match="there are no modes"):
        chains.mode_labels()


def test_auto_is_a_population_where_it_can_be(here):
    auto = km.sample(two_modes, priors=[BOX, BOX], **{**PLAN, "warmup": "auto"})
    assert np.array_equal(auto.draws, here.draws)
    for other in ({"start": [4.0, 1.0]}, {"max_evaluations": 15_000}, {"warmup": "chains"}):
        plan = {"draws": 100, "seed": 1, "max_warmup": 1000, **other}
        with np.testing.suppress_warnings() as quiet:
            quiet.filter(km.KameleonWarning)
            assert km.sample(two_modes, priors=[BOX, BOX], **plan).population is None


def test_a_run_in_a_folder_has_the_same_modes(here, tmp_path):
    stored = km.sample(two_modes, priors=[BOX, BOX], checkpoint=tmp_path / "run", **PLAN)
    read = km.load(tmp_path / "run")
    for other in (stored, read):
        assert np.array_equal(other.draws, here.draws) and np.array_equal(other.mode_labels(), here.mode_labels())
        assert other.modes == here.modes and other.population == here.population
    stored.report(tmp_path / "page.html")
    assert km.resume(tmp_path / "run", two_modes, draws=600).draws.shape == (4, 600, 2)


@pytest.mark.parametrize(
    "arguments",
    [
        {"priors": [stats.uniform(-10, 20)] * 2},
        {"priors": [stats.uniform(-10, 20), stats.beta(1, 1, loc=-10, scale=20)]},
        {"priors": in_box, "prior_draws": draw_in_box},
        {"priors": in_box, "prior_draws": draw_in_box(np.random.default_rng(1), 30_000)},
        {"priors": in_box, "prior_draws": draw_in_box, "bounds": [(-HALF_WIDTH, HALF_WIDTH)] * 2},
    ],
    ids=["built-in", "scipy", "function", "array", "bounded"],
)
def test_every_kind_of_prior_can_be_drawn_from(arguments):
    assert has_both_modes(km.sample(two_modes, **arguments, **PLAN))


def test_a_distribution_of_several_variables_is_a_prior():
    # The product of two Gaussians is known: N(0, 4) and a likelihood N(x; 1, 1) in each of two dimensions.
    prior = stats.multivariate_normal([0.0, 0.0], 4 * np.eye(2))
    exact = 2 * stats.norm.logpdf(1, 0, math.sqrt(5))
    result = km.sample(lambda x: float(stats.norm.logpdf(x - 1).sum()), priors=prior, **PLAN)
    assert abs(result.log_evidence - exact) < 5 * result.log_evidence_error < 0.25
    assert len(result.modes) == 1 and "multivariate_normal" in result.settings
    assert result.population.only_looks and not result.population.unfinished
    for shown in (repr(result.summary()), result._repr_html_()):
        assert "one mode, by short looks" in shown and "km.Population(looks=0) searches harder" in shown


def test_a_vectorised_function_gets_whole_batches(here):
    counts = []

    def recorded(x):
        counts.append(len(x))
        return rows(x)

    result = km.sample(recorded, priors=[BOX, BOX], vectorized=True, check="free", **PLAN)
    assert np.array_equal(result.draws, here.draws)
    batches = counts[: here.population.batches]
    assert sum(batches) == here.population.evaluations and max(batches) >= 1000
    # After that come chains, a row for each.
    assert max(counts[here.population.batches :]) <= 4


def noisy(x, rng):
    return two_modes(x) + 0.3 * rng.standard_normal() - 0.045


def test_executors_give_the_same_result(here):
    general = {"priors": [BOX, stats.beta(1, 1, loc=-10, scale=20)]}
    with ProcessPoolExecutor(2) as processes, ThreadPoolExecutor(3) as threads:
        for function, more in [
            (two_modes, {"priors": [BOX, BOX]}),
            (rows, {"priors": [BOX, BOX], "vectorized": True}),
            (noisy, {"priors": [BOX, BOX]}),
            (two_modes, general),
        ]:
            alone = km.sample(function, **more, **PLAN)
            for pool in (processes, threads):
                there = km.sample(function, executor=pool, **more, **PLAN)
                assert np.array_equal(there.draws, alone.draws), (function, pool)
                assert there.population == alone.population and there.modes == alone.modes
    assert np.array_equal(km.sample(rows, priors=[BOX, BOX], vectorized=True, **PLAN).draws, here.draws)


class Interrupted:
    """A function that gets Ctrl-C once, in the middle of an evaluation."""

    def __init__(self, after):
        self.left = after

    def __call__(self, x):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return two_modes(x)


@pytest.mark.parametrize("after", [150, 3000, 9000])
def test_a_population_that_was_interrupted_goes_on_exactly(here, tmp_path, after):
    with pytest.warns(km.KameleonWarning, match="stopped before its end, in the population warm-up"):
        stopped = km.sample(Interrupted(after), priors=[BOX, BOX], checkpoint=tmp_path / "run", **PLAN)
    assert not stopped.complete and stopped.draws.shape == (0, 0, 2) and stopped.modes == []
    assert 0 <= stopped.population.evaluations < after and stopped.population.progress
    for shown in (repr(stopped), stopped._repr_html_(), repr(stopped.summary())):
        assert shown and "nan" not in shown
    assert "in the population" in repr(stopped)
    assert km.load(tmp_path / "run").population == stopped.population
    resumed = km.resume(tmp_path / "run", two_modes)
    assert np.array_equal(resumed.draws, here.draws) and resumed.modes == here.modes


def test_another_function_is_refused_in_the_population(here, tmp_path):
    with pytest.warns(km.KameleonWarning, match="in the population warm-up"):
        km.sample(Interrupted(3000), priors=[BOX, BOX], checkpoint=tmp_path / "run", **PLAN)
    with pytest.raises(
        km.StoreError, match=r"the best point of the population, its log density was .* and is .* trust=True"
    ):
        km.resume(tmp_path / "run", lambda x: two_modes(x) - 2)
    with ThreadPoolExecutor(2) as pool, pytest.raises(km.StoreError, match="the best point of the population"):
        km.resume(tmp_path / "run", lambda x: two_modes(x) - 2, executor=pool)
    assert np.array_equal(km.resume(tmp_path / "run", two_modes).draws, here.draws)


def test_a_run_under_a_function_is_resumed_with_it(tmp_path):
    arguments = {"priors": in_box, "prior_draws": draw_in_box}
    whole = km.sample(two_modes, **arguments, **PLAN)
    with pytest.warns(km.KameleonWarning, match="in the population warm-up"):
        km.sample(Interrupted(5000), **arguments, checkpoint=tmp_path / "run", **PLAN)
    with pytest.raises(km.SettingsError, match="must be given again: the run has the prior the Python function in_box"):
        km.resume(tmp_path / "run", two_modes)
    with pytest.raises(km.SettingsError, match="prior_draws: must be given again"):
        km.resume(tmp_path / "run", two_modes, priors=in_box)
    assert np.array_equal(km.resume(tmp_path / "run", two_modes, **arguments).draws, whole.draws)


def test_progress_shows_the_stage():
    seen = []
    km.sample(rows, priors=[BOX, BOX], vectorized=True, progress=seen.append, **PLAN)
    lines = [states.population for states in seen]
    assert any(line and "evaluations" in line for line in lines) and lines[-1] is None
    assert all((states.phase == "population") == (states.population is not None) for states in seen)


@pytest.mark.parametrize("vectorized", [False, True])
def test_an_exception_in_a_population_keeps_its_cause(vectorized):
    calls = []

    def fragile(x):
        calls.append(1)
        if len(calls) > (3 if vectorized else 2000):
            raise ZeroDivisionError("boom")
        return rows(x) if vectorized else two_modes(x)

    with pytest.raises(km.TargetError, match="boom") as caught:
        km.sample(fragile, priors=[BOX, BOX], vectorized=vectorized, **PLAN)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert caught.value.result.draws.shape[1] == 0 and caught.value.result.stats["evaluations"] > 0


class Breaks:
    """The prior of the box, until it breaks."""

    about = "the box"

    def __init__(self, after):
        self.left = after

    def __call__(self, x):
        self.left -= 1
        if self.left < 0:
            raise ZeroDivisionError("no prior")
        return in_box(x)


def no_draws(rng, count):
    raise ZeroDivisionError("no draws")


def test_nothing_is_learned_from_a_prior_that_breaks(tmp_path):
    arguments = {"parameters": ["a", "b"], "prior_draws": draw_in_box, **PLAN}
    whole = km.sample(two_modes, priors=Breaks(10**9), **arguments)
    # In the population, and in the chains after it.
    for after in (2000, whole.stats["evaluations"] + 500):
        folder = tmp_path / str(after)
        with pytest.raises(km.TargetError, match="no prior") as caught:
            km.sample(two_modes, priors=Breaks(after), checkpoint=folder, **arguments)
        assert isinstance(caught.value.__cause__, ZeroDivisionError)
        # A population that was not yet stored leaves no run behind.
        if (folder / "settings.toml").exists():
            resumed = km.resume(folder, two_modes, priors=Breaks(10**9), prior_draws=draw_in_box)
            assert np.array_equal(resumed.draws, whole.draws)
    assert (folder / "settings.toml").exists()
    with pytest.raises(km.TargetError, match="no draws"):
        km.sample(two_modes, parameters=["a", "b"], priors=in_box, prior_draws=no_draws, **PLAN)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"priors": in_box, "parameters": ["a", "b"]}, 'prior_draws: is needed for warmup="population"'),
        ({"priors": {"a": BOX}, "parameters": ["a", "b"]}, "needs one of every parameter: b has none"),
        ({"priors": {"a": stats.logistic()}, "parameters": ["a", "b"]}, "needs a prior of every parameter: b has none"),
        ({"priors": [BOX, BOX], "start": [0.0, 0.0]}, "a population needs no start"),
        ({"priors": [BOX, BOX], "sampler": km.SM()}, "SM cannot"),
        ({"priors": [BOX, BOX], "population": {"particles": 9}}, r"population: must be a km.Population\(...\)"),
        ({"priors": [BOX, BOX], "population": km.Population(particles=9)}, "population: particles: must be from 50"),
        ({"priors": [BOX, BOX], "population": km.Population(looks=0.5)}, "population: looks: .*whole number"),
    ],
)
def test_what_a_population_lacks_is_said_in_words(arguments, words):
    with pytest.raises(km.SettingsError, match=words):
        km.sample(two_modes, **arguments, **PLAN)


def test_a_search_that_was_not_finished_gives_neither_a_verdict_nor_an_evidence():
    plan = {**PLAN, "draws": 4000}
    with pytest.warns(km.KameleonWarning, match="the budget is too small"):
        poor = km.sample(two_modes, priors=[BOX, BOX], population=km.Population(max_evaluations=6000), **plan)
    assert poor.population.unfinished and len(poor.modes) == 2
    assert not poor.summary().converged and "search for them was not finished" in repr(poor.summary())
    assert math.isnan(poor.log_evidence) and "the search for modes was not finished" in poor.evidence.why


def test_the_size_of_a_population_can_be_chosen():
    arguments = {"priors": [BOX, BOX], "vectorized": True, **PLAN}
    small = km.sample(rows, population=km.Population(particles=200, looks=0, ladders=1), **arguments)
    assert small.population.particles == 200 and "looks = 0" in small.settings
    poor = km.sample(rows, population=km.Population(looks=0, max_evaluations=25_000), **arguments)
    assert poor.population.evaluations <= 25_000 and poor.population.particles < 1000
