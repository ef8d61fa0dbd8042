"""What all targets that need no Python have in common."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from . import _kameleon


class Target:
    """A log density that chains evaluate on threads of their own, without the interpreter."""

    def _model(self) -> dict[str, Any]:
        """The section ``model`` of a run's settings."""
        raise NotImplementedError

    def _native(self, names: Sequence[str] = ()) -> _kameleon.Target:
        """The target of the Rust side."""
        return _kameleon.Target.open(json.dumps({"model": self._model(), "parameters": list(names)}))

    def _names(self) -> list[str]:
        """The names of the parameters, where the target knows them."""
        native = self._native()
        return native.names(native.dim or 0)
