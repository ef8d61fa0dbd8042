"""Packs the package and a library that cargo has built into a wheel.

`pip install .` builds wheels by maturin, in a build of its own. The tests use this instead, on the library that was
built together with all other crates, so that nothing is compiled twice:

    python python/make_wheel.py target/debug/libkameleon_py.so FOLDER
"""

import base64
import hashlib
import re
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main(library: Path, folder: Path) -> Path:
    """Writes the wheel and returns its path."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project = settings["project"]
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    info = f"kameleon-{version}.dist-info"
    package = ROOT / "python"
    packages = settings["tool"]["maturin"]["python-packages"]
    files = {
        str(path.relative_to(package)): path.read_bytes()
        for path in sorted(file for name in packages for file in (package / name).rglob("*"))
        if path.suffix in (".py", ".pyi", ".yaml") or path.name == "py.typed"
    }
    files["kameleon/_kameleon.abi3.so"] = library.read_bytes()
    tag = f"Wheel-Version: 1.0\nGenerator: make_wheel\nRoot-Is-Purelib: false\nTag: cp311-abi3-{platform}\n"
    files[f"{info}/WHEEL"] = tag.encode()
    files[f"{info}/METADATA"] = metadata(project, version).encode()
    files[f"{info}/entry_points.txt"] = entry_points(project).encode()
    files.update({f"{info}/licenses/{name}": (ROOT / name).read_bytes() for name in project["license-files"]})
    files[f"{info}/RECORD"] = record(files, f"{info}/RECORD").encode()
    wheel = folder / f"kameleon-{version}-cp311-abi3-{platform}.whl"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return wheel


def metadata(project: dict, version: str) -> str:
    """What pip wants to know."""
    lines = ["Metadata-Version: 2.4", "Name: kameleon", f"Version: {version}", f"Summary: {project['description']}"]
    lines.append(f"Requires-Python: {project['requires-python']}")
    lines += [f"Requires-Dist: {need}" for need in project["dependencies"]]
    return "\n".join(lines) + "\n"


def entry_points(project: dict) -> str:
    """The program, and how other packages find the plugins."""
    groups = ({"console_scripts": project["scripts"]} | project["entry-points"]).items()
    return "\n".join(f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in found.items()) for group, found in groups)


def record(files: dict[str, bytes], own: str) -> str:
    """The list of files with their checksums."""

    def line(name: str, content: bytes) -> str:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        return f"{name},sha256={digest},{len(content)}\n"

    return "".join(line(name, content) for name, content in files.items()) + f"{own},,\n"


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), Path(sys.argv[2])))
