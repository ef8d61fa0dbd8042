"""Frozen distributions of ``scipy.stats`` as priors: the built-in prior that is the same, or the distribution itself.

They are recognised by what they can do, so scipy is never imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, isfinite, isinf, log, nan, nextafter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._prior import Ends
from .errors import SettingsError

EXACT = 1e-12
"""How far the width of an interval may be off by the rounding of its ends."""


def is_frozen(prior: Any) -> bool:
    """Whether it is a frozen distribution of one variable."""
    return hasattr(prior, "dist") and (hasattr(prior, "logpmf") or _is_continuous(prior))


def _is_continuous(prior: Any) -> bool:
    return all(callable(getattr(prior, what, None)) for what in ("logpdf", "cdf", "sf", "ppf", "isf", "rvs", "support"))


def refusal(prior: Any) -> str | None:
    """Why it cannot be the prior of a parameter, if it cannot."""
    if not hasattr(prior, "dist") and hasattr(prior, "freeze"):
        return f"{_name(prior)} has no parameters yet: write scipy.stats.{_name(prior)}(...)"
    if not _is_continuous(prior):
        return f"{about(prior)} is discrete, and only continuous parameters can be sampled"
    if any(np.ndim(value) for value in [*prior.args, *prior.kwds.values()]):
        return f"{about(prior)} has arrays for parameters: give it by the name of an array parameter"
    if not np.all(np.less(*prior.support())):
        return f"{about(prior)} is no distribution: its parameters are not allowed"
    return None


def about(prior: Any) -> str:
    """The distribution as it was written.

    >>> from kameleon._scipy import about
    >>> import scipy.stats
    >>> about(scipy.stats.gamma(2, scale=3))
    'gamma(2, scale=3)'
    """
    values = [*map(str, getattr(prior, "args", ())), *(f"{k}={v}" for k, v in getattr(prior, "kwds", {}).items())]
    return f"{_name(prior)}({', '.join(values)})"


def _name(prior: Any) -> str:
    return str(getattr(getattr(prior, "dist", prior), "name", type(prior).__name__))


def split(prior: Any, shape: Sequence[int]) -> list[Any]:
    """The distribution of each entry of an array: one for all, unless its parameters are arrays of that shape."""
    size = int(np.prod(shape, dtype=int))
    given = [*prior.args, *prior.kwds.values()]
    if all(np.ndim(value) == 0 for value in given):
        return [prior] * size
    try:
        entries = [np.broadcast_to(value, shape).ravel() for value in given]
    except ValueError:
        raise ValueError(f"the parameters of {about(prior)} do not have the shape {tuple(shape)}") from None
    count = len(prior.args)
    return [
        prior.dist(*values[:count], **dict(zip(prior.kwds, values[count:], strict=True)))
        for values in zip(*entries, strict=True)
    ]


def built_in(prior: Any) -> str | None:
    """The text of the built-in prior with the same density; None if there is none."""
    write = _SAME.get(_name(prior))
    try:
        shapes, loc, scale = prior.dist._parse_args(*prior.args, **prior.kwds)
    except (AttributeError, TypeError):
        return None
    values = None if write is None else write(float(loc), float(scale), *map(float, shapes))
    if values is None or any(np.isnan(values[1:])):
        return None
    return f"{values[0]}({', '.join(repr(float(value)) for value in values[1:])})"


Same = tuple[Any, ...] | None
"""The name of a built-in prior and its parameters."""


def _at_zero(write: Callable[..., Same]) -> Callable[..., Same]:
    """For priors whose support begins at zero: they have no location."""
    return lambda loc, scale, *shapes: write(scale, *shapes) if loc == 0 else None


def _between(name: str, loc: float, scale: float, *at: float) -> Same:
    """Ends of an interval in units of the scale, if rounding leaves their distances as they are."""
    places = [loc + scale * each for each in at]
    for (a, x), (b, y) in zip(zip(at, places, strict=True), zip(at[1:], places[1:], strict=True), strict=False):
        if isfinite(y - x) and abs((y - x) - scale * (b - a)) > EXACT * scale * (b - a):
            return None
    return (name, *places)


def _truncated(loc: float, scale: float, a: float, b: float) -> Same:
    # The built-in prior computes the mass from the ends themselves.
    ends = [loc + scale * each for each in (a, b)]
    exact = all(isinf(each) or abs((x - loc) / scale - each) <= EXACT for each, x in zip((a, b), ends, strict=True))
    return ("truncated-normal", loc, scale, *ends) if exact else None


_SAME: dict[str, Callable[..., Same]] = {
    "norm": lambda loc, scale: ("normal", loc, scale),
    "t": lambda loc, scale, df: ("student-t", df, loc, scale) if isfinite(df) else ("normal", loc, scale),
    "cauchy": lambda loc, scale: ("cauchy", loc, scale),
    "uniform": lambda loc, scale: _between("uniform", loc, scale, 0.0, 1.0),
    "triang": lambda loc, scale, c: _between("triangular", loc, scale, 0.0, c, 1.0),
    "truncnorm": _truncated,
    "beta": lambda loc, scale, a, b: ("beta", a, b) if (loc, scale) == (0, 1) else None,
    "expon": _at_zero(lambda scale: ("exponential", 1 / scale)),
    "gamma": _at_zero(lambda scale, a: ("gamma", a, 1 / scale)),
    "erlang": _at_zero(lambda scale, a: ("gamma", a, 1 / scale)),
    "chi2": _at_zero(lambda scale, df: ("gamma", df / 2, 0.5 / scale)),
    "invgamma": _at_zero(lambda scale, a: ("inverse-gamma", a, scale)),
    "halfnorm": _at_zero(lambda scale: ("half-normal", scale)),
    "halfcauchy": _at_zero(lambda scale: ("half-cauchy", scale)),
    "lognorm": _at_zero(lambda scale, s: ("log-normal", log(scale), s)),
    "loguniform": _at_zero(lambda scale, a, b: ("log-uniform", a * scale, b * scale)),
    "reciprocal": _at_zero(lambda scale, a, b: ("log-uniform", a * scale, b * scale)),
}
"""How location, scale and shapes of scipy give the built-in prior, by the name of the distribution."""


@dataclass(frozen=True)
class Frozen:
    """A distribution within bounds, normalised there."""

    prior: Any
    lower: float
    upper: float
    log_mass: float

    @classmethod
    def within(cls, prior: Any, name: str, bounds: Ends) -> Frozen:
        """The prior of this parameter, cut by its bounds."""
        support = tuple(float(end) for end in prior.support())
        lower = support[0] if bounds[0] is None else max(support[0], bounds[0])
        upper = support[1] if bounds[1] is None else min(support[1], bounds[1])
        if (lower, upper) == support:
            return cls(prior, lower, upper, 0.0)
        mass = _mass(prior, lower, upper) if lower < upper else nan
        if not mass > 0:
            raise SettingsError("bounds", f"{name}: {about(prior)} has no mass within them")
        return cls(prior, lower, upper, log(mass))

    @property
    def bounds(self) -> Ends:
        """Where the density is positive."""
        return (None if isinf(self.lower) else self.lower, None if isinf(self.upper) else self.upper)

    @property
    def about(self) -> str:
        """As it was written."""
        return about(self.prior)

    def log_density(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """The log density at each of some values."""
        inside = (x >= self.lower) & (x <= self.upper)
        values = np.where(inside, self.prior.logpdf(x) - self.log_mass, -np.inf)
        # An end of the support where the density is infinite does not belong to it.
        return np.where(np.isposinf(values), -np.inf, values)

    def draw(self, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
        """Independent draws, strictly inside."""
        if self.log_mass == 0:
            values = self.prior.rvs(size=count, random_state=rng)
        elif _is_far(self.prior, self.lower):
            values = self.prior.isf(self.prior.sf(self.lower) - rng.random(count) * exp(self.log_mass))
        else:
            values = self.prior.ppf(self.prior.cdf(self.lower) + rng.random(count) * exp(self.log_mass))
        ends = nextafter(self.lower, np.inf), nextafter(self.upper, -np.inf)
        return np.clip(np.asarray(values, dtype=float), *ends)


def _is_far(prior: Any, x: float) -> bool:
    """Whether the upper tail is the smaller one, and so known better."""
    return bool(prior.cdf(x) > 0.5)


def _mass(prior: Any, lower: float, upper: float) -> float:
    """The probability of an interval, without cancellation in the tails."""
    if _is_far(prior, lower):
        return float(prior.sf(lower) - prior.sf(upper))
    return float(prior.cdf(upper) - prior.cdf(lower))
