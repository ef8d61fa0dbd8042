# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # Coming from dynesty
#
# Nested sampling asks for a likelihood and a prior, and gives an evidence and weighted draws. So does Kameleon, in another way: a population
# that starts from the prior finds the modes, chains draw from the posterior, and their jump proposals give the evidence.
#
# | dynesty | kameleon |
# |---|---|
# | `prior_transform(u)` | `priors={"x": "uniform(-6, 6)", ...}`: words, or distributions of `scipy.stats` |
# | `NestedSampler(loglike, prior_transform, ndim)` | `km.sample(loglike, parameters=[...], priors={...})` |
# | `run_nested(dlogz=0.1)` | `max_evaluations=`, or `until="ess=400,rhat=1.01"` |
# | `results.logz[-1]`, `results.logzerr[-1]` | `result.log_evidence`, `result.log_evidence_error` |
# | `results.samples_equal()` | `result.draws`: equal weights already |
# | `results.samples`, `results.logwt` | `result.weighted_draws()` |
# | `pool=`, `queue_size=` | `executor=` |
# | `checkpoint_file=`, `restore` | `checkpoint="folder/"`, `km.resume("folder/", loglike)` |
#
# Two things have no counterpart in dynesty. The likelihood may be **noisy**, an unbiased estimate. And the draws are those of an exact
# Markov chain, so that R-hat, effective sizes and a verdict come with them.

# %%
import dynesty
import matplotlib.pyplot as plt
import numpy as np

import kameleon as km


def log_likelihood(x):
    """Himmelblau's function with its sign changed: four peaks of the same height, and of different widths."""
    x, y = x
    return -0.5 * ((x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2)


# %% [markdown]
# First dynesty, with 500 live points.


# %%
def prior_transform(u):
    return 12 * u - 6


nested = dynesty.NestedSampler(log_likelihood, prior_transform, 2, nlive=500, rstate=np.random.default_rng(1))
nested.run_nested(dlogz=0.1, print_progress=False)
print(
    f"log Z {nested.results.logz[-1]:.3f} ± {nested.results.logzerr[-1]:.3f}, {sum(nested.results.ncall):,} evaluations"
)

# %% [markdown]
# Now Kameleon, with the same likelihood and 50,000 evaluations.

# %%
result = km.sample(
    log_likelihood,
    parameters=["x", "y"],
    priors={"x": "uniform(-6, 6)", "y": "uniform(-6, 6)"},
    max_evaluations=50_000,
    seed=1,
)
print(f"{result.evidence}, {result.stats['evaluations']:,} evaluations")
print(f"{result.population.evaluations:,} of them by the population, and {result.draws[..., 0].size:,} draws")

# %% [markdown]
# In two dimensions a grid tells the truth: log Z, and the share of each quarter of the plane, which has one peak each.

# %%
axis = (np.arange(4000) + 0.5) * 12 / 4000 - 6
likelihood = np.exp(log_likelihood((axis[:, None], axis)))
print(f"log Z {np.log(likelihood.mean()):.4f}")
for name, rows in {"x > 0": axis > 0, "x < 0": axis < 0}.items():
    for other, columns in {"y > 0": axis > 0, "y < 0": axis < 0}.items():
        print(f"{name}, {other}: {likelihood[np.ix_(rows, columns)].sum() / likelihood.sum():.4f}")

# %% [markdown]
# Both are right. They stop for different reasons: dynesty when little evidence is left, at a number of evaluations that follows from its live
# points, and Kameleon when its budget is spent. The population takes about as many evaluations as dynesty, and finds the peaks. The others are
# for the draws, and these give the evidence its small error. With more live points dynesty's falls too, as one over the root of its evaluations.

# %%
figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), sharey=True, layout="constrained")
equal = nested.results.samples_equal(rstate=np.random.default_rng(1))
axes[0].plot(*equal[:: max(1, len(equal) // 1500)].T, ".", markersize=2, color="#D55E00")
axes[0].set(title=f"dynesty, {len(equal):,} points of equal weight", xlabel="x", ylabel="y", aspect="equal")
draws = result.draws.reshape(-1, 2)
axes[1].plot(*draws[:: max(1, len(draws) // 1500)].T, ".", markersize=2, color="#0072B2")
_ = axes[1].set(title=f"kameleon, {len(draws):,} draws", xlabel="x", aspect="equal")

# %% [markdown]
# The summary has a verdict, and the modes that the population found, with the weight and the evidence of each; compare the weights with the
# shares above. Here every mode is a peak. A ring or a long bent ridge has no peaks, and is split into several such modes, or niches: then only their sum means
# something.

# %%
result

# %% [markdown]
# When to stay with nested sampling: if you need log Z to a tenth only and the likelihood is slow, dynesty and its kind are done with fewer
# evaluations on some problems. The page about comparisons has figures for both sides.
