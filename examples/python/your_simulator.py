# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # Your simulator
#
# In January 1978 influenza went through an English boarding school with 763 boys. The school noted how many were in bed on
# each of fourteen days. A simulator of an epidemic has three compartments: boys who can catch it, boys who have it, and boys
# who have had it. How contagious was it, and how long was a boy ill?
#
# The simulator below is a plain loop. It has no gradient, and none is needed: Kameleon asks for the log likelihood at a point,
# and that is all. Your own simulator can be anything that returns a number.

# %%
import math

import matplotlib.pyplot as plt
import numpy as np

import kameleon as km

in_bed = np.array([3, 8, 26, 76, 225, 298, 258, 233, 189, 128, 68, 29, 14, 4])
days = np.arange(len(in_bed))
BOYS, STEPS = 763, 8


def simulate(contacts, recovery):
    """The number of ill boys on each day, with the given rates for a day, in steps of three hours."""
    susceptible, ill = BOYS - 3.0, 3.0
    course = [ill]
    for _ in days[1:]:
        for _ in range(STEPS):
            infected = susceptible * -math.expm1(-contacts * ill / BOYS / STEPS)
            recovered = ill * -math.expm1(-recovery / STEPS)
            susceptible, ill = susceptible - infected, ill + infected - recovered
        course.append(ill)
    return np.array(course)


# %% [markdown]
# Counts scatter more than Poisson numbers do, so the likelihood is negative binomial, and its spread is the third
# parameter. Priors are words or objects of `scipy.stats`; the rates are positive, and chains respect that by themselves. There is neither a start nor
# a length of the warm-up: a population starts from the priors, and looks for all modes that there are.


# %%
def log_likelihood(theta):
    contacts, recovery, size = theta
    mean = np.maximum(simulate(contacts, recovery), 1e-9)
    terms = [
        math.lgamma(n + size)
        - math.lgamma(size)
        - math.lgamma(n + 1)
        + n * math.log(m / (m + size))
        - size * math.log1p(m / size)
        for n, m in zip(in_bed.tolist(), mean.tolist(), strict=True)
    ]
    return math.fsum(terms)


result = km.sample(
    log_likelihood,
    parameters=["contacts", "recovery", "size"],
    priors={"contacts": "lognormal(0.5, 1)", "recovery": "lognormal(-0.5, 1)", "size": "lognormal(2, 1.5)"},
    draws=1_500,
    seed=1978,
)
result

# %% [markdown]
# Every draw is a pair of rates with which the epidemic can be simulated again. The band holds 90 % of new counts, with the scatter
# of the likelihood. The quantity that epidemiologists ask for follows from the draws too: one boy infected
# `contacts / recovery` others at the beginning.

# %%
rng = np.random.default_rng(1)
draws = result.draws.reshape(-1, 3)
some = draws[rng.choice(len(draws), 400, replace=False)]
means = np.array([simulate(contacts, recovery) for contacts, recovery, _ in some])
size = some[:, 2:]
counts = rng.negative_binomial(size, size / (size + means))
low, high = np.percentile(counts, [5, 95], axis=0)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), width_ratios=[2, 1], layout="constrained")
left.fill_between(days, low, high, color="#0072B2", alpha=0.2, label="90 % of new counts")
left.plot(days, means[:40].T, color="#0072B2", alpha=0.15)
left.plot(days, in_bed, "o", color="#D55E00", label="boys in bed")
left.set(xlabel="day", ylabel="boys")
left.legend(frameon=False)
reproduction = draws[:, 0] / draws[:, 1]
right.hist(reproduction, bins=50, color="#0072B2", alpha=0.7)
right.set(xlabel="infections by the first case", yticks=[], xlim=(2, 6))
print(
    f"R0: {np.median(reproduction):.2f}, 90 % from {np.percentile(reproduction, 5):.2f} to {np.percentile(reproduction, 95):.2f}"
)

# %% [markdown]
# Where to go from here:
#
# - The simulator is a program, in any language: `km.targets.Program(["./simulator"], ["a", "b"])` starts it once and sends it one
#   point after another. A shared library and a UM-Bridge server work in the same way.
# - The simulator is random: see the tutorial about a noisy likelihood.
# - The simulator takes minutes: see the tutorial about a cluster, and give `checkpoint="folder"`, from which `km.resume` goes on.
