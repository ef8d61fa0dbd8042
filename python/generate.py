"""Generates the classes of samplers, kernels and built-in targets from the registry of the Rust library.

    kameleon list --json | python python/generate.py     # or `make python-registry`

A test checks that the generated file is up to date.
"""

import json
import sys
import textwrap
from pathlib import Path

HEAD = '''"""The samplers, kernels and built-in targets of the library.

Generated from the registry of the Rust library by ``make python-registry``; do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ._kernel import Kernel, Profile
from ._sampler import Sampler
from .target import BuiltInTarget, PosteriorTarget
'''

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


def module(registry):
    """The text of the module."""
    samplers = {}
    for entry in registry["samplers"]:
        samplers.setdefault(entry["class"], []).append(entry)
    posteriors = [entry for entry in registry["posteriors"] if entry["class"]]
    classes = [data_class(VALUE, "Profile", [entry]) for entry in registry["kernels"]]
    classes += [data_class(SAMPLER, "Sampler", entries) for entries in samplers.values()]
    classes += [data_class(VALUE, "BuiltInTarget", [entry]) for entry in registry["targets"]]
    classes += [data_class(VALUE, "PosteriorTarget", [entry]) for entry in posteriors]
    return "\n\n".join([HEAD, *classes])


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
        return f"{name(setting)}: {annotation} = Gaussian()"
    value = json.dumps(default) if isinstance(default, str) else repr(default)
    return f"{name(setting)}: {annotation}{optional} = {value}"


def name(setting):
    return setting["key"].replace("-", "_")


if __name__ == "__main__":
    Path(__file__).with_name("kameleon").joinpath("_registry.py").write_text(module(json.load(sys.stdin)))
