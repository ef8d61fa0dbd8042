"""The samplers. Settings are keyword arguments; ``km.samplers.names()`` lists the samplers.

>>> import kameleon as km
>>> km.KAMH(n=500, kernel=km.kernels.Matern(order=2.5)).name
'KAMH-LS'
"""

from __future__ import annotations

import json

from . import _kameleon, _samplers
from ._sampler import Sampler
from ._samplers import *  # noqa: F403

__all__ = ["Sampler", "names"]
__all__ += _samplers.__all__


def names() -> dict[str, str]:
    """The names of all samplers, each with a description.

    >>> import kameleon as km
    >>> "KAMH-LS" in km.samplers.names()
    True
    """
    return {entry["name"]: entry["about"] for entry in json.loads(_kameleon.registry())["samplers"]}
