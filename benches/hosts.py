"""An example problem of each host with its default sampler and with Kameleon, and what a plugin costs per evaluation.

    python benches/hosts.py [--only bilby cobaya pints pypesto cost] [--samplers kameleon] [--first-seed 1] [--seeds 3]

prints the tables of docs/hosts.md. Times are processor seconds of the whole call, with start and results. The distance
from the truth is in standard errors; of ten seeds and more their root mean square follows.
"""

import argparse
import contextlib
import io
import logging
import math
import os
import shutil
import tempfile
import time
import warnings

import hosts_truth as truth
import numpy as np
from hosts_cost import cost

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
    """A hundred measurements on a line, each with its own error."""
    rng = np.random.default_rng(seed)
    x, sigma = np.arange(0, 10, 0.1), rng.normal(1, 0.01, 100)
    return x, line(x, 0.5, 0.2) + rng.normal(0, sigma), sigma


def bilby(sampler, seed):
    """A line through measurements with known noise, bilby's example of linear regression."""
    import bilby

    bilby.core.utils.logger.setLevel(logging.ERROR)
    model = Counted(line)
    x, y, sigma = data()
    likelihood = bilby.likelihood.GaussianLikelihood(x, y, lambda x, slope, offset: model(x, slope, offset), sigma)
    priors = {"slope": bilby.prior.Uniform(0, 5), "offset": bilby.prior.Uniform(-2, 2)}
    kind = {"seed": seed} if sampler else {"nlive": 250, "seed": seed}
    result = bilby.run_sampler(likelihood, priors, sampler=sampler or "dynesty", save=False, clean=True, **kind)
    draws = {name: result.posterior[name].to_numpy() for name in priors}
    # Those of a nested sampler are independent.
    independent = None if sampler else len(result.posterior)
    return draws, model.calls, (result.log_evidence, result.log_evidence_err), independent


def cobaya(sampler, seed):
    """A quarter of a thin ring and a band across it as a further prior: the advanced example of Cobaya's pages."""
    from cobaya.run import run
    from scipy import stats

    ring = Counted(lambda x, y: stats.norm.logpdf(np.sqrt(x**2 + y**2), loc=1, scale=0.02))
    box = {"prior": {"min": 0, "max": 2}, "ref": 0.5, "proposal": 0.01}
    ours = sampler == "kameleon"
    # The documentation asks for ten times less than the default of R − 1.
    settings = {"Rminus1_stop": 0.001, "max_tries": 1000} if sampler == "documented" else {}
    info = {
        "likelihood": {"ring": {"external": lambda x, y: ring(x, y)}},
        "params": {
            "x": dict(box),
            "y": dict(box),
            "r": {"derived": "lambda x, y: np.sqrt(x**2 + y**2)"},
            "theta": {"derived": "lambda x, y: np.arctan(y / x)", "min": 0, "max": np.pi / 2},
        },
        "prior": {"x_eq_y_band": lambda x, y: stats.norm.logpdf(x - y, loc=0, scale=0.3)},
        "sampler": {sampler if ours else "mcmc": {"seed": seed, **settings}},
        "debug": logging.ERROR,
    }
    products = run(info)[1].products(skip_samples=0 if ours else 0.3)
    sample = products["sample"].data
    rows = np.repeat(np.arange(len(sample)), sample["weight"].astype(int))
    draws = {name: sample[name].to_numpy()[rows] for name in ("r", "theta")}
    draws["spread"] = (draws["theta"] - np.pi / 4) ** 2
    found = (products["logZ"], products["logZstd"]) if ours else None
    return draws, ring.calls, found, None


def grown():
    """Logistic growth with noise: the model, times and values."""
    import pints.toy

    np.random.seed(100)
    model, times = pints.toy.LogisticModel(), np.linspace(0, 1000, 200)
    return model, times, model.simulate([0.015, 500], times) + np.random.normal(0, 10, 200)


def pints(sampler, seed):
    """Logistic growth with unknown noise, the first example of PINTS."""
    import pints

    import kameleon.pints as plugin

    problem = pints.SingleOutputProblem(*grown())
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
    """Two modes on a line, pyPESTO's example of samplers, from the better of them."""
    import pypesto
    import pypesto.sample

    from kameleon.pypesto import Kameleon

    logging.getLogger("pypesto").setLevel(logging.ERROR)

    def negative(x):
        modes = ((0.3, -1.5, 0.1), (0.7, 2.5, 0.2))
        logs = [np.log(w) - 0.5 * (x[0] - m) ** 2 / v - 0.5 * np.log(2 * np.pi * v) for w, m, v in modes]
        return -np.logaddexp(*logs)

    model = Counted(negative)
    problem = pypesto.Problem(objective=pypesto.Objective(fun=model), lb=[-10], ub=[10])
    np.random.seed(seed)
    usual, start = pypesto.sample.AdaptiveMetropolisSampler({"show_progress": False}), np.array([2.5])
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


def truth_of_growth():
    model, times, values = grown()
    return truth.growth(model.simulate, times, values)


PROBLEMS = {
    "bilby": (bilby, {None: "dynesty"}, lambda: truth.line(*data())),
    "cobaya": (cobaya, {None: "mcmc", "documented": "mcmc, Rminus1_stop: 0.001"}, truth.ring),
    "pints": (pints, {None: "HaarioBardenetACMC"}, truth_of_growth),
    "pypesto": (pypesto, {None: "AdaptiveMetropolis", "tempered": "AdaptiveParallelTempering, 5 chains"}, truth.modes),
}


def chains_of(draws: np.ndarray) -> np.ndarray:
    """Draws as four chains, or as they are."""
    return draws if draws.ndim == 2 else draws[: len(draws) // 4 * 4].reshape(4, -1)


def shown(name: str, mean: float, error: float) -> str:
    """Mean and standard error, with two digits of the error."""
    digits = max(0, 1 - math.floor(math.log10(error))) if error > 0 else 3
    return f"{name} {mean:.{digits}f} ± {error:.{digits}f}"


def row(host: str, who: str, sampler: str | None, seed: int, true: dict[str, float]) -> tuple[str, dict[str, float]]:
    """A problem by one sampler, as a row of the table, and how far from the truth it is, in standard errors."""
    before = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        draws, calls, evidence, independent = PROBLEMS[host][0](sampler, seed)
    seconds = time.process_time() - before
    chains = {name: chains_of(each.astype(float)) for name, each in draws.items()}
    least = independent or min(km.diagnose.ess_bulk(each) for each in chains.values())
    found = {
        name: (each.mean(), each.std() / np.sqrt(independent) if independent else km.diagnose.mcse_mean(each))
        for name, each in chains.items()
    }
    means = ", ".join(shown(name, *each) for name, each in found.items())
    log_z = f"{evidence[0]:.4f} ± {evidence[1]:.4f}" if evidence else "–"
    found |= {"log Z": evidence} if evidence else {}
    off = {name: (value - true[name]) / error for name, (value, error) in found.items()}
    errors = ", ".join(f"{name} {each:+.1f}" for name, each in off.items())
    return f"| {host} | {who} | {seed} | {calls:,} | {seconds:.1f} | {least:.0f} | {means} | {log_z} | {errors} |", off


def compare(only: list[str], samplers: list[str] | None, seeds: range) -> None:
    """Each problem by all samplers."""
    if not set(only) & set(PROBLEMS):
        return
    print("| host | sampler | seed | evaluations | processor s | least ESS | mean ± MCSE | log Z | off, in errors |")
    print("|---|---|--:|--:|--:|--:|---|---|---|")
    spread = []
    for host, (_, usual, of_truth) in PROBLEMS.items():
        if host not in only:
            continue
        true = of_truth()
        for sampler, who in {**usual, "kameleon": "kameleon"}.items():
            if samplers and who not in samplers:
                continue
            rows = [row(host, who, sampler, seed, true) for seed in seeds]
            print("\n".join(text for text, _ in rows), flush=True)
            if len(rows) >= 10:
                all_off = {name: np.array([off.get(name, np.nan) for _, off in rows]) for name in rows[0][1]}
                each = (
                    f"{name} {np.sqrt(np.nanmean(off**2)):.2f} of {np.isfinite(off).sum()}"
                    for name, off in all_off.items()
                )
                spread.append(f"{host}, {who}: {', '.join(each)}")
    print("\n".join(spread))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=[*PROBLEMS, "cost"], choices=[*PROBLEMS, "cost"])
    parser.add_argument("--samplers", nargs="+", help="by their names in the table")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    try:
        compare(given.only, given.samplers, range(given.first_seed, given.first_seed + given.seeds))
        if "cost" in given.only:
            cost()
    finally:
        os.chdir("/")
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
