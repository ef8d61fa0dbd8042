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

README = (ROOT / "README.md").read_text()
NO_ADDRESS = "Cargo.toml has no repository: python python/release.py repository URL"


@pytest.fixture
def copy(tmp_path):
    """A folder with every file that has the version in it."""
    for pattern in {*release.PLACES, *release.ADDRESS, *release.INSTALL, "CHANGELOG.md"}:
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
    release.write_address("https://github.com/someone/kameleon", copy)
    release.write("9.8.7", copy)
    assert release.disagreements(copy, "v9.8.7") == []
    crates = [tomllib.loads(path.read_text()) for path in copy.glob("crates/*/Cargo.toml")]
    assert len(crates) > 5 and all(crate["package"]["repository"] == {"workspace": True} for crate in crates)
    urls = tomllib.loads((copy / "pyproject.toml").read_text())["project"]["urls"]
    assert urls == {
        "Repository": "https://github.com/someone/kameleon",
        "Documentation": "https://someone.github.io/kameleon/",
    }
    assert tomllib.loads((copy / "pyproject.toml").read_text())["project"]["scripts"]
    with pytest.raises(SystemExit, match="there is an address already"):
        release.write_address("https://github.com/someone/kameleon", copy)


def test_the_links_of_the_readme_lead_somewhere_wherever_it_is_read(copy):
    if "repository" in release.package():
        assert release.relative_links() == []
        return
    links = release.relative_links()
    headings = {"#" + title.lower().replace(" ", "-") for title in re.findall("^## (.*)", README, re.MULTILINE)}
    assert len(links) > 20
    assert [link for link in links if link not in headings and not (ROOT / link.split("#")[0]).exists()] == []
    release.write_address("https://github.com/someone/kameleon", copy)
    assert release.relative_links(copy) == []
    text = (copy / "README.md").read_text()
    for link in ("/blob/main/docs/models.md#posteriors-of-real-data", "/blob/main/examples/python", "#how-it-compares"):
        assert f"](https://github.com/someone/kameleon{link})" in text
    (copy / "README.md").write_text(text + "[a new one](docs/new.md)")
    assert release.disagreements(copy) == ["README.md has the link docs/new.md, which is dead on PyPI"]


@pytest.mark.parametrize("page", release.INSTALL)
def test_a_release_is_installed_from_pypi(copy, page):
    texts, now = release.INSTALL[page], (copy / page).read_text()
    assert [before for before, after in texts.items() if before not in now and after not in now] == []
    release.write("9.8.7", copy)
    then = (copy / page).read_text()
    assert [text for text in ("pip install .", "pip install '.", "--path crates", "PyPI yet") if text in then] == []
    assert "pip install kameleon" in then
    assert [after for after in texts.values() if after not in then] == []
    release.write("9.8.8", copy)
    assert (copy / page).read_text() == then
