"""What a plugin costs per evaluation, beside a likelihood that takes a millisecond: a part of benches/hosts.py."""

import contextlib
import io
import logging
import os
import time

import numpy as np


class Burning:
    """A log likelihood of six parameters that uses a millisecond of processor time, and counts what it used."""

    def __init__(self):
        self.calls, self.used = 0, 0.0

    def __call__(self, x):
        start = now = time.thread_time()
        while now - start < 0.001:
            now = time.thread_time()
        self.calls += 1
        self.used += now - start
        return -0.5 * float(np.dot(x, x))

    def __deepcopy__(self, memo):
        return self


NAMES = [f"x{k}" for k in range(6)]
SHORT = {"seed": 1, "check": "off"}
POINTS = np.random.default_rng(1).normal(size=(6000, 6))


def by_bilby(burn):
    """A whole call, and evaluations as any sampler of bilby makes them."""
    import bilby

    import kameleon.bilby as plugin

    class Likelihood(bilby.Likelihood):
        def log_likelihood(self, parameters):
            return burn(np.array([parameters[name] for name in NAMES]))

    bilby.core.utils.logger.setLevel(logging.ERROR)
    likelihood, priors = Likelihood(), bilby.core.prior.PriorDict({name: bilby.prior.Uniform(-5, 5) for name in NAMES})
    sampler = plugin.Kameleon(likelihood, priors, soft_init=True, meta_data={"likelihood": {}})
    settings = {"sampler": "kameleon", "save": False, "clean": True, "draws": 2000, **SHORT}
    return (
        lambda: bilby.run_sampler(likelihood, priors, **settings),
        lambda: [(sampler.log_prior(x), sampler.log_likelihood(x)) for x in POINTS],
    )


def by_cobaya(burn):
    """A whole call, and evaluations as any sampler of Cobaya makes them."""
    from cobaya.model import get_model
    from cobaya.run import run

    function = eval(f"lambda {', '.join(NAMES)}: burn(np.array([{', '.join(NAMES)}]))", {"burn": burn, "np": np})
    box = {name: {"prior": {"min": -5, "max": 5}} for name in NAMES}
    info = {"likelihood": {"b": {"external": function}}, "params": box, "debug": logging.ERROR}
    model = get_model(info)
    ours = {"sampler": {"kameleon": {"draws": 2000, **SHORT}}}
    return lambda: run({**info, **ours}), lambda: [model.logposterior(x) for x in POINTS]


def by_pints(burn):
    """A whole call, and one of a method that does nothing."""
    import pints

    import kameleon.pints as plugin

    class Density(pints.LogPDF):
        def n_parameters(self):
            return len(NAMES)

        def __call__(self, x):
            return burn(x)

    class Idle(pints.SingleChainMCMC):
        def ask(self):
            return self._x0

        def tell(self, fx):
            return self._x0, fx, True

    def controller(method, iterations):
        np.random.seed(1)
        made = pints.MCMCController(Density(), 4, np.random.normal(size=(4, 6)), method=method)
        made.set_max_iterations(iterations)
        made.set_log_to_screen(False)
        return made

    made = controller(plugin.Kameleon, 6000)
    plugin.set_warmup(made, 4000)
    return made.run, controller(Idle, 1500).run


def by_pypesto(burn):
    """A whole call, and evaluations of the objective."""
    import pypesto
    import pypesto.sample

    from kameleon.pypesto import Kameleon

    logging.getLogger("pypesto").setLevel(logging.ERROR)
    problem = pypesto.Problem(objective=pypesto.Objective(fun=lambda x: -burn(x)), lb=[-5] * 6, ub=[5] * 6)
    return (
        lambda: pypesto.sample.sample(problem, 8000, Kameleon(SHORT)),
        lambda: [problem.objective(x) for x in POINTS],
    )


def besides(burn, run):
    """The processor time that a call needs besides the likelihood, in microseconds per evaluation."""
    burn.calls, burn.used = 0, 0.0
    before = time.process_time()
    run()
    return (time.process_time() - before - burn.used) / burn.calls * 1e6


def measured(call) -> tuple[int, float, float]:
    """The evaluations of a whole call, what it needs besides the likelihood, and the host's own part of that."""
    burn = Burning()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        whole_call, host_alone = call(burn)
        own = besides(burn, host_alone)
        spent = besides(burn, whole_call)
    return burn.calls, spent, own


def cost(turns: int = 5) -> None:
    """Processor time of a whole call of the host besides the likelihood's, and what is beyond the host's own calls.

    The hosts take turns; the medians are shown, and the least and most of what is beyond.
    """
    calls = (by_bilby, by_cobaya, by_pints, by_pypesto)
    found, load = {call: [] for call in calls}, []
    for _ in range(turns):
        for call in calls:
            found[call].append(measured(call))
            load.append(os.getloadavg()[0])
    print(f"{turns} turns; load average {min(load):.1f} to {max(load):.1f} on {os.cpu_count()} cores")
    print("| host | evaluations | µs per evaluation besides the likelihood | the host's own | beyond them |")
    print("|---|--:|--:|--:|--:|")
    for call, rows in found.items():
        evaluations, spent, own = np.array(rows).T
        beyond = spent - own
        shares = [f"{micros:.0f}, or {micros / 1000:.1%}" for micros in map(np.median, (spent, own, beyond))]
        reach = f"({beyond.min():.0f} to {beyond.max():.0f})"
        name = call.__name__.removeprefix("by_")
        print(f"| {name} | {evaluations[0]:.0f} | {' | '.join(shares)} {reach} |", flush=True)
