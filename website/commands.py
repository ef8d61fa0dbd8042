"""The reference of the program's commands, from its own help."""

from __future__ import annotations

import html
import re
import subprocess

ENTRY = re.compile(r"^ {2,6}(?P<term>[-<\[\w].*?)(?: {2,}(?P<about>\S.*))?$")


def page(program: str) -> str:
    """The page: the commands, then each with its arguments and options."""
    top = sections(program)
    text = "# Commands\n\nMade from the help of the program: `kameleon COMMAND --help` prints the same.\n\n"
    commands = {term: about for term, about in entries(top["Commands"]) if term != "help"}
    text += "| command | what it does |\n|---|---|\n"
    text += "".join(f"| [`{name}`](#{name}) | {html.escape(about)} |\n" for name, about in commands.items())
    text += f"\n{html.escape(' '.join(top['end'].split()))}\n\n"
    for name, about in commands.items():
        parts = sections(program, name)
        usage = " ".join(parts["Usage"].split())
        text += f"## {name}\n\n{html.escape(about)}.\n\n```text\n{usage}\n```\n\n"
        for title in ("Arguments", "Options"):
            told = [(term, what) for term, what in entries(parts.get(title, "")) if "--help" not in term]
            text += "".join(f"`{term}`\n:   {html.escape(what) or 'See above.'}\n\n" for term, what in told)
    return text


def sections(program: str, *command: str) -> dict[str, str]:
    """The parts of a help text by their titles; `end` is what follows the options."""
    told = subprocess.run([program, *command, "--help"], check=True, capture_output=True, text=True).stdout
    found: dict[str, str] = {"end": ""}
    title = "about"
    for line in told.splitlines():
        if match := re.match(r"^(Usage|Commands|Arguments|Options):(.*)$", line):
            title = match[1]
            found[title] = match[2] + "\n"
        elif line and not line.startswith(" ") and "Options" in found:
            title = "end"
            found[title] += line + "\n"
        else:
            found[title] = found.get(title, "") + line + "\n"
    return found


def entries(text: str) -> list[tuple[str, str]]:
    """Terms and what is said of them; what is said may go on below."""
    found: list[tuple[str, str]] = []
    for line in text.splitlines():
        if match := ENTRY.match(line):
            found.append((match["term"], match["about"] or ""))
        elif line.strip() and found:
            term, about = found[-1]
            found[-1] = (term, f"{about} {line.strip()}".strip())
    return found
