"""Writes prior_values.csv: log densities and distribution functions from scipy to compare with.

python prior_values.py > prior_values.csv (scipy 1.17.1)
"""

from math import exp, inf

from scipy import stats

PRIORS = {
    "normal(1.5, 2)": stats.norm(1.5, 2),
    "normal(0, 1e-3)": stats.norm(0, 1e-3),
    "student-t(4, 0.5, 2)": stats.t(4, 0.5, 2),
    "student-t(0.7, 0, 1)": stats.t(0.7),
    "student-t(150.5, -1, 0.1)": stats.t(150.5, -1, 0.1),
    "cauchy(0.5, 2.5)": stats.cauchy(0.5, 2.5),
    "uniform(-1, 3)": stats.uniform(-1, 4),
    "triangular(-2, 0.5, 4)": stats.triang(2.5 / 6, -2, 6),
    "triangular(0, 0, 4)": stats.triang(0, 0, 4),
    "triangular(0, 4, 4)": stats.triang(1, 0, 4),
    "truncated-normal(1, 2, -0.5, 4)": stats.truncnorm(-0.75, 1.5, 1, 2),
    "truncated-normal(0, 1, 0, inf)": stats.truncnorm(0, inf),
    "truncated-normal(9, 0.5, -inf, 5)": stats.truncnorm(-inf, -8, 9, 0.5),
    "beta(2, 5)": stats.beta(2, 5),
    "beta(0.5, 0.5)": stats.beta(0.5, 0.5),
    "beta(80, 3)": stats.beta(80, 3),
    "exponential(0.5)": stats.expon(scale=1 / 0.5),
    "gamma(2.5, 0.5)": stats.gamma(2.5, scale=1 / 0.5),
    "gamma(0.3, 4)": stats.gamma(0.3, scale=1 / 4),
    "gamma(200, 10)": stats.gamma(200, scale=1 / 10),
    "inverse-gamma(2.5, 0.5)": stats.invgamma(2.5, scale=0.5),
    "half-normal(2.5)": stats.halfnorm(0, 2.5),
    "half-cauchy(2.5)": stats.halfcauchy(0, 2.5),
    "log-normal(0.5, 0.75)": stats.lognorm(0.75, scale=exp(0.5)),
    "log-uniform(0.01, 20)": stats.loguniform(0.01, 20),
}
POINTS = [-5, -1, -0.25, 2e-4, 0.013, 0.3, 0.5, 0.99, 1, 2, 3.5, 10, 1e3]

print("prior;x;log_density;cdf")
for prior, scipys in PRIORS.items():
    for x in POINTS:
        # Where the density is infinite or jumps, the libraries may differ.
        if x not in scipys.support():
            print(f"{prior};{x!r};{float(scipys.logpdf(x))!r};{float(scipys.cdf(x))!r}")
