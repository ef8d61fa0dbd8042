"""An example problem of each host with its default sampler and with Kameleon, and what a plugin costs per evaluation.

    python benches/hosts.py [--only bilby cobaya pints pypesto cost] [--seeds 3]

prints the tables of docs/hosts.md. Times are processor seconds of the whole call, with start and results.
"""

import argparse
import contextlib
import io
import logging
import os
import shutil
import tempfile
import time
import warnings

import numpy as np

import kameleon as km

warnings.simplefilter("ignore")
os.environ.setdefault("TQDM_DISABLE", "1")


class Counted:
    """A function with the number of its calls."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.function(*args, **kwargs)

    def __deepcopy__(self, memo):
        return self


def line(x, slope, offset):
    return slope * x + offset


def data(seed=3):
    """Fifty measurements on a line."""
    x = np.linspace(0, 5, 50)
    return x, line(x, 0.5, 1.2) + np.random.default_rng(seed).normal(0, 1, 50)


def bilby(sampler, seed):
    """A line through measurements with known noise: mean, sd, evidence."""
    import bilby

    bilby.core.utils.logger.setLevel(logging.ERROR)
    model = Counted(line)
    likelihood = bilby.likelihood.GaussianLikelihood(*data(), lambda x, slope, offset: model(x, slope, offset), 1.0)
    priors = {"slope": bilby.prior.Uniform(0, 5), "offset": bilby.prior.Uniform(-2, 2)}
    kind = {"seed": seed} if sampler else {"nlive": 1000, "seed": seed}
    result = bilby.run_sampler(likelihood, priors, sampler=sampler or "dynesty", save=False, clean=True, **kind)
    draws = {name: result.posterior[name].to_numpy() for name in priors}
    # Those of a nested sampler are independent.
    independent = None if sampler else len(result.posterior)
    return draws, model.calls, (result.log_evidence, result.log_evidence_err), independent


def cobaya(sampler, seed):
    """A ring of radius 1 in a box, as in the documentation's examples of a likelihood that is a function."""
    from cobaya.run import run

    def ring(x, y):
        return -0.5 * ((np.sqrt(x**2 + y**2) - 1) / 0.1) ** 2 - 0.5 * (x - y) ** 2 / 0.5**2

    model = Counted(ring)
    box = {"prior": {"min": -2, "max": 2}, "ref": {"dist": "norm", "loc": 0.7, "scale": 0.05}, "proposal": 0.2}
    settings = {"seed": seed} if sampler else {"Rminus1_stop": 0.005, "Rminus1_cl_stop": 0.05, "seed": seed}
    info = {
        "likelihood": {"ring": {"external": lambda x, y: model(x, y)}},
        "params": {"x": dict(box), "y": dict(box), "radius": {"derived": "lambda x, y: np.sqrt(x**2 + y**2)"}},
        "sampler": {sampler or "mcmc": settings},
        "debug": logging.ERROR,
    }
    products = run(info)[1].products(skip_samples=0 if sampler else 0.3)
    sample = products["sample"].data
    rows = np.repeat(np.arange(len(sample)), sample["weight"].astype(int))
    draws = {name: sample[name].to_numpy()[rows] for name in ("x", "radius")}
    draws["side"] = np.sign(draws.pop("x"))
    found = (products["logZ"], products["logZstd"]) if sampler else None
    return draws, model.calls, found, None


def pints(sampler, seed):
    """Logistic growth with unknown noise, the first example of PINTS."""
    import pints
    import pints.toy

    import kameleon.pints as plugin

    np.random.seed(100)
    model, times = pints.toy.LogisticModel(), np.linspace(0, 1000, 200)
    problem = pints.SingleOutputProblem(
        model, times, model.simulate([0.015, 500], times) + np.random.normal(0, 10, 200)
    )
    prior = pints.UniformLogPrior([0.01, 400, 1], [0.02, 600, 100])
    posterior = pints.LogPosterior(pints.GaussianLogLikelihood(problem), prior)
    np.random.seed(seed)
    starts = [[0.0148, 490, 9], [0.0152, 510, 11], [0.015, 500, 10]]
    made = pints.MCMCController(posterior, 3, starts, method=plugin.Kameleon if sampler else None)
    made.set_max_iterations(10_000)
    made.set_log_to_screen(False)
    if sampler:
        plugin.set_warmup(made, 4000)
    chains = made.run()[:, 5000:]
    draws = {name: chains[:, :, k] for k, name in enumerate(("growth", "capacity", "noise"))}
    return draws, made.n_evaluations(), None, None


def pypesto(sampler, seed):
    """Two modes, as in pyPESTO's example of samplers, from the better of them."""
    import pypesto
    import pypesto.sample

    from kameleon.pypesto import Kameleon

    logging.getLogger("pypesto").setLevel(logging.ERROR)

    def negative(x):
        one = -0.5 * np.sum((x - [-1.5, -1.5]) ** 2) / 0.1 - np.log(2 * np.pi * 0.1)
        other = -0.5 * np.sum((x - [1.5, 2.0]) ** 2) / 0.1 - np.log(2 * np.pi * 0.1)
        return -np.logaddexp(np.log(0.3) + one, np.log(0.7) + other)

    model = Counted(negative)
    problem = pypesto.Problem(objective=pypesto.Objective(fun=model), lb=[-5, -5], ub=[5, 5])
    np.random.seed(seed)
    usual, start = pypesto.sample.AdaptiveMetropolisSampler({"show_progress": False}), np.array([1.5, 2.0])
    if sampler == "tempered":  # the usual choice where there are several modes
        quiet = {"show_progress": False}
        usual = pypesto.sample.AdaptiveParallelTemperingSampler(internal_sampler=usual, n_chains=5, options=quiet)
        start = [start] * 5
    ours = sampler == "kameleon"
    made, start = (Kameleon({"seed": seed}), None) if ours else (usual, start)
    result = pypesto.sample.sample(problem, 10_000, made, x0=start)
    trace = result.sample_result.trace_x[0][0 if ours else 2000 :]
    draws = {"right": (trace[:, 0] > 0).astype(float), "x": trace[:, 0]}
    found = (made.result.log_evidence, made.result.log_evidence_error) if ours else None
    return draws, model.calls, found, None


PROBLEMS = {
    "bilby": (bilby, {None: "dynesty"}),
    "cobaya": (cobaya, {None: "mcmc"}),
    "pints": (pints, {None: "HaarioBardenetACMC"}),
    "pypesto": (pypesto, {None: "AdaptiveMetropolis", "tempered": "AdaptiveParallelTempering, 5 chains"}),
}


def chains_of(draws: np.ndarray) -> np.ndarray:
    """Draws as four chains, or as they are."""
    return draws if draws.ndim == 2 else draws[: len(draws) // 4 * 4].reshape(4, -1)


def shown(name: str, draws: np.ndarray, independent: int | None) -> str:
    """Mean and standard error."""
    chains = chains_of(draws.astype(float))
    error = draws.std() / np.sqrt(independent) if independent else km.diagnose.mcse_mean(chains)
    return f"{name} {draws.mean():.4g} ± {error:.1g}"


def compare(only: list[str], seeds: int) -> None:
    """Each problem by both samplers."""
    if not set(only) & set(PROBLEMS):
        return
    print("| host | sampler | seed | evaluations | processor s | least ESS | mean ± MCSE | log Z |")
    print("|---|---|--:|--:|--:|--:|---|---|")
    for host, (problem, usual) in PROBLEMS.items():
        for sampler, who in {**usual, "kameleon": "kameleon"}.items() if host in only else ():
            for seed in range(1, seeds + 1):
                before = time.process_time()
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    draws, calls, found, independent = problem(sampler, seed)
                seconds = time.process_time() - before
                least = independent or min(km.diagnose.ess_bulk(chains_of(each)) for each in draws.values())
                means = ", ".join(shown(name, each, independent) for name, each in draws.items())
                evidence = f"{found[0]:.3f} ± {found[1]:.3f}" if found else "–"
                print(
                    f"| {host} | {who} | {seed} | {calls} | {seconds:.1f} | {least:.0f} | {means} | {evidence} |",
                    flush=True,
                )


class Burning:
    """A log likelihood of six parameters that uses a millisecond of processor time, and counts what it used."""

    def __init__(self):
        self.calls, self.used = 0, 0.0

    def __call__(self, x):
        start = now = time.thread_time()
        while now - start < 0.001:
            now = time.thread_time()
        self.calls += 1
        self.used += now - start
        return -0.5 * float(np.dot(x, x))

    def __deepcopy__(self, memo):
        return self


NAMES = [f"x{k}" for k in range(6)]
SHORT = {"seed": 1, "check": "off"}
POINTS = np.random.default_rng(1).normal(size=(2000, 6))


def by_bilby(burn):
    """A run, and one evaluation as any sampler of bilby makes it."""
    import bilby

    import kameleon.bilby as plugin

    class Likelihood(bilby.Likelihood):
        def log_likelihood(self, parameters):
            return burn(np.array([parameters[name] for name in NAMES]))

    bilby.core.utils.logger.setLevel(logging.ERROR)
    likelihood, priors = Likelihood(), bilby.core.prior.PriorDict({name: bilby.prior.Uniform(-5, 5) for name in NAMES})
    sampler = plugin.Kameleon(likelihood, priors, soft_init=True, meta_data={"likelihood": {}}, draws=2000, **SHORT)
    return plugin, sampler.run_sampler, lambda: [(sampler.log_prior(x), sampler.log_likelihood(x)) for x in POINTS]


def by_cobaya(burn):
    """A run, and one evaluation as any sampler of Cobaya makes it."""
    from cobaya.model import get_model
    from cobaya.sampler import get_sampler

    import kameleon.cobaya as plugin

    function = eval(f"lambda {', '.join(NAMES)}: burn(np.array([{', '.join(NAMES)}]))", {"burn": burn, "np": np})
    box = {name: {"prior": {"min": -5, "max": 5}} for name in NAMES}
    model = get_model({"likelihood": {"b": {"external": function}}, "params": box, "debug": logging.ERROR})
    sampler = get_sampler({"kameleon": {"draws": 2000, **SHORT}}, model)
    return plugin, sampler.run, lambda: [model.logposterior(x) for x in POINTS]


def by_pints(burn):
    """A run, and one of a method that does nothing."""
    import pints

    import kameleon.pints as plugin

    class Density(pints.LogPDF):
        def n_parameters(self):
            return len(NAMES)

        def __call__(self, x):
            return burn(x)

    class Idle(pints.SingleChainMCMC):
        def ask(self):
            return self._x0

        def tell(self, fx):
            return self._x0, fx, True

    def controller(method, iterations):
        np.random.seed(1)
        made = pints.MCMCController(Density(), 4, np.random.normal(size=(4, 6)), method=method)
        made.set_max_iterations(iterations)
        made.set_log_to_screen(False)
        return made

    made = controller(plugin.Kameleon, 6000)
    plugin.set_warmup(made, 4000)
    return None, made.run, controller(Idle, 500).run


def by_pypesto(burn):
    """A run, and one evaluation of the objective."""
    import pypesto

    import kameleon.pypesto as plugin

    problem = pypesto.Problem(objective=pypesto.Objective(fun=lambda x: -burn(x)), lb=[-5] * 6, ub=[5] * 6)
    sampler = plugin.Kameleon(SHORT)
    sampler.initialize(problem, None)
    return plugin, lambda: sampler.sample(8000), lambda: [problem.objective(x) for x in POINTS]


def besides(burn, run):
    """The processor time that a call needs besides the likelihood, in microseconds per evaluation."""
    burn.calls, burn.used = 0, 0.0
    before = time.process_time()
    run()
    return (time.process_time() - before - burn.used) / burn.calls * 1e6


def cost() -> None:
    """Processor time while chains run, besides the likelihood's: all of it, and what any sampler would pay the host."""
    print("| host | evaluations | µs per evaluation besides the likelihood | the host's own | ours |")
    print("|---|--:|--:|--:|--:|")
    for call in (by_bilby, by_cobaya, by_pints, by_pypesto):
        burn, spent = Burning(), []
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            plugin, run, host_alone = call(burn)
            own = besides(burn, host_alone)
            if plugin is None:
                spent.append(besides(burn, run))
            else:
                inner = plugin.run

                def timed(*args, inner=inner, burn=burn, spent=spent, **kwargs):
                    found = []
                    spent.append(besides(burn, lambda: found.append(inner(*args, **kwargs))))
                    return found[0]

                plugin.run = timed
                run()
                plugin.run = inner
        host = call.__name__.removeprefix("by_")
        ours = spent[0] - own
        print(f"| {host} | {burn.calls} | {spent[0]:.0f} | {own:.0f} | {ours:.0f}, {ours / 1000:.1%} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=[*PROBLEMS, "cost"], choices=[*PROBLEMS, "cost"])
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    try:
        compare(given.only, given.seeds)
        if "cost" in given.only:
            cost()
    finally:
        os.chdir("/")
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
