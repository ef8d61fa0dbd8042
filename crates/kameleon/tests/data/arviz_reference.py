"""Writes arviz_reference.json: chains, and what ArviZ 0.23.4 says of them, for the test diagnose_arviz.rs.

    python3 -m venv .venv && .venv/bin/pip install arviz==0.23.4
    .venv/bin/python arviz_reference.py

An argument `fuzz N FILE` writes N more random arrays to FILE instead, for a longer check by hand:
KAMELEON_ARVIZ_REFERENCE=FILE makes the test read them. Two kinds of difference are rounding, in ArviZ or in the test:
an R-hat of some 1e16 where no chain moves and ours is infinite, and an effective size for which the pair of
autocorrelations that ends Geyer's sequence is exactly zero.
"""

import json
import math
import pathlib
import sys
import warnings

import numpy as np

warnings.filterwarnings("ignore")
import arviz as az  # noqa: E402
from arviz.stats.stats_utils import autocorr, quantile  # noqa: E402

PROBABILITIES = [0.05, 0.25, 0.5, 0.9, 0.95]
rng = np.random.default_rng(2014)


def ar1(chains, draws, rho):
    x = rng.standard_normal((chains, draws))
    for t in range(1, draws):
        x[:, t] = rho * x[:, t - 1] + math.sqrt(1 - rho**2) * x[:, t]
    return x


def metropolis(chains, draws, step):
    """Chains with the repeated values of rejected proposals."""
    x = np.zeros((chains, draws))
    for t in range(1, draws):
        y = x[:, t - 1] + step * rng.standard_normal(chains)
        accept = rng.random(chains) < np.exp((x[:, t - 1] ** 2 - y**2) / 2)
        x[:, t] = np.where(accept, y, x[:, t - 1])
    return x


def named_cases():
    normal = rng.standard_normal
    with_nan = normal((2, 20))
    with_nan[1, 7] = np.nan
    one_still = normal((3, 40))
    one_still[1] = 0.5
    yield "independent draws", normal((4, 100))
    yield "an odd number of draws", normal((4, 101))
    yield "one chain", normal((1, 151))
    yield "one chain that drifts", normal((1, 100)) + np.linspace(0, 3, 100)
    yield "strongly correlated draws", ar1(4, 250, 0.9)
    yield "anticorrelated draws", ar1(2, 120, -0.8)
    yield "a random walk", np.cumsum(normal((2, 300)), axis=1)
    yield "rejected proposals", metropolis(4, 151, 2.5)
    yield "mostly rejected proposals", metropolis(3, 120, 40.0)
    yield "small integers", rng.integers(0, 4, (3, 61)).astype(float)
    yield "zeros and ones", rng.integers(0, 2, (2, 50)).astype(float)
    yield "chains far apart", normal((4, 50)) + np.array([[0.0], [5.0], [-5.0], [100.0]])
    yield "chains of different spread", normal((4, 100)) * np.array([[1.0], [1.0], [1.0], [5.0]])
    yield "heavy tails", rng.standard_cauchy((4, 100))
    yield "skew draws", np.exp(2 * normal((4, 75)))
    yield "a large offset", 1e6 + normal((4, 60))
    yield "a small scale", np.round(normal((2, 60)), 4) * 1e-6
    yield "a constant", np.full((4, 20), 3.25)
    yield "one chain stands still", one_still
    yield "all chains stand still", np.repeat(np.array([[0.0], [1.0], [2.5], [-1.0]]), 16, axis=1)
    yield "a NaN inside", with_nan
    for draws in [3, 4, 5, 6, 7, 8, 9, 10, 11]:
        yield f"{draws} draws", normal((3, draws))


def random_case():
    chains, draws = rng.integers(1, 6), rng.integers(4, 60)
    kind = rng.integers(0, 4)
    if kind == 0:
        x = ar1(chains, draws, rng.uniform(-0.9, 0.99))
    elif kind == 1:
        x = np.round(rng.standard_normal((chains, draws)), 1)
    elif kind == 2:
        x = metropolis(chains, draws, rng.uniform(0.1, 20))
    else:
        x = rng.standard_normal((chains, draws)) + rng.standard_normal((chains, 1))
    return x


def figures(x):
    ess = {k: az.ess(x, method=k) for k in ["bulk", "tail", "mean", "sd"]}
    return {
        "r_hat": az.rhat(x),
        "r_hat_bulk": az.rhat(x, method="z_scale"),
        "r_hat_folded": az.rhat(x, method="folded"),
        **{f"ess_{k}": v for k, v in ess.items()},
        "ess_quantile": [az.ess(x, method="quantile", prob=p) for p in PROBABILITIES],
        "mcse_mean": az.mcse(x, method="mean"),
        "mcse_sd": az.mcse(x, method="sd"),
        "mcse_quantile": [az.mcse(x, method="quantile", prob=p) for p in PROBABILITIES],
        "quantile": list(quantile(x, PROBABILITIES)),
        "autocorrelation": list(autocorr(x[0]))[:10],
    }


def plain(value):
    """NaN is written as null, infinity as a string."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, np.ndarray)):
        return [plain(v) for v in value]
    value = float(value)
    return None if math.isnan(value) else "inf" if math.isinf(value) else value


def case(name, x):
    # Few digits keep the file small. The small scale has its own.
    x = x if np.max(np.abs(x)) < 1e-3 else np.round(x, 5)
    return {"name": name, "chains": plain(x), **plain(figures(x))}


def main():
    path = pathlib.Path(__file__).with_name("arviz_reference.json")
    if sys.argv[1:2] == ["fuzz"]:
        path, cases = sys.argv[3], [case(f"fuzz {i}", random_case()) for i in range(int(sys.argv[2]))]
    else:
        cases = [case(name, x) for name, x in named_cases()]
        cases += [case(f"random {i}", random_case()) for i in range(20)]
    document = {"arviz": az.__version__, "probabilities": PROBABILITIES, "cases": cases}
    lines = ",\n".join(json.dumps(c, allow_nan=False, separators=(",", ":")) for c in document.pop("cases"))
    text = json.dumps(document)[:-1] + ', "cases": [\n' + lines + "\n]}\n"
    pathlib.Path(path).write_text(text)
    print(f"{len(cases)} cases, {len(text)} bytes")


main()
