"""The samplers. Every setting is a keyword with the library's default; ``km.samplers.names()`` lists them.

>>> import kameleon as km
>>> km.KAMH(n=500, kernel=km.kernels.Matern(order=2.5)).name
'KAMH-LS'
"""

from __future__ import annotations

import json

from . import _kameleon
from ._registry import AM, AMPCA, DEMCZ, KAMH, SM, Kameleon, KameleonPCA
from ._sampler import Sampler

__all__ = ["AM", "AMPCA", "DEMCZ", "KAMH", "SM", "Kameleon", "KameleonPCA", "Sampler", "names"]


def names() -> dict[str, str]:
    """Every sampler by its name in the paper, with a line about it.

    >>> import kameleon as km
    >>> "KAMH-LS" in km.samplers.names()
    True
    """
    return {entry["name"]: entry["about"] for entry in json.loads(_kameleon.registry())["samplers"]}
