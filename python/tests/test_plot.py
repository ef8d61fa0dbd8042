"""Figures are drawn, of what they say."""

import numpy as np
import pytest

import kameleon as km

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def result():
    return km.sample(km.targets.Banana(3), sampler=km.KAMH(), draws=500, warmup=1000, chains=2, seed=1)


def test_a_trace_has_a_row_for_each_parameter_and_a_line_for_each_chain(result):
    figure = result.plot_trace()
    assert len(figure.axes) == 6 and figure.axes[0].get_ylabel() == "x1"
    line = figure.axes[0].lines[1]
    assert np.array_equal(line.get_ydata(), result["x1"][1])


def test_a_pair_shows_draws_and_proposals(result):
    figure = result.plot_pair("x1", "x2")
    axes = figure.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x1", "x2")
    assert len(axes.lines) == 2 + len(result.proposals()[::3]) > 2
    assert len(result.plot_pair(ellipses=False).axes[0].lines) == 2
    with pytest.raises(km.SettingsError, match="there is no z"):
        result.plot_pair("z", "x2")


def test_autocorrelation_starts_at_one(result):
    figure = result.plot_autocorrelation(["x3"], lags=20)
    values = figure.axes[0].lines[0].get_ydata()
    assert values[0] == 1 and len(values) == 21
