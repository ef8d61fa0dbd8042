"""The exceptions and warnings of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .result import Result


class KameleonError(Exception):
    """The base class of all exceptions of this package."""


class SettingsError(KameleonError, ValueError):
    """An argument is not allowed; nothing was run.

    >>> import kameleon as km
    >>> try:
    ...     km.KAMH(gamma="large")
    ... except km.SettingsError as error:
    ...     print(error.setting)
    gamma
    """

    def __init__(self, setting: str, what: str) -> None:
        super().__init__(setting, what)
        self.setting = setting
        """The argument."""
        self.what = what
        """What is wrong with it, and what is allowed."""

    def __str__(self) -> str:
        return f"{self.setting}: {self.what}"


class StartError(KameleonError, ValueError):
    """A chain cannot start at its starting point; nothing was run."""


class EvaluationError(KameleonError, ValueError):
    """A target has no value at a point, or a chain was told a value that it did not ask for."""


class ParameterError(KameleonError, KeyError):
    """There is no parameter of that name, or nothing is known of it."""

    def __str__(self) -> str:
        # Without the quotes that KeyError puts around its text.
        return str(self.args[0])


class StoreError(KameleonError, OSError):
    """A run on disk cannot be created, read or resumed."""


class KameleonWarning(UserWarning):
    """Something about a run that needs attention."""


class TargetError(KameleonError, RuntimeError):
    """The log density could no longer be evaluated. The draws so far are in ``result``.

    If the user's function raised an exception, it is ``__cause__``.

    >>> import kameleon as km
    >>> def fragile(x):
    ...     if abs(x[0]) > 2:
    ...         raise RuntimeError("the simulator crashed")
    ...     return -0.5 * x[0] ** 2
    >>> try:
    ...     km.sample(fragile, [0.0], sampler=km.SM(), warmup=0, draws=10_000, chains=1, seed=1)
    ... except km.TargetError as error:
    ...     print(error.__cause__, "after", error.result.draws.shape[1] > 0)
    the simulator crashed after True
    """

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message)
        self.result = result
        """The draws so far."""
