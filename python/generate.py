"""Generates the classes of samplers, kernels and built-in targets from the registry of the Rust library.

    kameleon list --json | python python/generate.py     # or `make python-registry`

A test checks that the generated files are up to date.
"""

import json
import sys
import textwrap
from pathlib import Path

HEAD = """{about}

Generated from the registry of the Rust library by ``make python-registry``; do not edit.
\"""

from __future__ import annotations

{imports}

__all__ = {names}
"""

IMPORTS = {
    "kernels": "from dataclasses import dataclass\n\nfrom ._kernel import Profile",
    "samplers": "from collections.abc import Sequence\nfrom dataclasses import dataclass\n"
    "from typing import Any, Literal\n\nfrom ._kernel import Kernel\n"
    "from ._kernels import Gaussian\nfrom ._sampler import Sampler",
    "targets": "from collections.abc import Sequence\nfrom dataclasses import dataclass\n\n"
    "from .target import BuiltInTarget, ExactTarget, PosteriorTarget",
}

TYPES = {
    "number": "float",
    "whole": "int",
    "flag": "bool",
    "numbers": "Sequence[float]",
    "points": "Sequence[Sequence[float]]",
    "kernel": "Kernel",
    "bandwidth": 'Literal["median", "fixed"] | float',
    "schedule": "float | dict[str, Any]",
}


VALUE = "@dataclass(frozen=True)"
SAMPLER = "@dataclass(frozen=True, kw_only=True, repr=False, eq=False)"


def modules(registry):
    """The text of each generated module, by its name."""
    samplers = {}
    for entry in registry["samplers"]:
        samplers.setdefault(entry["class"], []).append(entry)
    posteriors = [entry for entry in registry["posteriors"] if entry["class"]]
    classes = {
        "kernels": {entry["class"]: data_class(VALUE, "Profile", [entry]) for entry in registry["kernels"]},
        "samplers": {name: data_class(SAMPLER, "Sampler", entries) for name, entries in samplers.items()},
        "targets": {entry["class"]: data_class(VALUE, "BuiltInTarget", [entry]) for entry in registry["targets"]}
        | {entry["class"]: data_class(VALUE, posterior(entry), [entry]) for entry in posteriors},
    }
    return {f"_{kind}.py": module(kind, found) for kind, found in classes.items()}


def posterior(entry):
    """The base class of a posterior: with priors of its parameters, or with the prior in its density."""
    return "ExactTarget" if "parameters" in entry else "PosteriorTarget"


def module(kind, classes):
    """The text of one module."""
    names = [f"    {json.dumps(name)},\n" for name in sorted(classes, key=lambda name: (not name.isupper(), name))]
    about = f'"""The built-in {kind} of the library.'
    head = HEAD.format(about=about, imports=IMPORTS[kind], names="[\n" + "".join(names) + "]")
    return "\n\n".join([head, *classes.values()])


def data_class(decorator, base, entries):
    """The class of one entry, or of several that differ in their defaults only."""
    first = entries[0]
    lines = [decorator, f"class {first['class']}({base}):", *docstring(entries)]
    lines += [f"    {argument(setting)}" for setting in first["settings"]]
    return "\n".join([*lines, f'    _name = "{first["name"]}"', ""])


def docstring(entries):
    """The description of the class, and a line for each setting."""
    about = ". ".join(f"{entry['name']}: {entry['about']}" for entry in entries)
    lines = textwrap.wrap(f'"""{about}.', 116)
    if "parameters" in entries[0]:
        priors = ", ".join(f"{parameter['name']} ~ {parameter['prior']}" for parameter in entries[0]["parameters"])
        lines += ["", *textwrap.wrap(f"Parameters and priors: {priors}.", 116)]
        return [*(f"    {line}".rstrip() for line in lines), '    """', ""]
    if not entries[0]["settings"]:
        return [*(f"    {line}" for line in lines[:-1]), f'    {lines[-1]}"""', ""]
    lines += ["", "Args:"]
    for setting in entries[0]["settings"]:
        allowed = f" ({setting['range']})" if setting["range"] else ""
        lines += textwrap.wrap(
            f"{name(setting)}: {setting['about']}{allowed}", 112, initial_indent="    ", subsequent_indent="        "
        )
    return [*(f"    {line}".rstrip() for line in lines), '    """', ""]


def argument(setting):
    """A setting as a field."""
    kind, default = setting["type"], setting["default"]
    words = isinstance(kind, dict)
    annotation = f"Literal[{', '.join(json.dumps(word) for word in kind['word'])}]" if words else TYPES[kind]
    optional = " | None" if setting["optional"] else ""
    if kind == "kernel":
        return f"{name(setting)}: {annotation} = Gaussian()  # noqa: RUF009 (a frozen value)"
    value = json.dumps(default) if isinstance(default, str) else repr(default)
    return f"{name(setting)}: {annotation}{optional} = {value}"


def name(setting):
    return setting["key"].replace("-", "_")


if __name__ == "__main__":
    for file, text in modules(json.load(sys.stdin)).items():
        Path(__file__).with_name("kameleon").joinpath(file).write_text(text)
