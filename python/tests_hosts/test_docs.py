"""The blocks of docs/hosts.md run as they are."""

import re
from pathlib import Path

import pytest
from conftest import ROOT

PAGE = (ROOT / "docs/hosts.md").read_text()
PARTS = {part.split("\n", 1)[0]: part for part in PAGE.split("\n## ")[1:]}
HOSTS = ["bilby", "Cobaya", "PINTS", "pyPESTO"]


def blocks(part, language):
    return re.findall(rf"```{language}\n(.*?)```", part, re.DOTALL)


@pytest.mark.parametrize("host", HOSTS)
def test_the_example_of_a_host_runs(host):
    for text in blocks(PARTS[host], "yaml"):
        Path("ring.yaml").write_text(text)
    (script,) = blocks(PARTS[host], "python")
    names = {}
    exec(compile(script, "docs/hosts.md", "exec"), names)
    match host:
        case "bilby":
            assert abs(names["result"].log_evidence + 80.97) < 0.1 and Path("outdir/line_corner.png").exists()
        case "Cobaya":
            assert (
                abs(names["products"]["sample"].mean()[0]) < 0.15 and "radius" in names["sample"].getParams().__dict__
            )
        case "PINTS":
            assert names["chains"].shape == (3, 2999, 3) and abs(names["chains"][:, :, 1].mean() - 500) < 3
        case "pyPESTO":
            assert len(names["sampler"].result.modes) == 2 and names["result"].sample_result.trace_x.shape == (
                1,
                10_000,
                2,
            )


def test_the_page_names_every_host_with_an_example():
    assert set(HOSTS) < set(PARTS)
