"""Makes the classes of the package's samplers, kernels and built-in targets from the registry of the Rust library.

    kameleon list --json | python python/generate.py     # or `make python-registry`

A test checks that what it makes is what is there.
"""

import json
import sys
import textwrap
from pathlib import Path

HEAD = '''"""The samplers, kernels and built-in targets of the library.

Made from the registry of the Rust library by ``make python-registry``: not to be edited.
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


def module(registry):
    """The text of the module."""
    kernels = [data_class(entry, "Profile") for entry in registry["kernels"]]
    targets = [data_class(entry, "BuiltInTarget") for entry in registry["targets"]]
    targets += [data_class(entry, "PosteriorTarget") for entry in registry["posteriors"] if entry["class"]]
    samplers = {}
    for entry in registry["samplers"]:
        samplers.setdefault(entry["class"], []).append(entry)
    classes = [*kernels, *(sampler(entries) for entries in samplers.values()), *targets]
    return "\n\n".join([HEAD, *classes])


def data_class(entry, base):
    """A class whose instances are values."""
    lines = ["@dataclass(frozen=True)", f"class {entry['class']}({base}):", *docstring([entry])]
    lines += [f"    {argument(setting)}" for setting in entry["settings"]]
    return "\n".join([*lines, f'    _name = "{entry["name"]}"', ""])


def sampler(entries):
    """The class of a sampler; entries that share it differ in their defaults."""
    first = entries[0]
    lines = [f"class {first['class']}(Sampler):", *docstring(entries), f'    _name = "{first["name"]}"', ""]
    lines += ["    def __init__(", "        self,", "        *,"]
    lines += [f"        {argument(setting, ',')}" for setting in first["settings"]]
    lines += ["    ) -> None:", "        super().__init__("]
    names = [name(setting) for setting in first["settings"]]
    lines += [f"            {key}={key}," for key in names]
    return "\n".join([*lines, "        )", ""])


def docstring(entries):
    """What it is, and a line for each setting."""
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


def argument(setting, end=""):
    """A setting in a signature."""
    kind, default = setting["type"], setting["default"]
    words = isinstance(kind, dict)
    annotation = f"Literal[{', '.join(json.dumps(word) for word in kind['word'])}]" if words else TYPES[kind]
    optional = " | None" if setting["optional"] else ""
    if kind == "kernel":
        return f"{name(setting)}: {annotation} = Gaussian(){end}  # noqa: B008 (a frozen value)"
    value = json.dumps(default) if isinstance(default, str) else repr(default)
    return f"{name(setting)}: {annotation}{optional} = {value}{end}"


def name(setting):
    return setting["key"].replace("-", "_")


if __name__ == "__main__":
    Path(__file__).with_name("kameleon").joinpath("_registry.py").write_text(module(json.load(sys.stdin)))
