"""Ask and tell."""

import pickle

import numpy as np
import pytest
from conftest import normal

import kameleon as km


def drive(chain, iterations, target=normal):
    """Steps a chain on a target and returns where it was."""
    places = []
    while chain.iterations < iterations:
        if chain.tell(target(chain.ask())) is not None:
            places.append(chain.position)
    return np.array(places)


@pytest.mark.parametrize("sampler", [km.KAMH(n=50, discard=50), km.AM(discard=50), km.SM()])
def test_ask_and_tell_is_the_same_chain_as_sample(sampler):
    plan = {"sampler": sampler, "warmup": 300, "seed": 5}
    # Starts that differ are taken as they are.
    run = km.sample(normal, [[0.0, 0.0], [0.5, 0.5]], draws=200, chains=2, **plan)
    places = drive(km.Chain([0.5, 0.5], sampling=200, index=1, **plan), 500)
    assert np.array_equal(places[300:], run.draws[1])


@pytest.mark.parametrize("sampler", [km.Kameleon(), km.KAMH(n=50, discard=50)])
def test_a_pickled_chain_goes_on_bit_for_bit(sampler):
    chain = km.Chain([0.5, 0.5], sampler=sampler, warmup=1500, sampling=200, seed=5)
    drive(chain, 700)
    chain.ask()
    copy = pickle.loads(pickle.dumps(chain))
    assert np.array_equal(drive(chain, 1700), drive(copy, 1700))
    assert chain.statistics == copy.statistics


def test_values_that_cannot_be_used_are_counted():
    chain = km.Chain([0.0], sampler=km.SM(), warmup=10)
    assert chain.tell(normal(chain.ask())) is None
    chain.ask()
    assert chain.tell(float("nan")).outcome == "invalid"
    chain.ask()
    assert chain.tell(float("-inf")).outcome == "outside-support"
    chain.ask()
    assert chain.reject("the simulator gave up").outcome == "invalid"
    assert chain.statistics["warmup"]["invalid"] == 2 and chain.warming_up
    with pytest.raises(km.EvaluationError, match="call ask"):
        chain.tell(0.0)


def test_bytes_that_are_no_chain_are_refused():
    state = km.Chain([0.0], sampler=km.SM(), warmup=10).save()
    flipped = state[:-3] + bytes([state[-3] ^ 1]) + state[-2:]
    for damaged, why in [
        (b"", "not a saved chain"),
        (b"\xff" * 50, "not a saved chain"),
        (state[:-3], "its checksum is wrong"),
        (flipped, "its checksum is wrong"),
        (state[:7] + b"0" + state[8:], "another version of kameleon"),
    ]:
        with pytest.raises(km.SettingsError, match=why):
            km.Chain.load(damaged)
    with pytest.raises(km.SettingsError, match="start"):
        km.Chain([[0.0]], sampler=km.SM())
