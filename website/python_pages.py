"""The pages of the Python reference: which public names stand on which. The texts are the docstrings."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "kameleon"

# Page: title, a line about it, and names of the package; a module stands for all its public names.
PAGES = {
    "sampling": ("Sampling", "From a log density to a result.", ["sample", "resume", "load", "Periodic"]),
    "results": ("Results", "Draws, what happened on the way, and figures of them.", ["Result", "Thinned", "summary"]),
    "samplers": ("Samplers", "Passed as `sampler=`; the default is `km.Kameleon()`.", ["samplers"]),
    "kernels": ("Kernels", "For the samplers of the paper; they add and multiply.", ["kernels"]),
    "targets": ("Targets", "Built-in targets, and targets that need no Python.", ["targets"]),
    "evidence": (
        "Evidence and modes",
        "What the default sampler knows beyond the draws.",
        ["Evidence", "Reweighted", "reweight", "Mode", "Population", "PopulationSummary"],
    ),
    "chains": ("Chains step by step", "Ask for a point, tell its log density.", ["Chain", "Step", "Ensemble"]),
    "diagnostics": ("Diagnostics", "For draws from anywhere.", ["diagnose"]),
    "errors": (
        "Errors",
        "What goes wrong has a class; all are `KameleonError`.",
        [
            "KameleonError", "SettingsError", "StartError", "ParameterError", "TargetError", "EvaluationError",
            "StoreError", "KameleonWarning",
        ],
    ),
}  # fmt: skip


def pages() -> dict[str, str]:
    """Each page by its path; an error names a public name that stands on none."""
    # The classes of samplers are on the page of their module.
    elsewhere = public("_samplers") | {"Sampler", "__version__"}
    missing = public("__init__") - elsewhere - {name for _, _, names in PAGES.values() for name in names}
    if missing:
        raise ValueError(f"website/python_pages.py has no page for {', '.join(sorted(missing))}")
    made = {}
    for page, (title, about, names) in PAGES.items():
        blocks = "".join(block(name) for name in names)
        made[f"reference/python/{page}.md"] = f"# {title}\n\n{about}\n\n{blocks}"
    return made


def block(name: str) -> str:
    """What mkdocstrings replaces by signature and docstring."""
    if not (PACKAGE / f"{name}.py").exists():
        return f"::: kameleon.{name}\n\n"
    options = ["show_root_heading: false", "heading_level: 2", "show_root_toc_entry: false"]
    return f"::: kameleon.{name}\n    options:\n" + "".join(f"      {option}\n" for option in options) + "\n"


def public(module: str) -> set[str]:
    """The names in `__all__` of a module, read without running it."""
    tree = ast.parse((PACKAGE / f"{module}.py").read_text())
    lists = (node for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
    return {name for each in lists for name in ast.literal_eval(each.value)}
