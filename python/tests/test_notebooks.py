"""What the executed notebooks of examples/python show is what the program says today."""

import json
import re

import numpy as np
import pytest
from conftest import ROOT

import kameleon as km

NOTEBOOKS = sorted((ROOT / "examples" / "python").glob("*.ipynb"))


def stored(path):
    """The texts that are stored in a notebook."""
    outputs = [output for cell in json.loads(path.read_text())["cells"] for output in cell.get("outputs", [])]
    texts = [output.get("text") or output.get("data", {}).get("text/plain", []) for output in outputs]
    return "\n".join("".join(text) for text in texts)


def verdicts(text):
    """The sentences of a text that say of draws that they are believed."""
    return set(re.findall(r"^Converged: .*$", text, re.MULTILINE))


@pytest.fixture(scope="module")
def possible():
    """All such sentences: of few and many chains, with tails that were checked and that were not."""
    target, short = km.targets.Banana(dim=2, b=0.01), {"warmup": 1000, "draws": 1000, "seed": 1}
    shown = [repr(km.sample(target, chains=chains, **short).summary()) for chains in (4, 10)]
    rng = np.random.default_rng(1)
    shown += [repr(km.diagnose.summary(rng.normal(size=(chains, 1000, 1)))) for chains in (4, 10)]
    found = verdicts("\n".join(shown))
    assert len(found) == 4
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_stored_verdict_is_one_that_the_program_gives(path, possible):
    assert verdicts(stored(path)) <= possible, f"{path.name} is out of date: run `make notebooks`"


def test_there_are_stored_verdicts():
    assert any(verdicts(stored(path)) for path in NOTEBOOKS)
