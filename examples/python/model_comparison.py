# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # Model comparison by evidence
#
# Between 1851 and 1962 British coal mines had 191 disasters with ten or more deaths. Did they become rarer all at once, or little by little, or
# not at all? Each answer is a model, and the **evidence** of a model, the probability of the data under it, says how well it
# predicted them. A model with more parameters is not better by itself: it pays for all that it allows and that did not happen.
#
# The default sampler tells the evidence of every run, with an error and without another evaluation of the likelihood.

# %%
import matplotlib.pyplot as plt
import numpy as np
from scipy.special import gammaln

import kameleon as km

# One digit for each year.
counts = (
    "4541043406334026335453144155342522342132211113001011003103220111010100021000110233112111123300014000100000100101"
)
disasters = np.array([int(count) for count in counts])
years = 1851 + np.arange(len(disasters))
log_factorials = gammaln(disasters + 1).sum()


def log_poisson(rate):
    """The log probability of all counts, with the constant that the evidence needs."""
    return float(np.sum(disasters * np.log(rate) - rate) - log_factorials)


# %% [markdown]
# Three models of the rate of disasters for a year. The log likelihood must be complete (here the factorials are in it), and every
# parameter has a proper prior; otherwise the number is a normalising constant that compares nothing.

# %%
SPAN = len(years)


def constant(theta):
    return np.full(SPAN, theta[0])


def gradual(theta):
    first, last = theta
    return first * (last / first) ** np.linspace(0, 1, SPAN)


def sudden(theta):
    before, after, year = theta
    # A year in which the change happens is shared between both rates.
    share = np.clip(years + 1 - year, 0, 1)
    return before + (after - before) * share


rate_prior = "exponential(1)"
models = {
    "constant": (constant, {"rate": rate_prior}),
    "gradual": (gradual, {"first": rate_prior, "last": rate_prior}),
    "sudden": (sudden, {"before": rate_prior, "after": rate_prior, "year": "uniform(1851, 1963)"}),
}
results = {}
for name, (rates, priors) in models.items():
    results[name] = km.sample(
        lambda theta, rates=rates: log_poisson(rates(theta)),
        parameters=list(priors),
        priors=priors,
        max_evaluations=200_000,
        seed=1,
    )
    print(f"{name:9} {results[name].evidence}")

# %% [markdown]
# For the constant rate the integral is known: with n disasters in T years it is n!/(1 + T)^(n+1) over the factorials of the counts.

# %%
n = disasters.sum()
exact = gammaln(n + 1) - (n + 1) * np.log(1 + SPAN) - log_factorials
print(
    f"exact {exact:.4f}, by the run {results['constant'].log_evidence:.4f} ± {results['constant'].log_evidence_error:.4f}"
)

# %% [markdown]
# With equal prior odds the probability of a model is proportional to its evidence. That nothing changed is out of the question. Between a
# sudden change and a gradual decline the data prefer the sudden one, but the odds are about five to one: a reason to lean, not to be sure. A
# better likelihood at the best fit would have hidden that.

# %%
logs = np.array([result.log_evidence for result in results.values()])
shares = np.exp(logs - logs.max())
for name, share in zip(results, shares / shares.sum(), strict=True):
    print(f"{name:9} {share:.2g}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), width_ratios=[2, 1], layout="constrained")
left.bar(years, disasters, color="#bbbbbb", width=1)
for colour, (name, (rates, _)) in zip(["#009E73", "#E69F00", "#0072B2"], models.items(), strict=True):
    draws = results[name].draws.reshape(-1, results[name].draws.shape[-1])[::37]
    curves = np.array([rates(theta) for theta in draws])
    left.plot(years, curves.mean(axis=0), color=colour, label=name)
    left.fill_between(years, *np.percentile(curves, [5, 95], axis=0), color=colour, alpha=0.2, linewidth=0)
    right.barh(name, results[name].log_evidence - logs.min(), color=colour)
left.set(xlabel="year", ylabel="disasters")
left.legend(frameon=False)
_ = right.set(xlabel="log evidence, above the worst")

# %% [markdown]
# Evidence depends on the priors, and it should: they are part of what a model predicts. How much, can be seen without another
# run. Here the prior of both rates becomes exponential with mean 2 instead of 1:

# %%
wider = km.reweight(results["sudden"], "before/2 + after/2 - 2*ln(2)")
print(f"the log evidence changes by {wider.log_change:.3f} ± {wider.log_change_error:.3f}")
wider
