"""One run in a process of its own: a crash or a hang of one sampler touches no other."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import resource
import signal
import subprocess
import sys
from dataclasses import dataclass

PATIENCE = 8
"""A process is ended after this many times its processor time on the clock: it hangs, or the machine is very busy."""


@dataclass
class Failure:
    """What went wrong."""

    why: str
    too_long: bool = False


def apart(arguments: list[str], minutes: float) -> str | Failure:
    """The last line that a Python script prints, within a limit of processor time in minutes."""
    # One thread for linear algebra: on more, threads that wait for each other count as processor time.
    quiet = dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"], "1")
    seconds = int(60 * minutes)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))

    late = Failure(f"not done after {minutes:g} minutes", too_long=True)
    try:
        done = subprocess.run(
            [sys.executable, *arguments],
            check=False,
            capture_output=True,
            text=True,
            timeout=PATIENCE * seconds,
            env=os.environ | quiet,
            preexec_fn=limit,
        )
    except subprocess.TimeoutExpired:
        return late
    # A signal ended it, that of the limit.
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return late
    if done.returncode != 0:
        return Failure((done.stderr.strip().splitlines() or ["no message"])[-1])
    return done.stdout.strip().splitlines()[-1]


def versions(packages: list[str]) -> str:
    """Python's and those of the packages."""
    told = []
    for package in packages:
        try:
            told.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            told.append(f"{package} (not installed)")
    return f"Python {platform.python_version()}: {', '.join(told)}"
