"""There is one version: Cargo.toml, the package, CITATION.cff, the recipe, the R package and CHANGELOG.md agree."""

import importlib.util
import re
import shutil
import tomllib

import pytest
from conftest import ROOT

import kameleon as km

spec = importlib.util.spec_from_file_location("release", ROOT / "python/release.py")
release = importlib.util.module_from_spec(spec)
spec.loader.exec_module(release)

NO_ADDRESS = "Cargo.toml has no repository: python python/release.py repository URL"


@pytest.fixture
def copy(tmp_path):
    """A folder with every file that has the version in it."""
    for pattern in {*release.PLACES, *release.ADDRESS, "CHANGELOG.md"}:
        for file in ROOT.glob(pattern):
            made = tmp_path / file.relative_to(ROOT)
            made.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, made)
    return tmp_path


def test_every_place_has_the_version_of_the_package():
    assert release.disagreements() == []
    assert release.version() == km.__version__


def test_every_crate_of_the_workspace_takes_the_version_from_one_place():
    crates = list(ROOT.glob("crates/*/Cargo.toml"))
    assert len(crates) > 5
    assert [path for path in crates if "version.workspace = true" not in path.read_text()] == []


@pytest.mark.parametrize("place", release.PLACES)
def test_a_place_with_another_version_is_named(copy, place):
    file = copy / place
    old = re.search(f"{release.PLACES[place]}{release.NUMBER}", file.read_text(), re.MULTILINE)
    start, end = old.span()
    text = file.read_text()
    file.write_text(text[:start] + re.sub(release.NUMBER, "7.0.0", old[0]) + text[end:])
    said = release.disagreements(copy)
    assert said and all("7.0.0" in line for line in said), said


def test_a_new_version_is_written_everywhere_and_closes_the_changelog(copy):
    assert release.disagreements(copy, "v9.8.7") != []
    release.write("9.8.7", copy)
    assert release.version(copy) == "9.8.7"
    assert release.disagreements(copy, "v9.8.7") == [NO_ADDRESS] * ("repository" not in release.package())
    assert "the tag is v9.8.6, and should be v9.8.7" in release.disagreements(copy, "v9.8.6")
    before = (ROOT / "CHANGELOG.md").read_text().split("## [Unreleased]\n")[1].split("\n## [")[0].strip()
    assert release.notes(copy) == before


def test_a_changelog_that_is_ahead_of_the_version_is_noticed(copy):
    release.write("9.8.7", copy)
    file = copy / "CHANGELOG.md"
    file.write_text(file.read_text().replace("## [9.8.7]", "## [9.10.0]"))
    assert release.disagreements(copy) == ["CHANGELOG.md ends with 9.10.0, Cargo.toml has 9.8.7"]


@pytest.mark.skipif("repository" in release.package(), reason="the address of the repository is known")
def test_one_command_writes_the_address_of_the_repository_everywhere(copy):
    release.write_address("https://example.org/kameleon", copy)
    release.write("9.8.7", copy)
    assert release.disagreements(copy, "v9.8.7") == []
    crates = [tomllib.loads(path.read_text()) for path in copy.glob("crates/*/Cargo.toml")]
    assert len(crates) > 5 and all(crate["package"]["repository"] == {"workspace": True} for crate in crates)
    urls = tomllib.loads((copy / "pyproject.toml").read_text())["project"]["urls"]
    assert urls == {"Repository": "https://example.org/kameleon"}
    assert tomllib.loads((copy / "pyproject.toml").read_text())["project"]["scripts"]
    with pytest.raises(SystemExit, match="there is an address already"):
        release.write_address("https://example.org/kameleon", copy)
