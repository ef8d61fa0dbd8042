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

OF_PINTS = ["set_warmup", "warmup", "set_sampler"]
# Module: title, how it is called, and its public names with the members shown. They are read without their hosts.
PLUGINS = {
    "bilby": ("bilby", '`bilby.run_sampler(..., sampler="kameleon")`', {"Kameleon": []}),
    "cobaya": ("Cobaya", "`sampler: {kameleon: }` in an input file", {"Kameleon": ["samples", "products"]}),
    "pints": (
        "PINTS",
        "`pints.MCMCController(..., method=kameleon.pints.Kameleon)`",
        {"Kameleon": OF_PINTS, "KameleonChain": OF_PINTS, "set_warmup": []},
    ),
    "pypesto": (
        "pyPESTO",
        "`pypesto.sample.sample(..., sampler=kameleon.pypesto.Kameleon())`",
        {"Kameleon": ["sample", "get_samples"]},
    ),
}


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
    return made | {f"reference/python/{module}.md": plugin(module) for module in PLUGINS}


def plugin(module: str) -> str:
    """The page of a plugin; an error names a public name that it leaves out."""
    title, about, names = PLUGINS[module]
    if missing := public(module) ^ set(names):
        raise ValueError(f"website/python_pages.py and kameleon.{module} differ in {', '.join(sorted(missing))}")
    page = f"# {title}\n\n{about}; [the guide](../../hosts.md#{module}) has an example.\n\n"
    for name, members in names.items():
        options = [f"members: {members or 'false'}", "inherited_members: true", "show_bases: false"]
        page += with_options(f"{module}.{name}", options)
    settings = PACKAGE / f"{module}.yaml"
    return f"{page}## Settings\n\n```yaml\n{settings.read_text()}```\n" if settings.exists() else page


def block(name: str) -> str:
    """What mkdocstrings replaces by signature and docstring."""
    if not (PACKAGE / f"{name}.py").exists():
        return f"::: kameleon.{name}\n\n"
    return with_options(name, ["show_root_heading: false", "heading_level: 2", "show_root_toc_entry: false"])


def with_options(name: str, options: list[str]) -> str:
    """The same, with other options than those of the site."""
    return f"::: kameleon.{name}\n    options:\n" + "".join(f"      {option}\n" for option in options) + "\n"


def public(module: str) -> set[str]:
    """The names in `__all__` of a module, read without running it."""
    tree = ast.parse((PACKAGE / f"{module}.py").read_text())
    lists = (node for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
    return {name for each in lists for name in ast.literal_eval(each.value)}
