"""An executed notebook as a Markdown page with its stored outputs. Nothing is run."""

from __future__ import annotations

import base64
import html
import json
import re
from pathlib import Path
from typing import Any

from github_markdown import as_python_markdown

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def to_markdown(path: Path) -> tuple[str, dict[str, bytes]]:
    """The page, and its pictures by their names."""
    cells: list[dict[str, Any]] = json.loads(path.read_text())["cells"]
    pictures: dict[str, bytes] = {}
    parts: list[str] = []
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(as_python_markdown(source))
        elif cell["cell_type"] == "code" and source.strip():
            if cell["execution_count"] is None:
                raise ValueError(f"{path.name} was not executed: run `make notebooks`")
            parts.append(f"```python\n{source}\n```")
            parts += [shown(output, path.stem, pictures) for output in cell["outputs"]]
    parts.insert(1, f'<p class="download" markdown>This page is <code>examples/python/{path.name}</code>.</p>')
    return "\n\n".join(part for part in parts if part) + "\n", pictures


def shown(output: dict[str, Any], stem: str, pictures: dict[str, bytes]) -> str:
    """An output: a picture, a table as HTML, or text."""
    if output["output_type"] == "error":
        raise ValueError(f"{stem}: a cell ended with {output['ename']}: {output['evalue']}")
    if output["output_type"] == "stream":
        text = "".join(output["text"])
        if output["name"] == "stderr" and re.search("Kameleon|Runtime", text):
            raise ValueError(f"{stem}: a cell gave a warning: {text}")
        return as_text(text) if output["name"] == "stdout" else ""
    data = output["data"]
    if "image/png" in data:
        name = f"{stem}-{len(pictures) + 1}.png"
        pictures[name] = base64.b64decode("".join(data["image/png"]))
        return f"![figure {len(pictures)} of this notebook]({name}){{: .output }}"
    # What brings a style of its own, as that of xarray, is shown as text.
    if "text/html" in data and "<style" not in "".join(data["text/html"]):
        body = re.sub(r"\n\s*", "\n", "".join(data["text/html"])).strip()
        return f'<div class="output">\n{body}\n</div>'
    return as_text("".join(data.get("text/plain", [])))


def as_text(text: str) -> str:
    """Printed text, as it is."""
    text = html.escape(ANSI.sub("", text).rstrip(), quote=False)
    return f'<pre class="output">{text}</pre>' if text else ""
