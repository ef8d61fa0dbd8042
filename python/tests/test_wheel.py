"""The wheel as users meet it: in an environment of its own and without Rust, it is a package and a program.

The wheel is that of KAMELEON_WHEEL, or the one that `make test-python` has made.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
import venv
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT

WINDOWS = sys.platform == "win32"
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHORT = ["sample", "--dim", "2", "--warmup", "700", "--draws", "100", "--quiet"]


def the_wheel():
    """The wheel that is tested; skipped with a note where there is none."""
    named = os.environ.get("KAMELEON_WHEEL")
    found = [Path(named)] if named else sorted((ROOT / "target/wheels").glob("*.whl"))
    if not found:
        pytest.skip("there is no wheel in target/wheels, so none is tested: make test-python")
    assert len(found) == 1, found
    return found[0].resolve()


class Installed:
    """An environment with the wheel and what it depends on, and nothing else."""

    def __init__(self, folder, wheel):
        venv.create(folder / "venv", with_pip=True)
        self.folder = folder
        self.bin = folder / "venv" / ("Scripts" if WINDOWS else "bin")
        self.runs("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel))

    def start(self, command, *arguments):
        """A command of the environment, in a folder of its own and without Rust, or this Python's packages, around."""
        path = [part for part in os.environ["PATH"].split(os.pathsep) if "cargo" not in part and "venv" not in part]
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        environment["PATH"] = os.pathsep.join([str(self.bin), *path])
        environment["PYTHONIOENCODING"] = "utf-8"  # which pipes on Windows are not by themselves
        pipe = subprocess.PIPE
        command = [str(self.bin / (command + ".exe" if WINDOWS else command)), *arguments]
        return subprocess.Popen(command, cwd=self.folder, env=environment, encoding="utf-8", stdout=pipe, stderr=pipe)

    def runs(self, command, *arguments, code=0):
        """What a command prints; what it says on standard error where it is meant to fail."""
        process = self.start(command, *arguments)
        out, said = process.communicate(timeout=600)
        assert process.returncode == code, (arguments, out, said)
        return out if code == 0 else said


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    return Installed(tmp_path_factory.mktemp("installed"), the_wheel())


def test_the_quickstart_of_the_readme_runs_from_the_wheel(installed):
    block = re.search(r"```python\n(import kameleon as km\n.*?)```", README, re.DOTALL)
    lines = [line for line in block[1].splitlines() if "arviz" not in line]  # which is a package of its own
    assert len(lines) > 4, lines
    shown = installed.runs("python", "-c", "\n".join(lines))
    assert re.search(r"^x2 ", shown, re.MULTILINE) and "R-hat" in shown, shown


def test_the_program_of_the_wheel_is_of_the_same_version_and_makes_the_same_draws(installed):
    version = installed.runs("python", "-c", "import kameleon; print(kameleon.__version__)")
    version = f"kameleon {version}"
    assert installed.runs("kameleon", "--version") == version
    assert installed.runs("python", "-m", "kameleon", "--version") == version
    installed.runs("kameleon", *SHORT, "--out", "by-program")
    script = """import kameleon as km
banana = km.targets.Banana(2)
ours = km.sample(banana, warmup=700, draws=100, seed=1)
assert (km.load("by-program").draws == ours.draws).all()
"""
    installed.runs("python", "-c", script)


def test_the_program_of_the_wheel_writes_reports_and_prints_json(installed):
    installed.runs("kameleon", *SHORT, "--out", "reported")
    installed.runs("kameleon", "report", "reported")
    assert "<html" in (installed.folder / "reported/report.html").read_text(encoding="utf-8")
    assert json.loads(installed.runs("kameleon", "summary", "reported", "--json"))["parameters"]


def test_the_program_of_the_wheel_does_not_import_numpy(installed):
    script = "import sys, kameleon_program; sys.argv[1:] = ['--version']; kameleon_program.main()"
    assert "numpy" not in installed.runs("python", "-c", script + "; print(*sys.modules)")


def test_wrong_use_ends_the_program_of_the_wheel_with_code_2(installed):
    assert "Usage: kameleon" in installed.runs("kameleon", "sampel", code=2)
    said = installed.runs("kameleon", "sample", "--dim", "0", code=2)
    assert said.startswith("error: ") and "Traceback" not in said, said


@pytest.mark.skipif(WINDOWS, reason="Ctrl-C is no signal on Windows")
def test_ctrl_c_keeps_the_draws_of_the_program_of_the_wheel(installed):
    run = installed.folder / "long"
    long = installed.start("kameleon", *SHORT[:-3], "--draws", "100000000", "--out", "long")
    journals = [run / f"chain-{chain}.journal" for chain in range(4)]

    def all_have_draws():
        return all(file.exists() and file.stat().st_size > 250_000 for file in journals)

    wait_until(lambda: long.poll() is not None or all_have_draws())
    long.send_signal(signal.SIGINT)
    _, said = long.communicate(timeout=60)
    assert long.returncode == 130 and "to resume: kameleon resume long" in said, said
    assert "Traceback" not in said, said
    assert json.loads(installed.runs("kameleon", "summary", "long", "--json"))["draws"] > 1000


@pytest.mark.skipif(WINDOWS, reason="Ctrl-C is no signal on Windows")
def test_ctrl_c_ends_commands_that_have_nothing_to_keep(installed):
    (installed.folder / "fifo").mkdir()
    pipe = installed.folder / "fifo/run.toml"
    os.mkfifo(pipe)
    # A job in the background of a shell ignores Ctrl-C, and the program would inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    waiting = installed.start("kameleon", "sample", str(pipe))
    signal.signal(signal.SIGINT, before)
    writer = os.open(pipe, os.O_WRONLY)  # returns when the program has begun to read
    waiting.send_signal(signal.SIGINT)
    _, said = waiting.communicate(timeout=60)
    os.close(writer)
    assert waiting.returncode == -signal.SIGINT and said == "", said


def test_the_wheel_brings_its_licences():
    names = zipfile.ZipFile(the_wheel()).namelist()
    licences = {name.split("licenses/")[1] for name in names if "licenses/" in name}
    assert licences == {"LICENSE-APACHE", "LICENSE-MIT", "crates/kameleon-study/fonts/LICENSE"}


def test_uninstalling_leaves_nothing_behind(installed):
    # The last of the tests, which all share one environment.
    ours = [path for path in (installed.folder / "venv").rglob("*kameleon*") if path.suffix != ".pyc"]
    assert len(ours) > 3
    installed.runs("python", "-m", "pip", "uninstall", "--quiet", "--yes", "kameleon")
    assert [path for path in ours if path.exists()] == []


def wait_until(reached, seconds=60):
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.05)
