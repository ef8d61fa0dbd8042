"""The samplers. Every setting is a keyword with the library's default; ``km.samplers.names()`` lists them.

>>> import kameleon as km
>>> km.KAMH(n=500, kernel=km.kernels.Matern(order=2.5)).name
'KAMH-LS'
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

from . import _kameleon
from .errors import SettingsError
from .kernels import Gaussian, Kernel

__all__ = ["AM", "AMPCA", "DEMCZ", "KAMH", "SM", "Kameleon", "KameleonPCA", "Sampler", "names"]

Until = Literal["warmup", "forever"]
Schedule = float | dict[str, Any]


def names() -> dict[str, str]:
    """Every sampler by its name in the paper, with a line about it.

    >>> import kameleon as km
    >>> "KAMH-LS" in km.samplers.names()
    True
    """
    return dict(_kameleon.samplers())


def _dashed(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings with their keys as the library stores them."""
    return {key.replace("_", "-"): value for key, value in settings.items()}


class Sampler:
    """A sampler and its settings: plain values, checked when it is made."""

    _kind: str

    def __init__(self, **settings: Any) -> None:
        given = json.dumps({self._kind: _dashed(settings)}, default=plain)
        self.name, self._json = _kameleon.check_sampler(given)
        """The sampler's name in the paper."""

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, as the library stores them.

        >>> import kameleon as km
        >>> km.SM(nu=0.5).settings
        {'nu': 0.5}
        """
        (settings,) = json.loads(self._json).values()
        return {key.replace("-", "_"): value for key, value in settings.items()}

    def __repr__(self) -> str:
        settings = ", ".join(f"{key}={value!r}" for key, value in self.settings.items())
        return f"{type(self).__name__}({settings})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sampler) and self._json == other._json

    def __hash__(self) -> int:
        return hash(self._json)


class Kameleon(Sampler):
    """The default: a learned metric, local Kameleon steps and jumps across the target, from ``n`` points of the past.

    The chains of a run learn together during the warm-up (``km.sample(..., pool=False)`` has each learn alone).
    """

    _kind = "kameleon"

    def __init__(self, *, n: int = 1000) -> None:
        super().__init__(n=n)


class SM(Sampler):
    """Standard Metropolis: isotropic steps of scale ``nu``, 2.38/√d if none is given."""

    _kind = "random-walk"

    def __init__(self, *, nu: float | None = None) -> None:
        super().__init__(nu=nu)


class AM(Sampler):
    """Adaptive Metropolis: a learned covariance, with learned scale (AM-LS) or the fixed 2.38/√d (AM-FS).

    ``variances`` is where the covariance starts from; mean and covariance learn from every ``every``-th state after
    ``discard`` iterations, with step sizes that fall as t to the minus ``covariance_power`` and ``scale_power``;
    ``ridge`` is added to the diagonal; ``until="forever"`` goes on learning after the warm-up.
    """

    _kind = "adaptive-metropolis"

    def __init__(
        self,
        *,
        learn_scale: bool = True,
        variances: Sequence[float] | None = None,
        mean_from_zero: bool = False,
        discard: int = 500,
        every: int = 1,
        covariance_power: float = 1.0,
        scale_power: float = 0.5,
        ridge: float = 1e-10,
        until: Until = "warmup",
    ) -> None:
        super().__init__(
            learn_scale=learn_scale,
            variances=variances,
            mean_from_zero=mean_from_zero,
            discard=discard,
            every=every,
            covariance_power=covariance_power,
            scale_power=scale_power,
            ridge=ridge,
            until=until,
        )


class AMPCA(Sampler):
    """Adaptive Metropolis along one principal direction of the learned covariance at a time."""

    _kind = "principal-components"

    def __init__(self, *, components: int | None = None, discard: int = 500, until: Until = "warmup") -> None:
        super().__init__(components=components, discard=discard, until=until)


class DEMCZ(Sampler):
    """DE-MC(Z): steps along differences of past states; not of the paper.

    The past starts with ``first`` states (ten for each dimension if none is given) and grows by every ``every``-th; a
    step is a snooker update with probability ``snooker`` and has factor 1 with probability ``whole``; ``noise`` is the
    sd of what is added to each coordinate.
    """

    _kind = "differential-evolution"

    def __init__(
        self,
        *,
        first: int | None = None,
        every: int = 10,
        snooker: float = 0.1,
        whole: float = 0.1,
        noise: float = 1e-6,
        until: Until = "warmup",
    ) -> None:
        super().__init__(first=first, every=every, snooker=snooker, whole=whole, noise=noise, until=until)


class KAMH(Sampler):
    """The Kameleon: a proposal whose covariance follows the local shape of the target around the current point.

    ``n`` points of the past make up z; ``gamma`` is the exploration term, in the target's own units, which falls with
    power ``gamma_decay`` of the number of adaptations; the scale ``nu2`` is learned (KAMH-LS) or stays as given (KAMH).
    ``bandwidth`` is "median" (learned), "fixed" (as given with the kernel) or a number. ``history="stored"`` keeps the
    whole past and draws z anew by ``schedule``, p_t: a probability, or {"power": a} for t^−a, or
    {"steps": [[t, p], …]}. With ``z`` these points are used and stay so.
    """

    _kind = "kamh"

    def __init__(
        self,
        *,
        learn_scale: bool = True,
        kernel: Kernel = Gaussian(),  # noqa: B008 (a frozen value)
        bandwidth: Literal["median", "fixed"] | float = "median",
        n: int = 1000,
        gamma: float = 0.2,
        gamma_decay: float = 0.0,
        nu2: float = 0.1,
        discard: int = 500,
        history: Literal["reservoir", "stored"] = "reservoir",
        schedule: Schedule = 1.0,
        until: Until = "warmup",
        z: Sequence[Sequence[float]] | None = None,
    ) -> None:
        super().__init__(**_kameleon_settings(locals()))


class KameleonPCA(Sampler):
    """PCA-Kameleon: steps along one of ``components`` kernel principal directions at a time; else as KAMH."""

    _kind = "kamh-pca"

    def __init__(
        self,
        *,
        components: int = 20,
        learn_scale: bool = True,
        kernel: Kernel = Gaussian(),  # noqa: B008 (a frozen value)
        bandwidth: Literal["median", "fixed"] | float = "median",
        n: int = 200,
        gamma: float = 0.2,
        gamma_decay: float = 0.0,
        nu2: float = 0.1,
        discard: int = 500,
        history: Literal["reservoir", "stored"] = "reservoir",
        schedule: Schedule = 1.0,
        until: Until = "warmup",
        z: Sequence[Sequence[float]] | None = None,
    ) -> None:
        super().__init__(components=components, kameleon=_dashed(_kameleon_settings(locals())))


_SHARED = ("learn_scale", "n", "gamma", "gamma_decay", "nu2", "discard", "history", "until", "z")


def _kameleon_settings(given: dict[str, Any]) -> dict[str, Any]:
    """What the two Kameleon samplers share, from the arguments of either."""
    schedule = given["schedule"]
    schedule = schedule if isinstance(schedule, dict) else {"constant": schedule}
    kernel, bandwidth = _kernel(given["kernel"], given["bandwidth"])
    return {**{key: given[key] for key in _SHARED}, "schedule": schedule, "kernel": kernel, "bandwidth": bandwidth}


def _kernel(kernel: Kernel, bandwidth: str | float) -> tuple[Any, str]:
    """The kernel with its bandwidth, and whether that is learned."""
    if not isinstance(kernel, Kernel):
        raise SettingsError("kernel", f"must be one of the classes of km.kernels, not {kernel!r}")
    if isinstance(bandwidth, str):
        return kernel._checked(), bandwidth
    try:
        return kernel._checked(float(bandwidth)), "fixed"
    except TypeError:
        raise SettingsError("bandwidth", f'must be "median", "fixed" or a number, not {bandwidth!r}') from None


def plain(value: Any) -> Any:
    """numpy's arrays and numbers as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} is no setting")
