"""The samplers that are compared: one function each, from a target and a seed to draws.

Each uses the settings that its own documentation recommends for a target of this kind. Markov chains take the budget of
evaluations that the target has, and throw the first half away, or what their own warm-up took. Those that need a box as
a prior weight their draws, and stop by their own rules.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import nested
import numpy as np
from targets import Array, Target


@dataclass
class Draws:
    """What a sampler gives back: chains × draws × dimension, or a flat sample with weights."""

    chains: Array
    weights: Array | None = None


def kameleon(target: Target, seed: int, chains: int, weighted: bool = False) -> Draws:
    import kameleon as km

    # The warm-up ends by itself; what it leaves of the budget goes to draws.
    result = km.sample(
        target.log_density,
        target.start(chains, seed),
        chains=chains,
        max_evaluations=target.budget,
        seed=seed,
        progress=False,
    )
    if not weighted:
        return Draws(np.asarray(result.draws))
    points, log_weights = result.weighted_draws()
    return Draws(points[None], np.exp(log_weights - log_weights.max()))


def kameleon_four(target: Target, seed: int) -> Draws:
    return kameleon(target, seed, 4)


def kameleon_weighted(target: Target, seed: int) -> Draws:
    return kameleon(target, seed, 4, weighted=True)


def kameleon_one(target: Target, seed: int) -> Draws:
    return kameleon(target, seed, 1)


def emcee_with(target: Target, seed: int, moves: object) -> Draws:
    import emcee

    walkers = 5 * target.dim
    np.random.seed(seed)
    sampler = emcee.EnsembleSampler(walkers, target.dim, target.log_densities, moves=moves, vectorize=True)
    steps = target.budget // walkers - 1
    sampler.run_mcmc(target.start(walkers, seed), steps)
    return Draws(sampler.get_chain(discard=steps // 2).swapaxes(0, 1))


def emcee_stretch(target: Target, seed: int) -> Draws:
    return emcee_with(target, seed, None)


def emcee_de(target: Target, seed: int) -> Draws:
    import emcee

    # The mixture that emcee's documentation recommends for awkward targets.
    return emcee_with(target, seed, [(emcee.moves.DEMove(), 0.8), (emcee.moves.DESnookerMove(), 0.2)])


def zeus_slice(target: Target, seed: int) -> Draws:
    import zeus

    walkers = 4 * target.dim
    np.random.seed(seed)
    sampler = zeus.EnsembleSampler(walkers, target.dim, target.log_densities, vectorize=True, verbose=False)
    state, kept = target.start(walkers, seed), []
    while target.evaluations < target.budget:
        sampler.run_mcmc(state, 10, progress=False)
        kept.append(sampler.get_chain())
        state = kept[-1][-1]
        sampler.reset()
    chain = np.concatenate(kept)
    return Draws(chain[len(chain) // 2 :].swapaxes(0, 1))


def pints_with(target: Target, seed: int, method: str, chains: int) -> Draws:
    import pints

    class Pdf(pints.LogPDF):
        def n_parameters(self) -> int:
            return target.dim

        def __call__(self, x: Array) -> float:
            return target.log_density(np.asarray(x))

    np.random.seed(seed)
    controller = pints.MCMCController(Pdf(), chains, target.start(chains, seed), method=getattr(pints, method))
    length = target.budget // chains
    controller.set_max_iterations(length)
    controller.set_log_to_screen(False)
    return Draws(controller.run()[:, length // 2 :])


def pints_haario(target: Target, seed: int) -> Draws:
    return pints_with(target, seed, "HaarioBardenetACMC", 4)


def pints_dream(target: Target, seed: int) -> Draws:
    return pints_with(target, seed, "DreamMCMC", 8)


def pymc_demetropolis_z(target: Target, seed: int) -> Draws:
    import pymc as pm
    import pytensor.tensor as pt
    from pytensor.graph.op import Op

    class LogDensity(Op):
        def __init__(self) -> None:
            self.itypes, self.otypes = [pt.dvector], [pt.dscalar]

        def perform(self, node: object, inputs: list[Array], outputs: list[list[Array]]) -> None:
            outputs[0][0] = np.asarray(target.log_density(inputs[0]))

    # It evaluates the current point again at every step: two evaluations for each.
    chains, length = 4, target.budget // 8
    with pm.Model():
        x = pm.Flat("x", shape=target.dim)
        pm.Potential("target", LogDensity()(x))
        trace = pm.sample(
            draws=length - length // 2 - 1,
            tune=length // 2,
            chains=chains,
            cores=1,
            step=pm.DEMetropolisZ(),
            initvals=[{"x": start} for start in target.start(chains, seed)],
            random_seed=seed,
            progressbar=False,
            compute_convergence_checks=False,
        )
    return Draws(trace.posterior["x"].values)


def blackjax_random_walk(target: Target, seed: int) -> Draws:
    import blackjax
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp

    def log_density(x: Array) -> Array:
        return -0.5 * target.squared_radius(x[None, :], jnp)[0]

    # It does not adapt; 2.38/√d is the textbook's scale.
    scale = jnp.full(target.dim, 2.38 / np.sqrt(target.dim))
    kernel = blackjax.additive_step_random_walk(log_density, blackjax.mcmc.random_walk.normal(scale))
    chains, length = 4, target.budget // 4

    def run(key: Array, start: Array) -> Array:
        def step(state: object, key: Array) -> tuple[object, Array]:
            state, _ = kernel.step(key, state)
            return state, state.position

        return jax.lax.scan(step, kernel.init(start), jax.random.split(key, length - 1))[1]

    keys = jax.random.split(jax.random.key(seed), chains)
    chain = jax.jit(jax.vmap(run))(keys, jnp.asarray(target.start(chains, seed)))
    target.evaluations += chains * length
    return Draws(np.asarray(chain)[:, length // 2 :])


def weighted(run: Callable[[Target, int], nested.Found]) -> Callable[[Target, int], Draws]:
    """A package that gives a weighted sample, and stops by its own rule: the evaluations it took stand in the table."""

    def draws(target: Target, seed: int) -> Draws:
        found = run(target, seed)
        return Draws(found.points[None], found.weights)

    return draws


@dataclass(frozen=True)
class Peer:
    """A sampler in the table."""

    name: str
    package: str
    run: Callable[[Target, int], Draws]
    seeds: int = 20
    """Fewer for those that take minutes."""


PEERS = [
    Peer("kameleon, 4 chains pooled", "kameleon", kameleon_four),
    Peer("kameleon, 4 chains, weighted", "kameleon", kameleon_weighted),
    Peer("kameleon, 1 chain", "kameleon", kameleon_one),
    Peer("emcee, stretch", "emcee", emcee_stretch),
    Peer("emcee, DE + snooker", "emcee", emcee_de),
    Peer("zeus, slice", "zeus-mcmc", zeus_slice),
    Peer("PINTS, Haario-Bardenet", "pints", pints_haario),
    Peer("PINTS, DREAM", "pints", pints_dream),
    Peer("PyMC, DEMetropolisZ", "pymc", pymc_demetropolis_z),
    Peer("BlackJAX, random walk", "blackjax", blackjax_random_walk),
    Peer("nautilus, nested", "nautilus-sampler", weighted(nested.nautilus), seeds=2),
    Peer("dynesty, nested", "dynesty", weighted(nested.dynesty_walks), seeds=10),
    Peer("pocoMC", "pocomc", weighted(nested.pocomc), seeds=2),
]


def run(peer: Peer, target: Target, seed: int) -> Draws:
    """One run, with the chatter of packages kept quiet."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return peer.run(target, seed)
