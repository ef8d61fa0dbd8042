"""The console script `kameleon`: it runs the program that is in the package's extension module.

It stands beside the package because importing `kameleon` would import numpy, which takes longer than many commands.
"""

import signal
import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType


def main() -> int:
    """Runs the program with the arguments of this process, and returns its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Python only takes a note of Ctrl-C and looks at it when Python code runs, which the program never does.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    extension = sys.modules.get("kameleon._kameleon") or _load()
    code: int = extension.run_program(["kameleon", *sys.argv[1:]], extension.__file__)
    return code


def _load() -> ModuleType:
    """The extension module without its package."""
    package = find_spec("kameleon")
    spec = package and PathFinder.find_spec("kameleon._kameleon", package.submodule_search_locations)
    if not spec or not spec.loader:
        raise ImportError("the package kameleon is not installed as a whole; install it again")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
