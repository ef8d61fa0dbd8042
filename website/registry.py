"""The reference of samplers, kernels, targets and priors, from the program's own registry."""

from __future__ import annotations

import json
import subprocess
from typing import Any

Entry = dict[str, Any]

USE = {
    "samplers": '`--sampler NAME:KEY=VALUE,…`, `sampler = "…"` in a run file, `sampler=km.samplers.…` in Python',
    "kernels": '`--kernel NAME:KEY=VALUE,…`, `kernel = "…"` of a sampler, `kernel=km.kernels.…` in Python',
    "targets": '`--target NAME:KEY=VALUE,…`, `target = "…"` in a run file, `km.targets.…` in Python',
}
NOTE = "This page is made from the registry of the program: `kameleon list` prints the same.\n"


def pages(program: str) -> dict[str, str]:
    """Each page by its path."""
    found = subprocess.run([program, "list", "--json"], check=True, capture_output=True, text=True).stdout
    registry: dict[str, list[Entry]] = json.loads(found)
    made = {
        f"reference/{kind}.md": f"# {kind.capitalize()}\n\n{NOTE}\nUse: {use}.\n\n" + listed(registry[kind])
        for kind, use in USE.items()
    }
    made["reference/targets.md"] += "## Posteriors of real data\n\n" + listed(registry["posteriors"], "###")
    made["reference/priors.md"] = f"# Priors\n\n{NOTE}\n" + priors(registry["priors"])
    return made


def listed(entries: list[Entry], heading: str = "##") -> str:
    """A section for each entry, with tables of its settings and parameters."""
    return "".join(section(entry, heading) for entry in entries)


def section(entry: Entry, heading: str) -> str:
    """An entry: what it is, its class in Python, its settings, and the priors of its parameters."""
    text = f"{heading} {entry['name']}\n\n{capital(entry['about'])}.\n"
    if "class" in entry:
        text += f"In Python: `{entry['class']}`.\n"
    text += "\n"
    if entry["settings"]:
        text += "| setting | default | range | meaning |\n|---|---|---|---|\n"
        text += "".join(setting(each) for each in entry["settings"]) + "\n"
    else:
        text += "It has no settings.\n\n"
    if entry.get("parameters"):
        text += "| parameter | prior |\n|---|---|\n"
        text += "".join(f"| `{each['name']}` | `{each['prior']}` |\n" for each in entry["parameters"]) + "\n"
    return text


def setting(each: Entry) -> str:
    """A row of the table of settings."""
    kind = each["type"]
    words = " or ".join(f"`{word}`" for word in kind["word"]) if isinstance(kind, dict) and "word" in kind else ""
    return (
        f"| `{each['key']}` | {default(each['default'])} | {cell(words or each['range'])} | {cell(each['about'])} |\n"
    )


def default(value: Any) -> str:
    """The default as it would be written."""
    if value is None:
        return "–"
    if isinstance(value, dict):
        rest = ",".join(f"{key}={inner}" for key, inner in value.items() if key != "name")
        return f"`{value.get('name', '')}{':' if rest and value.get('name') else ''}{rest}`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def priors(entries: list[Entry]) -> str:
    """The table of priors."""
    rows = (f"| `{each['name']}({', '.join(each['parameters'])})` | {cell(each['about'])} |\n" for each in entries)
    return "| prior | meaning |\n|---|---|\n" + "".join(rows)


def cell(text: str) -> str:
    """Text within a table."""
    return text.replace("|", "\\|")


def capital(text: str) -> str:
    """A sentence begins with a capital letter, a formula does not."""
    return text[0].upper() + text[1:] if text[:2].isalpha() else text
