# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # A cluster
#
# A simulator that takes a second, and a posterior that wants fifty thousand of them: half a day on one core, minutes on a cluster.
# Anything with the interface of `concurrent.futures.Executor` will do: dask on SLURM or Kubernetes, ray, parsl, MPI, or the processes of one
# machine. The points of the population and of the chains are evaluated where the workers are, and what the warm-up learns is shared between the chains.
#
# In this notebook the cluster is dask on this machine, with two workers, and the slow simulator sleeps.

# %%
import time

import matplotlib.pyplot as plt
import numpy as np
from dask.distributed import Client

import kameleon as km


def slow_simulator(x):
    """A distance that was measured twice, in a plane: where is the source? It takes a millisecond."""
    time.sleep(0.001)
    from_left, from_right = np.hypot(x[0] + 2, x[1]), np.hypot(x[0] - 2, x[1])
    return -0.5 * ((from_left - 3) / 0.15) ** 2 - 0.5 * ((from_right - 3) / 0.15) ** 2


plan = {
    "parameters": ["east", "north"],
    "priors": {"east": "uniform(-6, 6)", "north": "uniform(-6, 6)"},
    "chains": 4,
    "draws": 600,
    "seed": 1,
}

# %% [markdown]
# `executor` is all that changes. On a real cluster the client comes from `SLURMCluster` and its kind, and `chains` is the number of
# workers; `docs/clusters.md` has a script for each kind.

# %%
with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
    result = km.sample(slow_simulator, executor=client.get_executor(), progress=False, **plan)
result

# %% [markdown]
# Two distances leave two places, and the summary lists both with their weights: before the chains, a population that starts from the prior looked for modes
# everywhere. It took most of the evaluations. Chains move between both places, because their jumps lead to all that the warm-up has met. Where you know that there is one
# mode, `warmup="chains"` is cheaper.

# %%
figure, axes = plt.subplots(figsize=(5, 4.2), layout="constrained")
for chain, colour in zip(result.draws, ["#0072B2", "#D55E00", "#009E73", "#E69F00"], strict=True):
    axes.plot(*chain.T, ".", color=colour, markersize=3, alpha=0.6)
axes.plot([-2, 2], [0, 0], "k^", markersize=9)
axes.annotate("two stations", (0, 0), ha="center", va="center")
_ = axes.set(xlabel="east", ylabel="north", aspect="equal", xlim=(-3.2, 3.2), ylim=(-3.2, 3.2))

# %% [markdown]
# The draws do not depend on where they were made: the same seed on threads of this process gives the same numbers, bit for bit. So a run can be
# tried on a laptop, and repeated by a reader who has no cluster.

# %%
from concurrent.futures import ThreadPoolExecutor

with ThreadPoolExecutor(4) as pool:
    again = km.sample(slow_simulator, executor=pool, progress=False, **plan)
print("the same draws:", np.array_equal(again.draws, result.draws))

# %% [markdown]
# Workers may die, and jobs may end. With `checkpoint="folder"` all that is done is on the disk, and
# `km.resume("folder", slow_simulator, executor=...)` goes on from there, with the same draws as if nothing had happened.
