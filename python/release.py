"""The version number: it stands in Cargo.toml, and every place that repeats it agrees.

    python python/release.py check [TAG]      all places agree, and CHANGELOG.md has a section for the tag
    python python/release.py set VERSION      writes a new version, and closes the section Unreleased of CHANGELOG.md
    python python/release.py notes            prints the section of CHANGELOG.md on this version
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
}
NUMBER = r"\d+\.\d+\.\d+"


def version(root: Path = ROOT) -> str:
    """The version of everything that is published from here."""
    return tomllib.loads((root / "Cargo.toml").read_text())["workspace"]["package"]["version"]


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
    if tag is not None and tag != f"v{expected}":
        wrong.append(f"the tag is {tag}, and should be v{expected}")
    if tag is not None and expected not in released:
        wrong.append(f"CHANGELOG.md has no section on {expected}: python python/release.py set {expected}")
    return wrong


def write(new: str, root: Path = ROOT) -> None:
    """Writes the version to all its places, and gives what is unreleased its name."""
    for name, before in PLACES.items():
        file = root / name
        file.write_text(re.sub(f"({before}){NUMBER}", rf"\g<1>{new}", file.read_text(), flags=re.MULTILINE))
    changes = root / "CHANGELOG.md"
    heading = f"## [Unreleased]\n\n## [{new}] - {datetime.date.today().isoformat()}\n"
    changes.write_text(changes.read_text().replace("## [Unreleased]\n", heading, 1))


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
        case ["notes"]:
            print(notes())
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
