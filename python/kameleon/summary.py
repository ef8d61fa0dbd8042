"""The summary table of a run, for terminals, notebooks and programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from .errors import ParameterError
from .parameters import unknown

if TYPE_CHECKING:
    from .evidence import Evidence
    from .population import Mode

COLUMNS = {
    "mean": "mean",
    "sd": "sd",
    "mcse_mean": "MCSE",
    "q5": "5%",
    "q50": "50%",
    "q95": "95%",
    "ess_bulk": "ESS bulk",
    "ess_tail": "ESS tail",
    "r_hat": "R-hat",
}


NO_DRAWS = "There are no draws yet: the run has not come to the end of its warm-up."


class Summary:
    """The summary of each parameter, a verdict, and the evidence of a run.

    >>> import numpy as np
    >>> import kameleon as km
    >>> table = km.diagnose.summary(np.random.default_rng(1).normal(size=(4, 1000, 1)), ["a"])
    >>> sorted(table["a"]) == sorted([*km.summary.COLUMNS, "name"])
    True
    """

    def __init__(
        self,
        values: str,
        text: str,
        *,
        evidence: Evidence | None = None,
        modes: Sequence[Mode] = (),
        caution: str | None = None,
        names: Sequence[str] = (),
        warnings: Sequence[str] = (),
        has_draws: bool = True,
    ) -> None:
        found = json.loads(values)
        summary = found["summary"]
        self.parameters: list[dict[str, Any]] = [_with_nan(parameter) for parameter in summary["parameters"]]
        """A dictionary for each parameter."""
        self.converged: bool = summary["verdict"]["converged"]
        """Whether every R-hat is at most 1.01, every ESS at least 100 per chain, and nothing else against the draws."""
        self.messages: list[str] = summary["verdict"]["messages"]
        """What is wrong, and what would help."""
        self.remarks: list[str] = summary["verdict"]["remarks"]
        """What else to know of the run, which says nothing against its draws."""
        self.tails_checked: bool = summary["verdict"]["tails_checked"]
        """Whether the draws of every parameter were compared with the log densities at them. If not, tails that all
        chains missed would not have been seen."""
        self.goal: str | None = summary["verdict"]["goal"]
        """The goal of the run (``until``), if it was reached."""
        self.evidence = evidence
        """The evidence; None where there are no jump proposals, from which it comes."""
        self.modes = list(modes)
        """The modes that a population found, the heaviest first."""
        self.caution = caution
        """Where one mode was found: how narrow another may be that was missed."""
        self.warnings = list(warnings)
        """The warnings of the run."""
        self._headline: str = found["headline"]
        self._has_draws = has_draws
        self._text = text.rstrip("\n") if has_draws else NO_DRAWS
        self._names = list(names) or [parameter["name"] for parameter in self.parameters]

    def __getitem__(self, name: str) -> dict[str, Any]:
        for number, parameter in zip(self._names, self.parameters, strict=True):
            if name in (parameter["name"], number):
                return parameter
        raise ParameterError(unknown(name, [parameter["name"] for parameter in self.parameters]))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)

    def to_dataframe(self) -> Any:
        """The table as a pandas DataFrame, with a row for each parameter."""
        try:
            import pandas
        except ImportError:
            raise ImportError("summary().to_dataframe() needs pandas: pip install pandas") from None
        rows = [[parameter[column] for column in COLUMNS] for parameter in self.parameters]
        index = pandas.Index([parameter["name"] for parameter in self.parameters], name="parameter")
        return pandas.DataFrame(rows, index=index, columns=list(COLUMNS))

    def __repr__(self) -> str:
        lines = [str(self.evidence)] if self.evidence is not None and self._has_draws else []
        if len(self.modes) > 1:
            lines += ["modes by weight:", *(f"  {mode}" for mode in self.modes)]
        lines += [] if self.caution is None else [self.caution]
        lines += [f"warning: {warning}" for warning in self.warnings]
        return "\n".join([self._text, "", *lines]) if lines else self._text

    def _repr_html_(self) -> str:
        warnings = "".join(f"<p>warning: {escape(warning)}</p>" for warning in self.warnings)
        if not self._has_draws:
            return f"<p>{NO_DRAWS}</p>{warnings}"
        lines = self._text.split("\n\n")[0].splitlines()
        cells = [[cell.strip() for cell in line.rsplit(None, len(COLUMNS))] for line in lines[2:]]
        head = "".join(f"<th>{title}</th>" for title in ["", *COLUMNS.values()])
        rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in cells)
        notes = "".join(f"<li>{escape(message)}</li>" for message in [*self.messages, *self.remarks])
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        evidence = "" if self.evidence is None else f"<p>{escape(str(self.evidence))}</p>"
        modes = "".join(f"<li>{escape(str(mode))}</li>" for mode in self.modes) if len(self.modes) > 1 else ""
        found = f"<p>Modes by weight:</p><ul>{modes}</ul>" if modes else ""
        found += "" if self.caution is None else f"<p>{escape(self.caution)}</p>"
        return f"{table}<p><b>{escape(self._headline)}</b></p><ul>{notes}</ul>{evidence}{found}{warnings}"


def _with_nan(values: dict[str, Any]) -> dict[str, Any]:
    """JSON has no NaN: null stands for it."""
    return {key: float("nan") if value is None else value for key, value in values.items()}
