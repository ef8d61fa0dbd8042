"""What MkDocs calls while it builds the site: pages that are generated, links out of docs/, formulas."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))

import commands
import formulas
import notebook
import python_pages
import registry
from github_markdown import as_python_markdown, with_titles

ROOT = Path(__file__).resolve().parent.parent
ASSETS = Path(__file__).parent / "assets"
NOTEBOOKS = ROOT / "examples" / "python"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Adds to the how-to guides every page of docs/ that the navigation does not name."""
    named = set(re.findall(r"[\w/.-]+\.md", str(config.nav)))
    paths = (path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md"))
    others = sorted(path for path in paths if path not in named)
    guides: list[Any] = next(entry["How-to guides"] for entry in config.nav or [] if "How-to guides" in entry)
    guides += others
    config.repo_url = repository()
    config.watch += [str(NOTEBOOKS), str(ASSETS)]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the notebooks, the reference and the assets."""
    program = os.environ["KAMELEON"]
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        page, pictures = notebook.to_markdown(path)
        files.append(File.generated(config, f"tutorials/{path.stem}.md", content=page))
        for name, picture in pictures.items():
            files.append(File.generated(config, f"tutorials/{name}", content=picture))
    pages = registry.pages(program) | {"reference/commands.md": commands.page(program)} | python_pages.pages()
    for name, content in pages.items():
        files.append(File.generated(config, name, content=content))
    for asset in sorted(ASSETS.iterdir()):
        files.append(File.generated(config, f"assets/{asset.name}", abs_src_path=str(asset)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links out of docs/ lead to the tutorial, to the public repository, or nowhere; lists are as GitHub reads them."""

    def followed(link: re.Match[str]) -> str:
        text, target = link["text"], link["target"]
        if (tutorial := Path(target)).parent == Path("examples/python") and (ROOT / target).exists():
            return f"[{text}](tutorials/{tutorial.stem}.md)"
        if not (ROOT / target).exists():
            raise ValueError(f"{page.file.src_uri} links to {target}, which does not exist")
        return f"[{text}]({config.repo_url}/tree/main/{target})" if config.repo_url else text

    # What is generated is as Python-Markdown wants it.
    if page.file.generated_by:
        return markdown
    linked = re.sub(r"\[(?P<text>[^\]]+)\]\(\.\./(?P<target>[^)#]+)\)", followed, markdown)
    return as_python_markdown(with_titles(linked, titles(config.nav)))


def titles(nav: Any) -> dict[str, str]:
    """What the navigation calls each page.

    >>> titles([{"Home": "index.md"}, {"Guides": [{"Runs": "runs.md"}, "other.md"]}])
    {'index.md': 'Home', 'runs.md': 'Runs'}
    """
    if isinstance(nav, list):
        return {page: title for entry in nav for page, title in titles(entry).items()}
    found = {}
    for title, pages in nav.items() if isinstance(nav, dict) else ():
        found.update({pages: title} if isinstance(pages, str) else titles(pages))
    return found


def on_page_content(html: str, **_: Any) -> str:
    """Formulas become MathML, which browsers draw without a script."""
    return formulas.to_mathml(html)


def repository() -> str | None:
    """Where the sources are public, as Cargo.toml says."""
    package = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"].get("package", {})
    found: str | None = package.get("repository")
    return found
