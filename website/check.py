"""Checks a built site: every link, anchor and file that its pages name is there, and nothing is fetched from elsewhere.

>>> wrong_in({"a.html": '<a href="b.html#x">b</a>', "b.html": '<p id="y">'})
['a.html: b.html has no anchor #x']
>>> wrong_in({"a.html": '<img src="https://example.org/a.png"><a href="https://b.org">fine</a><a href="c.html">c</a>'})
['a.html: fetches https://example.org/a.png', 'a.html: c.html does not exist']
>>> wrong_in({"a/b.html": '<a href="../c.html#y">c</a><a href="#here"></a>', "c.html": '<p id="y">'})
['a/b.html: a/b.html has no anchor #here']
"""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LINKS = {("a", "href")}
FETCHED = {("img", "src"), ("script", "src"), ("link", "href"), ("source", "srcset"), ("iframe", "src")}


class Page(HTMLParser):
    """The anchors of a page, and what it names."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag, name) == ("a", "name"):
                self.anchors.add(value)
            elif (tag, name) in LINKS:
                self.links.append(value)
            elif (tag, name) in FETCHED and ("rel", "canonical") not in attrs:
                self.fetched.append(value)


def wrong_in(texts: Mapping[str, str], others: frozenset[str] = frozenset()) -> list[str]:
    """What is wrong with pages, by their paths; `others` are the files besides."""
    pages = {path: Page(text) for path, text in texts.items()}
    found: list[str] = []
    for path, page in pages.items():
        for target in page.fetched:
            if urlsplit(target).netloc:
                found.append(f"{path}: fetches {target}")
            else:
                found += missing(path, target, pages, others)
        for target in page.links:
            if not urlsplit(target).scheme:
                found += missing(path, target, pages, others)
    return found


def missing(path: str, target: str, pages: Mapping[str, Page], others: frozenset[str]) -> list[str]:
    """What a link of a page leads to and is not there."""
    parts = urlsplit(target)
    if parts.scheme == "data":
        return []
    file = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(parts.path))) if parts.path else path
    file = "index.html" if file == "." else file
    if file not in pages and file not in others:
        return [f"{path}: {file} does not exist"]
    # The theme's own "back to top" and the like are anchors without a name.
    if parts.fragment and file in pages and unquote(parts.fragment) not in pages[file].anchors:
        return [f"{path}: {file} has no anchor #{parts.fragment}"]
    return []


def main(folder: Path) -> int:
    """Prints what is wrong and tells the exit code."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    texts = {name: path.read_text() for name, path in files.items() if name.endswith(".html") and name != "404.html"}
    found = wrong_in(texts, frozenset(files))
    if not (folder / "search" / "search_index.js").exists():
        found.append("search/search_index.js does not exist: the search does not work from the disk")
    print("\n".join(found) if found else f"{len(texts)} pages: all links, anchors and files are there")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
