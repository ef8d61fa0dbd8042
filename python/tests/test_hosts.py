"""The plugins without their hosts; with them they are tested by `make test-hosts`."""

import importlib
import subprocess
import sys
import tomllib

import pytest
from conftest import ROOT

HOSTS = ("bilby", "cobaya", "pints", "pypesto")


@pytest.mark.parametrize("host", HOSTS)
def test_a_plugin_without_its_host_says_what_to_install(host, monkeypatch):
    monkeypatch.setitem(sys.modules, host, None)
    monkeypatch.delitem(sys.modules, f"kameleon.{host}", raising=False)
    with pytest.raises(ImportError, match=rf"needs the package {host}: pip install 'kameleon\[{host}\]'"):
        importlib.import_module(f"kameleon.{host}")


def test_importing_the_package_imports_no_host():
    script = f"import sys, kameleon\nassert not set(sys.modules) & {set(HOSTS)!r}\nassert kameleon.get_cobaya_class"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


def test_every_plugin_is_an_extra_and_at_most_250_lines():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for host in HOSTS:
        assert extras[host][0].startswith(host)
        assert len((ROOT / f"python/kameleon/{host}.py").read_text().splitlines()) <= 250
