"""PyMC models: the log density, and its gradient where needed, as functions of one vector of the free variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _kameleon
from .errors import SettingsError
from .parameters import _entries
from .problem import Problem


def problem(model: Any, reject: bool) -> Problem:
    """A PyMC model as a problem; chains move in the space of its transformed variables."""
    import pymc

    point = model.initial_point()
    free = [variable.name for variable in model.value_vars]
    if not free:
        raise SettingsError("log_density", "the PyMC model has no free variables; is everything observed?")
    discrete = [variable.name for variable in model.value_vars if variable.dtype.startswith(("int", "uint", "bool"))]
    if discrete:
        what = f"{', '.join(discrete)}: only continuous variables can be sampled; marginalise discrete ones"
        raise SettingsError("log_density", what)
    ravelled = pymc.blocking.DictToArrayBijection.map({name: np.asarray(point[name], dtype=float) for name in free})
    names = [entry for name in free for entry in _entries(name, np.shape(point[name]))]
    about = f"the PyMC model {model.name or 'of ' + ', '.join(rv.name for rv in model.free_RVs)}"
    back = ToModel(model, ravelled.point_map_info)
    return Problem(
        {"external": about, "noisy": False},
        names,
        native=_kameleon.Target.callable(_log_density(model, point), False, 0, reject, Gradient(model, point)),
        attached=True,
        pymc=model,
        start=[np.asarray(ravelled.data, dtype=float).tolist()],
        back=back,
        dims={name: list(dims) for name, dims in model.named_vars_to_dims.items() if None not in dims},
        coords={name: list(values) for name, values in model.coords.items() if values is not None},
    )


def _joined(model: Any, point: dict[str, Any]) -> tuple[Any, Any]:
    """The model's log density, and the vector of its variables, as expressions."""
    from pymc.pytensorf import join_nonshared_inputs

    floats = {name: np.asarray(value, dtype=float) for name, value in point.items()}
    outputs, joined = join_nonshared_inputs(
        point=floats, outputs=[model.logp()], inputs=model.value_vars, shared_inputs={}
    )
    return outputs[0], joined


def _log_density(model: Any, point: dict[str, Any]) -> Callable[[NDArray[np.float64]], float]:
    """The model's log density as a function of one vector, compiled without gradients."""
    import pymc

    output, joined = _joined(model, point)
    compiled = pymc.pytensorf.compile([joined], output)
    compiled.trust_input = True
    return compiled  # type: ignore[no-any-return]


class Gradient:
    """The gradient of the model's log density, compiled when it is first asked for: few samplers need it."""

    def __init__(self, model: Any, point: dict[str, Any]) -> None:
        self._model, self._point = model, point
        self._compiled: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None

    def __call__(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._compiled is None:
            import pymc
            from pytensor.gradient import grad

            output, joined = _joined(self._model, self._point)
            self._compiled = pymc.pytensorf.compile([joined], grad(output, joined))
        return np.asarray(self._compiled(x), dtype=float)


class ToModel:
    """Transforms draws back to the model's variables, deterministic ones included."""

    def __init__(self, model: Any, layout: Any) -> None:
        from pymc.util import get_default_varnames

        self._layout = layout
        self._outputs = list(get_default_varnames(model.unobserved_value_vars, include_transformed=False))
        self._function = model.compile_fn(self._outputs, inputs=model.value_vars, on_unused_input="ignore")
        values = self._function(model.initial_point())
        shapes = {v.name: np.shape(value) for v, value in zip(self._outputs, values, strict=True)}
        self.names: Sequence[str] = [entry for name, shape in shapes.items() for entry in _entries(name, shape)]

    def __call__(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        import pymc

        rows = np.empty((len(points), len(self.names)))
        for row, x in zip(rows, points, strict=True):
            raveled = pymc.blocking.RaveledVars(x, self._layout)
            values = self._function(pymc.blocking.DictToArrayBijection.rmap(raveled))
            row[:] = np.concatenate([np.ravel(value) for value in values])
        return rows
