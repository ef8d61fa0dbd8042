# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # Coming from emcee
#
# The log probability function that you have can stay as it is. Instead of walkers there are a few long chains that learn
# the shape of the target during a warm-up, after which the draws come from one fixed, exact sampler.
#
# | emcee | kameleon |
# |---|---|
# | `EnsembleSampler(nwalkers, ndim, f, args=(...))` | `km.sample(lambda x: f(x, ...), start)`, or a likelihood with `priors=` and no start |
# | `run_mcmc(p0, n)` | `draws=`, `warmup=`; one start, or one for each chain |
# | `get_chain(discard=..., flat=True)` | `result.draws`: the warm-up is left out already |
# | `get_autocorr_time()` | `result.summary()`: effective sizes, R-hat and a verdict |
# | `vectorize=True` | `vectorized=True` |
# | `pool=Pool()` | `executor=ProcessPoolExecutor()`: chains run there |
# | `backends.HDFBackend` | `checkpoint="folder/"`, `km.resume("folder/", f)` |

# %%
import numpy as np

import kameleon as km

rng = np.random.default_rng(123)
x = np.sort(10 * rng.random(50))
y_error = 0.1 + 0.5 * rng.random(50)
y = -0.96 * x + 4.3 + np.abs(0.53 * (-0.96 * x + 4.3)) * rng.normal(size=50) + y_error * rng.normal(size=50)


def log_probability(theta, x, y, y_error):
    """A line with noise that is larger than the error bars say, as in emcee's tutorial."""
    m, b, log_f = theta
    if not (-5 < m < 0.5 and 0 < b < 10 and -10 < log_f < 1):
        return -np.inf
    model = m * x + b
    variance = y_error**2 + model**2 * np.exp(2 * log_f)
    return -0.5 * np.sum((y - model) ** 2 / variance + np.log(variance))


result = km.sample(
    lambda theta: log_probability(theta, x, y, y_error),
    start=[-1.0, 4.0, -0.5],
    parameters=["m", "b", "log_f"],
    draws=3_000,
    warmup=2_000,
    seed=1,
)
result

# %% [markdown]
# Better than cutting the prior off inside the function: leave the likelihood in it, and say the priors beside it. Then
#
# - no start is needed: a population starts from the prior and looks for modes everywhere, and the summary says what it found;
# - chains move on the whole line, so that no proposal is lost outside, and the draws can be checked against the log densities at them, which a sharp
#   end inside the function forbids;
# - the constant is the evidence, with which models can be compared.
#
# The warm-up ends by itself. Where there are ends and no prior, give them by `bounds={"m": (-5, 0.5)}`.


# %%
def log_likelihood(theta):
    m, b, log_f = theta
    model = m * x + b
    variance = y_error**2 + model**2 * np.exp(2 * log_f)
    return -0.5 * np.sum((y - model) ** 2 / variance + np.log(variance))


better = km.sample(
    log_likelihood,
    parameters=["m", "b", "log_f"],
    priors={"m": "uniform(-5, 0.5)", "b": "uniform(0, 10)", "log_f": "uniform(-10, 1)"},
    draws=3_000,
    seed=1,
)
better.summary()

# %% [markdown]
# Both agree: the first run had a prior of height one in place of a density, so its constant must be the evidence times the prior's volume.

# %%
print(f"{result.log_evidence - np.log(5.5 * 10 * 11):.3f} and {better.log_evidence:.3f}")

# %% [markdown]
# Every draw is a line. The error bars alone would give a much narrower bundle: `log_f` says by how much they are too small.

# %%
import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), width_ratios=[3, 2], layout="constrained")
grid = np.linspace(0, 10, 2)
for m, b, _ in better.draws.reshape(-1, 3)[::120]:
    left.plot(grid, m * grid + b, color="#0072B2", alpha=0.12)
left.errorbar(x, y, y_error, fmt="o", color="#D55E00", markersize=3, linewidth=1)
left.set(xlabel="x", ylabel="y")
right.plot(better["m"].ravel(), better["b"].ravel(), ".", color="#0072B2", markersize=2, alpha=0.3)
right.plot(-0.96, 4.3, "*", color="#D55E00", markersize=14, label="the truth")
right.set(xlabel="m", ylabel="b")
_ = right.legend(frameon=False)
