"""There is one version: Cargo.toml, the package, CITATION.cff, the recipe and CHANGELOG.md agree."""

import importlib.util
import re
import shutil

import pytest
from conftest import ROOT

import kameleon as km

spec = importlib.util.spec_from_file_location("release", ROOT / "python/release.py")
release = importlib.util.module_from_spec(spec)
spec.loader.exec_module(release)


@pytest.fixture
def copy(tmp_path):
    """A folder with every file that has the version in it."""
    for name in [*release.PLACES, "CHANGELOG.md"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_every_place_has_the_version_of_the_package():
    assert release.disagreements() == []
    assert release.version() == km.__version__


def test_every_crate_of_the_workspace_takes_the_version_from_one_place():
    crates = [path for path in ROOT.glob("crates/*/Cargo.toml")]
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
    assert release.disagreements(copy, "v9.8.7") == []
    assert "the tag is v9.8.6, and should be v9.8.7" in release.disagreements(copy, "v9.8.6")
    before = (ROOT / "CHANGELOG.md").read_text().split("## [Unreleased]\n")[1].split("\n## [")[0].strip()
    assert release.notes(copy) == before


def test_a_changelog_that_is_ahead_of_the_version_is_noticed(copy):
    release.write("9.8.7", copy)
    file = copy / "CHANGELOG.md"
    file.write_text(file.read_text().replace("## [9.8.7]", "## [9.10.0]"))
    assert release.disagreements(copy) == ["CHANGELOG.md ends with 9.10.0, Cargo.toml has 9.8.7"]
