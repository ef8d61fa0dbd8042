"""Writes prior_values.csv: log densities from scipy to compare with. python prior_values.py > prior_values.csv (scipy 1.17.1)"""

from scipy import stats

PRIORS = {
    "normal(1.5, 2)": stats.norm(1.5, 2),
    "normal(0, 1e-3)": stats.norm(0, 1e-3),
    "uniform(-1, 3)": stats.uniform(-1, 4),
    "gamma(2.5, 0.5)": stats.gamma(2.5, scale=1 / 0.5),
    "gamma(0.3, 4)": stats.gamma(0.3, scale=1 / 4),
    "gamma(200, 10)": stats.gamma(200, scale=1 / 10),
    "beta(2, 5)": stats.beta(2, 5),
    "beta(0.5, 0.5)": stats.beta(0.5, 0.5),
    "beta(80, 3)": stats.beta(80, 3),
    "half-cauchy(2.5)": stats.halfcauchy(0, 2.5),
    "log-normal(0.5, 0.75)": stats.lognorm(0.75, scale=2.718281828459045**0.5),
}
POINTS = [-5, -1, -0.25, 1e-6, 0.01, 0.3, 0.5, 0.99, 1, 2, 3, 10, 1e3]

print("prior;x;log_density")
for prior, scipys in PRIORS.items():
    for x in POINTS:
        # Where the density is infinite or jumps, the libraries may differ.
        if not (prior.startswith("beta") and x == 1):
            print(f"{prior};{x!r};{float(scipys.logpdf(x))!r}")
