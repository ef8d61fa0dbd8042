# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # Gaussian-process classification of the Glass data
#
# Which pieces of glass come from a window? The posterior of the classifier's length scales, one for each chemical element,
# is known only through an unbiased estimate of the marginal likelihood: the paper's example.

# %%
import numpy as np

import kameleon as km

X, y, names = km.targets.glass()
gp = km.targets.GPClassification(X[::3], y[::3], names=names, approximation="laplace", n_imp=10)
X[::3].shape, gp.n_imp

# %% [markdown]
# Laplace's approximation of log p(y|θ), and estimates of it:

# %%
theta = np.full(9, 1.5)
print(gp.log_marginal(theta))
print([round(gp.estimate(theta, n_imp=100, seed=seed), 3) for seed in range(4)])

# %% [markdown]
# The target needs no Python, so its chains run on all cores.

# %%
result = km.sample(gp, start=theta, warmup=1_500, draws=1_500, chains=4, seed=1)
result

# %%
_ = result.plot_pair("log_l2[Mg]", "log_l2[Al]", ellipses=False)
# %% [markdown]
# Predictions for the pieces that were left out, averaged over the posterior:

# %%
left_out = np.arange(len(y)) % 3 != 0
probability = gp.predict(result.draws[:, ::150], X[left_out])
print(f"{np.mean((probability > 0.5) == (y[left_out] > 0)):.0%} of {left_out.sum()} pieces are told rightly")
