"""Writes posterior_means.csv: means and standard deviations of the exact posteriors, with the error of each mean.

python posterior_means.py PROGRAM > posterior_means.csv

Two are computed by quadrature, the others by two long runs of the default sampler, whose smallest bulk
ESS is 49,000 together (thurber).
"""

import json
import subprocess
import sys

import numpy as np
from posterior_values import POINTS, numbers, table
from scipy import special, stats

SEEDS = (1, 2)
DRAWS = 100_000


def coal():
    """Given the change, the rates are mixtures of gammas; the change is integrated out by Gauss's rule in each year."""
    counts = numbers("coal")["disasters"]
    nodes, weights = np.polynomial.legendre.leggauss(20)
    rows = []
    for year, count in enumerate(counts):
        for share, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
            # Of the disasters in the year of the change, k came early.
            k = np.arange(count + 1)
            early, late = counts[:year].sum() + k + 1, counts[year + 1 :].sum() + count - k + 1
            # One more than the years, for the exponential priors.
            before, after = year + share + 1, len(counts) - year - share + 1
            log_weight = np.log(special.comb(count, k)) + k * np.log(share) + (count - k) * np.log1p(-share)
            log_weight += special.gammaln(early) - early * np.log(before)
            log_weight += special.gammaln(late) - late * np.log(after) + np.log(weight)
            change = np.full(len(k), 1851 + year + share)
            first = [early / before, late / after, change]
            second = [early * (early + 1) / before**2, late * (late + 1) / after**2, change**2]
            rows.append(np.column_stack([log_weight, *first, *second]))
    rows = np.concatenate(rows)
    return moments(rows[:, 0], rows[:, 1:4], rows[:, 4:])


def eight_schools():
    """Given τ, all is normal; ln τ is integrated out by the trapezoidal rule."""
    d = table("eight-schools")
    y, error = (np.array(d[key], dtype=float) for key in ("effect", "error"))
    log_weights, first, second = [], [], []
    for log_tau in np.linspace(-12, 8, 4001):
        tau = np.exp(log_tau)
        variance = error**2 + tau**2
        precision = (1 / variance).sum() + 1 / 25
        mu = (y / variance).sum() / precision
        log_weight = stats.norm.logpdf(y, 0, np.sqrt(variance)).sum() + mu**2 * precision / 2 - np.log(precision) / 2
        log_weights.append(log_weight + stats.halfcauchy.logpdf(tau, scale=5) + log_tau)
        z = tau * (y - mu) / variance
        z_variance = error**2 / variance + (tau / variance) ** 2 / precision
        first.append([mu, tau, *z])
        second.append([mu**2 + 1 / precision, tau**2, *(z**2 + z_variance)])
    return moments(np.array(log_weights), np.array(first), np.array(second))


def moments(log_weights, first, second):
    weights = special.softmax(log_weights)
    mean = weights @ first
    return mean, np.sqrt(weights @ second - mean**2), np.zeros(len(mean))


def long_runs(program, name):
    """Means over the seeds."""
    runs = []
    for seed in SEEDS:
        flags = ["--target", name, "--warmup", "chains", "--draws", str(DRAWS), "--seed", str(seed)]
        done = subprocess.run([program, "sample", "--json", "--quiet", *flags], capture_output=True, check=True)
        parameters = json.loads(done.stdout)["parameters"]
        assert min(parameter["ess_bulk"] for parameter in parameters) > 5_000, name
        runs.append([[parameter[key] for parameter in parameters] for key in ("mean", "sd", "mcse_mean")])
    mean, sd, error = np.array(runs).swapaxes(0, 1)
    return mean.mean(axis=0), sd.mean(axis=0), np.sqrt((error**2).sum(axis=0)) / len(SEEDS)


if __name__ == "__main__":
    program = sys.argv[1]
    listed = json.loads(subprocess.run([program, "list", "--json"], capture_output=True, check=True).stdout)
    parameters = {entry["name"]: entry.get("parameters") for entry in listed["posteriors"]}
    exact = {"coal": coal, "eight-schools": eight_schools}
    print("posterior;parameter;mean;sd;error")
    for name in dict.fromkeys(model.__name__.replace("_", "-") for model, _ in POINTS):
        found = exact[name]() if name in exact else long_runs(program, name)
        for parameter, mean, sd, error in zip(parameters[name], *found, strict=True):
            print(name, parameter["name"], f"{mean:.8g}", f"{sd:.5g}", f"{error:.2g}", sep=";", flush=True)
