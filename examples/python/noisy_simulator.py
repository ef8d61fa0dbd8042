# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # A simulator with noise: pseudo-marginal MCMC
#
# A queue is observed once an hour. Arrivals are Poisson with an unknown rate, but every hour has a mood of its own, a
# lognormal factor that is never seen. The likelihood integrates over the moods, and all we have is a simulator: an average
# over simulated moods, which is an **unbiased estimate** of the likelihood. Sampling the logarithm of that estimate gives
# the exact posterior, as long as the estimate at the current point is kept until the chain moves. Kameleon does.

# %%
import math

import numpy as np

import kameleon as km

rng = np.random.default_rng(7)
counts = rng.poisson(4.0 * np.exp(0.5 * rng.normal(size=40) - 0.125))
log_factorial = np.array([math.lgamma(n + 1) for n in counts])
MOODS = 60


def log_likelihood(theta, normals):
    """log p̂(counts|θ) for θ = (log rate, log spread): an average over moods for each hour, made of standard normals."""
    log_rate, log_spread = theta
    spread = math.exp(log_spread)
    log_rates = log_rate + spread * normals - spread**2 / 2
    with np.errstate(over="ignore"):
        terms = counts * log_rates - np.exp(log_rates) - log_factorial
    top = terms.max(axis=0)
    if not np.isfinite(top).all():
        return -math.inf
    return float((top + np.log(np.exp(terms - top).mean(axis=0))).sum())


def log_estimate(theta, rng):
    return log_likelihood(theta, rng.normal(size=(MOODS, len(counts))))


# %% [markdown]
# The second argument is a generator that follows from the run's seed, so that the run can be repeated.

# %%
plan = {
    "parameters": ["log_rate", "log_spread"],
    "priors": {"log_rate": "normal(1, 1)", "log_spread": "normal(-1, 1)"},
    "draws": 4_000,
    "seed": 1,
}
result = km.sample(log_estimate, **plan)
result

# %% [markdown]
# How noisy is the estimate, and does the chain stick to lucky ones? The noise is measured at the last points of the chains, and the longest run of
# rejections says the rest:


# %%
def show_noise(stats):
    print(
        f"sd of the log estimate {stats['sd_log_estimate']:.2f}, longest wait {stats['longest_rejection_run']} iterations"
    )


show_noise(result.stats)

# %% [markdown]
# With noise made of standard normals instead, the chain can move them a little at a time: a *correlated* pseudo-marginal
# chain, which is content with far fewer simulations for each estimate. It pays for small steps, from which the estimates of both points differ little, so
# this run uses adaptive Metropolis, and more draws, since its steps are small.

# %%
FEW = 10


def log_estimate_of_normals(theta, u):
    return log_likelihood(theta, u.reshape(FEW, len(counts)))


longer = plan | {"draws": 20_000}
correlated = km.sample(log_estimate_of_normals, normals=FEW * len(counts), correlated=0.99, sampler=km.AM(), **longer)
show_noise(correlated.stats)
correlated.summary()

# %% [markdown]
# Both runs have the same posterior, one with six times as many simulations for each estimate as the other. Noise costs efficiency, not
# exactness: the curves would agree with those of the integral itself. Which is cheaper? The draws took about as many simulated moods in
# both, 60 · 16,000 and 10 · 80,000, and the effective sizes are larger with 60 moods and the default sampler. Correlated noise is for likelihoods whose estimates are far
# noisier than these, with as many simulations as can be afforded.

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
for panel, name in zip(axes, result.names, strict=True):
    edges = np.linspace(*np.percentile(result[name], [0.2, 99.8]), 45)
    panel.hist(result[name].ravel(), edges, density=True, color="#0072B2", alpha=0.4, label=f"{MOODS} moods")
    panel.hist(
        correlated[name].ravel(),
        edges,
        density=True,
        histtype="step",
        color="#D55E00",
        label=f"{FEW} moods, correlated",
    )
    panel.set(xlabel=name, yticks=[])
_ = axes[1].legend(frameon=False)
