"""The check of draws by the log densities stored with them, from Python."""

import kameleon as km


def test_the_verdict_is_what_the_check_says_where_chains_agree():
    result = km.sample(km.targets.Banana(dim=3, b=0.1), warmup=2000, draws=2000, seed=1)
    assert result.check is not None
    assert result.check["residual"] < 0.01
    assert len(result.check["means"]) == len(result.check["squares"]) == 3
    worst = max(abs(figure["z"]) for figure in result.check["means"] + result.check["squares"])
    doubted = any("Stein" in message for message in result.summary().messages)
    assert doubted == (worst > 3.15)


def test_the_check_can_be_switched_off():
    result = km.sample(km.targets.Banana(dim=3, b=0.1), warmup=2000, draws=2000, seed=1, check="off")
    assert result.check is None
    assert 'check = "off"' in result.settings
