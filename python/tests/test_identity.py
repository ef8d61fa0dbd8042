"""One seed, the same draws, bit for bit: through Rust, through the program, through Python."""

import json
import subprocess

import numpy as np
import pytest

import kameleon as km

# From crates/kameleon/tests/all/chain.rs, `pinned_seeds_give_pinned_draws`: the first coordinate of the first draw of
# chain 0, and the last coordinate of the last draw of chain 1, of a banana from the origin.
PINNED = {
    "SM": [4.00730051353734, -1.1525725031265446],
    "KAMH-LS": [2.02877178197644, -0.923815180805033],
}


def test_draws_are_those_of_the_rust_library():
    starts = np.zeros((4, 3))
    starts[3] = 1.0  # starts that differ are taken as they are
    for sampler in (km.SM(), km.KAMH()):
        result = km.sample(TARGET, starts, sampler=sampler, **PLAN)
        assert [result.draws[0, 0, 0], result.draws[1, -1, -1]] == PINNED[sampler.name]


TARGET = km.targets.Banana(3, b=0.1, v=25.0)
PLAN = {"warmup": 800, "draws": 300, "chains": 4, "seed": 17}


@pytest.mark.parametrize("function", [False, True])
def test_draws_are_those_of_the_program(program, tmp_path, function):
    flags = ["--target", "banana:b=0.1", "--dim", "8", "--sampler", "KAMH-LS", "--warmup", "1000", "--draws", "500"]
    folder = tmp_path / "run"
    done = subprocess.run(
        [program, "sample", *flags, "--seed", "3", "--out", folder, "--json", "--quiet"],
        check=True,
        capture_output=True,
    )
    target = km.targets.Banana(8, b=0.1)
    if function:
        native = target

        def target(x):
            return native.log_density(x)

    names = [f"x{i + 1}" for i in range(8)]
    result = km.sample(target, parameters=names, sampler=km.KAMH(), warmup=1000, draws=500, seed=3)
    assert np.array_equal(km.load(folder).draws, result.draws)
    printed = {parameter["name"]: parameter["mean"] for parameter in json.loads(done.stdout)["parameters"]}
    assert printed == {parameter["name"]: parameter["mean"] for parameter in result.summary()}
