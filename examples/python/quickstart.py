# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # Quickstart
#
# A log density is any function of a vector. This one is a twisted Gaussian, whose level sets are bananas: hard for
# samplers that use one covariance everywhere.

# %%
import kameleon as km


def log_density(x):
    return -(x[0] ** 2) / 200 - (x[1] - 0.1 * (x[0] ** 2 - 100)) ** 2 / 2


result = km.sample(log_density, start=[0.0, 0.0], draws=20_000, warmup=10_000, chains=4, seed=42)
result

# %% [markdown]
# The same as text, and what happened on the way:

# %%
print(result.summary())
print(
    f"{result.stats['evaluations']:,} evaluations in {result.stats['seconds']:.1f} s, "
    f"{result.stats['acceptance']:.0%} accepted"
)

# %% [markdown]
# Draws are arrays of shape (chains, draws, parameters); a parameter has its name.

# %%
result.draws.shape, result["x1"].mean()

# %%
_ = result.plot_pair("x1", "x2")
# %%
_ = result.plot_trace()
# %% [markdown]
# ArviZ takes the result as its own, and the report is one page that works offline.

# %%
result.to_arviz()

# %%
import tempfile
from pathlib import Path

folder = Path(tempfile.mkdtemp())
result.save(folder / "run.nc")
result.report(folder / "report.html")
[path.name for path in sorted(folder.iterdir())]

# %% [markdown]
# A target that needs no Python runs on all cores: a numba `cfunc`, an expression, a built-in target, a server.

# %%
fast = km.sample("-(x^2)/200 - (y - 0.1*(x^2 - 100))^2/2", parameters=["x", "y"], draws=20_000, warmup=10_000, seed=42)
fast.summary()
