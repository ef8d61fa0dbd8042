"""Writes posterior_values.csv: log likelihoods of the exact posteriors from numpy and scipy to compare with.

python posterior_values.py > posterior_values.csv (numpy 2.3, scipy 1.17)

Each model is written anew from its formula in docs/models.md, where possible by another method: a dense covariance
matrix for the Kalman filter, scipy's DOP853 for the differential equations.
"""

import csv
from pathlib import Path

import numpy as np
from scipy import integrate, stats

DATA = Path(__file__).parents[1] / "data"


def table(name):
    """The columns of a table by their names."""
    rows = list(csv.DictReader((DATA / f"{name}.csv").open()))
    return {key: [row[key] for row in rows] for key in rows[0]}


def numbers(name):
    """The columns of a table of numbers."""
    return {key: np.array(column, dtype=float) for key, column in table(name).items()}


def standardised(column):
    return (column - column.mean()) / column.std(ddof=1)


def birth_weight(x):
    d = numbers("birth-weight")
    flags = [d["race"] == 2, d["race"] == 3, d["smoke"], d["ptl"] > 0, d["ht"], d["ui"], d["ftv"] == 1, d["ftv"] > 1]
    columns = [np.ones(len(d["low"])), standardised(d["age"]), standardised(d["lwt"]), *flags]
    return stats.bernoulli.logpmf(d["low"], 1 / (1 + np.exp(-np.column_stack(columns).astype(float) @ x))).sum()


def coal(x):
    early, late, change = x
    d = numbers("coal")
    share = np.clip(change - d["year"], 0, 1)
    return stats.poisson.logpmf(d["disasters"], share * early + (1 - share) * late).sum()


def dugongs(x):
    alpha, beta, gamma, sigma = x
    d = numbers("dugongs")
    return stats.norm.logpdf(d["length"], alpha - beta * gamma ** d["age"], sigma).sum()


def eight_schools(x):
    d = table("eight-schools")
    effect, error = (np.array(d[key], dtype=float) for key in ("effect", "error"))
    return stats.norm.logpdf(effect, x[0] + x[1] * np.array(x[2:]), error).sum()


def garch(x):
    mean, sd, persistence, share = x
    rate = np.array(list(table("sterling").values())[1], dtype=float)
    variance, total = sd**2, 0.0
    for y in 100 * np.diff(np.log(rate)):
        total += stats.norm.logpdf(y, mean, np.sqrt(variance))
        learned = share * (y - mean) ** 2 + (1 - share) * variance
        variance = (1 - persistence) * sd**2 + persistence * learned
    return total


def lynx_hare(x):
    alpha, beta, gamma, delta, hare, lynx, sd_hare, sd_lynx = x
    d = numbers("lynx-hare")

    def slope(_, y):
        return [(alpha - beta * y[1]) * y[0], (delta * y[0] - gamma) * y[1]]

    years = d["year"] - d["year"][0]
    solved = integrate.solve_ivp(
        slope, (0, years[-1]), [hare, lynx], t_eval=years, method="DOP853", rtol=1e-12, atol=1e-12
    )
    hares = stats.lognorm.logpdf(d["hare"], sd_hare, scale=solved.y[0])
    return hares.sum() + stats.lognorm.logpdf(d["lynx"], sd_lynx, scale=solved.y[1]).sum()


def nile(x):
    level, sd_flow, sd_level = x
    flow = numbers("nile")["flow"]
    time = np.arange(len(flow))
    covariance = sd_level**2 * np.minimum.outer(time, time) + sd_flow**2 * np.eye(len(flow))
    return stats.multivariate_normal.logpdf(flow, np.full(len(flow), level), covariance)


def stack_loss(x):
    d = numbers("stack-loss")
    mean = x[0] + sum(slope * standardised(d[key]) for slope, key in zip(x[1:4], ("air", "water", "acid"), strict=True))
    return stats.t.logpdf(d["loss"], x[5], mean, x[4]).sum()


def thurber(x):
    d = numbers("thurber")
    t = d["log_density"]
    curve = np.polyval(x[3::-1], t) / np.polyval([*x[6:3:-1], 1], t)
    return stats.norm.logpdf(d["mobility"], curve, x[7]).sum()


def warp_breaks(x):
    d = table("warp-breaks")
    b, m, h = (np.array(d[key]) == value for key, value in (("wool", "B"), ("tension", "M"), ("tension", "H")))
    mean = np.exp(np.column_stack([np.ones(len(b)), b, m, h, b & m, b & h]) @ x[:6])
    return stats.nbinom.logpmf(np.array(d["breaks"], dtype=int), x[6], x[6] / (x[6] + mean)).sum()


POINTS = [
    (birth_weight, [-1.2, -0.2, -0.5, 1.2, 0.7, 0.75, 1.3, 1.9, 0.7, -0.4, 0.2]),
    (birth_weight, [3, -2, 4, -1, 0.5, 2, -3, 1, -2, 2, 1]),
    (coal, [3.1, 0.9, 1890.4]),
    (coal, [0.5, 2.0, 1851.25]),
    (dugongs, [2.65, 0.97, 0.86, 0.1]),
    (dugongs, [4, 2, 0.6, 0.8]),
    (eight_schools, [4.4, 3.6, 0.5, 0, -0.2, 0.1, -0.3, -0.1, 0.4, 0.2]),
    (eight_schools, [-8, 30, 1.5, 0.5, -1, 0.3, -2, 0.1, 1.2, 0.8]),
    (garch, [-0.03, 0.7, 0.97, 0.08]),
    (garch, [0.5, 2, 0.3, 0.9]),
    (lynx_hare, [0.55, 0.028, 0.8, 0.024, 34, 5.9, 0.25, 0.25]),
    (lynx_hare, [1.5, 0.1, 1.2, 0.06, 60, 20, 1.5, 0.7]),
    (nile, [1110, 123, 38]),
    (nile, [500, 40, 200]),
    (stack_loss, [17, 7.5, 2, -0.5, 2, 5]),
    (stack_loss, [20, -3, 4, 5, 8, 0.6]),
    (thurber, [1300, 1500, 580, 75, 0.97, 0.4, 0.05, 15]),
    (thurber, [900, 700, 500, 30, 0.5, 0.3, 0.01, 40]),
    (warp_breaks, [3.8, -0.4, -0.6, -0.6, 0.6, 0.1, 12]),
    (warp_breaks, [2, 1, 0.5, -1, -0.5, 0.5, 0.7]),
]

if __name__ == "__main__":
    print("posterior;log_likelihood;x")
    for model, x in POINTS:
        print(model.__name__.replace("_", "-"), repr(float(model(x))), " ".join(map(repr, x)), sep=";")
