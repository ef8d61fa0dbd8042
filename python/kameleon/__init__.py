"""Gradient-free sampling of difficult posteriors: curved, ring-shaped, badly scaled, noisy.

>>> import kameleon as km
>>> def log_density(x):
...     return -(x[0] ** 2) / 200 - (x[1] - 0.1 * (x[0] ** 2 - 100)) ** 2 / 2
>>> result = km.sample(log_density, [0.0, 0.0], draws=5000, warmup=10_000, chains=4, seed=42)
>>> len(result.summary())
2
"""

from typing import Any as _Any

from . import diagnose, kernels, samplers, summary, targets
from ._kameleon import __version__
from .chain import Chain, Step
from .ensemble import Ensemble
from .errors import (
    EvaluationError,
    KameleonError,
    KameleonWarning,
    ParameterError,
    SettingsError,
    StartError,
    StoreError,
    TargetError,
)
from .evidence import Evidence, Reweighted, reweight
from .parameters import Periodic
from .population import Mode, Population, PopulationSummary
from .result import Result
from .samplers import AM, AMPCA, DEMCZ, KAMH, KMC, MALA, PMALA, SM, Kameleon, KameleonPCA, Sampler
from .sampling import load, resume, sample
from .thinning import Thinned

__all__ = [
    "AM",
    "AMPCA",
    "DEMCZ",
    "KAMH",
    "KMC",
    "MALA",
    "PMALA",
    "SM",
    "Chain",
    "Ensemble",
    "EvaluationError",
    "Evidence",
    "Kameleon",
    "KameleonError",
    "KameleonPCA",
    "KameleonWarning",
    "Mode",
    "ParameterError",
    "Periodic",
    "Population",
    "PopulationSummary",
    "Result",
    "Reweighted",
    "Sampler",
    "SettingsError",
    "StartError",
    "Step",
    "StoreError",
    "TargetError",
    "Thinned",
    "__version__",
    "diagnose",
    "kernels",
    "load",
    "resume",
    "reweight",
    "sample",
    "samplers",
    "summary",
    "targets",
]


def get_cobaya_class() -> _Any:
    """The sampler that Cobaya finds by ``sampler: {kameleon: }``; Cobaya is imported only here."""
    from .cobaya import Kameleon

    return Kameleon
