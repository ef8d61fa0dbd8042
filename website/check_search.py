"""Checks that the search of a built site works from the disk, in Chromium where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FLAGS = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --virtual-time-budget=20000"
)


def main(folder: Path) -> int:
    """Searches for a word, prints how many pages have it, and tells the exit code."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("NOTE: there is no Chromium, so the search is not tried")
        return 0
    with tempfile.TemporaryDirectory() as profile:
        page = f"{(folder / 'index.html').resolve().as_uri()}?q=evidence"
        command = [browser, *FLAGS.split(), f"--user-data-dir={profile}", "--dump-dom", page]
        shown = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout
    found = re.search(r"(\d+) matching documents", shown)
    print(f"search: {found[0]}" if found else "the search finds nothing: see website/assets/iframe-worker.js")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
