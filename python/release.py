"""The version number: it stands in Cargo.toml, and every place that repeats it agrees.

python python/release.py check [TAG]      all places agree, and CHANGELOG.md has a section for the tag
python python/release.py set VERSION      writes a new version, closes the section Unreleased of CHANGELOG.md, and has
                                          README and docs install from PyPI
python python/release.py notes            prints the section of CHANGELOG.md on this version, with full addresses
python python/release.py repository URL   writes the address of the repository to all files that tell it, once, and to
                                          the links of README, which is shown on PyPI too
"""

import datetime
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Where the version stands; in each, what is before it.
PLACES = {
    "Cargo.toml": r'^(?:version = |kameleon(?:-\w+)? = \{ path = "[^"]+", version = )"',
    "CITATION.cff": r"^version: ",
    "recipe/recipe.yaml": r'^  version: "',
    "r/DESCRIPTION": r"^Version: ",
}
# Where the address of the repository belongs, and that of the documentation: the line before it, and what is written.
ADDRESS = {
    "Cargo.toml": ("[workspace.package]\n", 'repository = "URL"\n'),
    "crates/*/Cargo.toml": ("license.workspace = true\n", "repository.workspace = true\n"),
    "pyproject.toml": ('"Typing :: Typed",\n]\n', '\n[project.urls]\nRepository = "URL"\nDocumentation = "SITE"\n'),
    "CITATION.cff": ("type: software\n", 'repository-code: "URL"\n'),
    "recipe/recipe.yaml": ("about:\n", "  homepage: URL\n"),
}
# How to install it: what is said before the first release, and after it.
INSTALL = {
    "README.md": {
        "In a clone, with Rust 1.90 or later, this command builds": "With Python 3.11 or later, these commands install",
        "the program and samples a strongly": "the program and sample a strongly",
        "```sh\ncargo run --release -- sample\n": "```sh\npip install kameleon\nkameleon sample\n",
        "cargo run --release -- ": "kameleon ",
        "cargo install --path crates/kameleon-cli": "cargo install kameleon-cli",
        "pip install .": "pip install kameleon",
        "It builds them, with Rust, in some minutes. Nothing is on PyPI yet.": "No Rust is needed.",
    },
    "docs/start.md": {
        "In a clone, with Rust 1.90 or later and Python 3.11 or later:": "With Python 3.11 or later:",
        "pip install .\n": "pip install kameleon\n",
        "It builds them, which takes some minutes.": "No Rust is needed.",
        "cargo install --path crates/kameleon-cli": "cargo install kameleon-cli",
    },
    "docs/python.md": {
        "pip install .          # in a clone; needs Rust 1.90 or later and": "pip install kameleon   # needs",
    },
    "docs/hosts.md": {
        "pip install .            # in a clone, as in python.md": "pip install kameleon",
        "pip install '.[bilby]'": "pip install 'kameleon[bilby]'",
    },
}
# A link that is dead outside of the repository.
RELATIVE = r"(?<=\]\()(?!https?://)[^)\s]+(?=\))"
NUMBER = r"\d+\.\d+\.\d+"


def package(root: Path = ROOT) -> dict[str, str]:
    """What all crates have in common."""
    return tomllib.loads((root / "Cargo.toml").read_text())["workspace"]["package"]


def version(root: Path = ROOT) -> str:
    """The version of everything that is published from here."""
    return package(root)["version"]


def disagreements(root: Path = ROOT, tag: str | None = None) -> list[str]:
    """What is wrong, in words; nothing if all places agree, with the tag too."""
    expected, wrong = version(root), []
    for name, before in PLACES.items():
        found = re.findall(f"{before}({NUMBER})", (root / name).read_text(), re.MULTILINE)
        wrong += [f"{name} has version {other}, Cargo.toml {expected}" for other in found if other != expected]
        if not found:
            wrong.append(f"{name} has no version")
    released = re.findall(rf"^## \[({NUMBER})\]", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    if released and number(released[0]) > number(expected):
        wrong.append(f"CHANGELOG.md ends with {released[0]}, Cargo.toml has {expected}")
    if "repository" in package(root):
        wrong += [f"README.md has the link {link}, which is dead on PyPI" for link in relative_links(root)]
    if tag is not None and tag != f"v{expected}":
        wrong.append(f"the tag is {tag}, and should be v{expected}")
    if tag is not None and "repository" not in package(root):
        wrong.append("Cargo.toml has no repository: python python/release.py repository URL")
    if tag is not None and expected not in released:
        wrong.append(f"CHANGELOG.md has no section on {expected}: python python/release.py set {expected}")
    return wrong


def write(new: str, root: Path = ROOT) -> None:
    """Writes the version to all its places, gives what is unreleased its name, and says how a release is installed."""
    for name, before in PLACES.items():
        file = root / name
        file.write_text(re.sub(f"({before}){NUMBER}", rf"\g<1>{new}", file.read_text(), flags=re.MULTILINE))
    changes = root / "CHANGELOG.md"
    heading = f"## [Unreleased]\n\n## [{new}] - {datetime.date.today().isoformat()}\n"
    changes.write_text(changes.read_text().replace("## [Unreleased]\n", heading, 1))
    for name, texts in INSTALL.items():
        page = (root / name).read_text()
        for before, after in texts.items():
            page = page.replace(before, after)
        (root / name).write_text(page)


def write_address(url: str, root: Path = ROOT) -> None:
    """Writes the address of the repository to all its places, none of which has one yet, and to the links of README."""
    site = re.sub(r"https://github\.com/([^/]+)/(.+)", r"https://\1.github.io/\2/", url)
    for pattern, (line, addition) in ADDRESS.items():
        for file in root.glob(pattern):
            text = file.read_text()
            if text.count(line) != 1 or addition.split("URL")[0] in text:
                sys.exit(f"{file}: there is an address already, or no place for it")
            file.write_text(text.replace(line, line + addition.replace("URL", url).replace("SITE", site)))
    readme = root / "README.md"
    readme.write_text(absolute(readme.read_text(), url))


def relative_links(root: Path = ROOT) -> list[str]:
    """The links of README that lead nowhere on PyPI and crates.io."""
    return re.findall(RELATIVE, (root / "README.md").read_text())


def absolute(text: str, url: str) -> str:
    """The same text with full addresses for links to headings of README, and to files of the repository."""
    return re.sub(RELATIVE, lambda link: url + ("" if link[0].startswith("#") else "/blob/main/") + link[0], text)


def notes(root: Path = ROOT) -> str:
    """What CHANGELOG.md says about this version."""
    section = re.search(
        rf"^## \[{re.escape(version(root))}\][^\n]*\n(.*?)(?=^## \[|\Z)",
        (root / "CHANGELOG.md").read_text(),
        re.MULTILINE | re.DOTALL,
    )
    if section is None:
        sys.exit(f"CHANGELOG.md has no section on {version(root)}")
    return section[1].strip()


def number(text: str) -> tuple[int, ...]:
    """A version as numbers, which can be compared."""
    return tuple(map(int, text.split(".")))


def main(arguments: list[str]) -> None:
    """What the command line asks for."""
    match arguments:
        case ["check", *tags] if len(tags) < 2:
            if wrong := disagreements(tag=tags[0] if tags else None):
                sys.exit("\n".join(wrong))
        case ["set", new] if re.fullmatch(NUMBER, new):
            write(new)
        case ["repository", url] if url.startswith("https://"):
            write_address(url.rstrip("/"))
        case ["notes"]:
            print(absolute(notes(), package().get("repository", "")))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
