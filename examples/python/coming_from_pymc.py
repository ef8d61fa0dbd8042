# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # Coming from PyMC
#
# `km.sample(model)` samples a PyMC model without gradients: useful when part of it is a black box. Variables keep their
# names, shapes, dims and units; transforms are undone.

# %%
import numpy as np
import pymc as pm

import kameleon as km

rng = np.random.default_rng(1)
schools = list("ABCDEFGH")
effect = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
error = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])

with pm.Model(coords={"school": schools}) as model:
    mu = pm.Normal("mu", 0, 5)
    tau = pm.HalfCauchy("tau", 5)
    z = pm.Normal("z", 0, 1, dims="school")
    theta = pm.Deterministic("theta", mu + tau * z, dims="school")
    pm.Normal("y", theta, error, observed=effect, dims="school")

result = km.sample(model, draws=3_000, warmup=3_000, chains=4, seed=1)
result

# %% [markdown]
# Names and dims reach ArviZ:

# %%
result.to_arviz().posterior

# %%
_ = result.plot_pair("mu", "tau")
