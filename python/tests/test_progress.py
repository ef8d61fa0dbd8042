"""Progress: how far a run is, how fast it goes, how busy its workers are."""

import sys
import types
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import normal

import kameleon as km
from kameleon import progress
from kameleon.executors import COUNT_EVERY, Load
from kameleon.progress import LOG_EVERY, Bar, Log, Meter, Table


def seen(iterations, warmup=900):
    return [(iterations, 0.3, 1.0, warmup), (iterations + 200, 0.3, 1.0, warmup)]


@pytest.fixture
def clock(monkeypatch):
    """The time, as the test sets it."""
    now = types.SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(progress.time, "monotonic", lambda: now.seconds)
    return now


def test_the_total_is_known_as_far_as_it_can_be():
    meter = Meter({"warmup": "auto", "draws": 1000, "thin": 2})
    assert meter.total(seen(500, 5000)) == 2 * 7000 and meter.total(seen(500, 900)) == 2 * 2900
    assert Meter({"draws": None, "max-evaluations": 10_000}).total(seen(500, 5000)) == 10_000
    assert Meter({"draws": None}).total(seen(500)) is None and Meter({"draws": None}).share(seen(500)) is None


def test_chains_that_no_worker_has_had_yet_are_in_the_warm_up():
    meter = Meter({"draws": 1000, "thin": 1})
    assert meter.states([(0, 0.0, 0.0, 0)] * 2).phase == "warm-up"
    assert meter.states([(1000, 0.3, 1.0, 900), (0, 0.0, 0.0, 0)]).phase == "warm-up"
    assert meter.states(seen(900)).phase == "sampling"


def test_the_speed_is_that_of_late_also_of_a_run_that_was_resumed(clock):
    meter = Meter({"draws": 10_000, "thin": 1})
    assert meter.states(seen(4000)).per_second is None
    for clock.seconds in range(1, 121):
        states = meter.states(seen(4000 + (10 * clock.seconds if clock.seconds < 50 else 490 + (clock.seconds - 49))))
    assert states.per_second == pytest.approx(2.0)
    left = 2 * 10_900 - sum(iterations for iterations, *_ in states)
    assert states.seconds_left == pytest.approx(left / 2)


def test_the_load_of_workers_is_counted(clock):
    load = Load(lambda: 4)
    for _ in range(6):
        load.sent()
    assert (load.busy, load.workers, load.utilisation) == (4, 4, None)
    clock.seconds = 10.0
    for _ in range(6):
        load.back(0.0, 5.0)
    assert load.busy == 0 and load.longest == 10.0 and load.utilisation == pytest.approx(30 / 40)
    unknown = Load(lambda: None)
    for _ in range(3):
        unknown.sent()
    assert unknown.workers == unknown.busy == 3


def test_workers_that_come_and_go_are_counted_again_when_they_are_shown(clock):
    there = 0
    load = Load(lambda: there)
    load.sent()
    meter = Meter({"draws": 10_000}, load)
    states = meter.states(seen(0))
    assert (states.workers, states.busy) == (0, 0) and "no workers yet" in Bar(meter).line(states, None)
    there = 8
    assert meter.states(seen(0)).workers == 0, "the scheduler is not asked at every look"
    clock.seconds += COUNT_EVERY
    states = meter.states(seen(0))
    assert (states.workers, states.busy) == (8, 1)
    clock.seconds += 2.0
    load.back(0.0, 4.0)
    assert load.utilisation == pytest.approx(4 / 16), "offered was 2 s of 8 workers, and 5 s of none"


def test_a_population_tells_its_speed_and_workers_and_chains_after_it_count_from_zero(clock):
    load = Load(lambda: 4)
    load.sent()
    meter = Meter({"draws": 10_000, "thin": 1}, load)
    meter.states(seen(0), "ladder 1; 1000 evaluations")
    clock.seconds = 10.0
    line = Bar(meter).line(meter.states(seen(0), "ladder 1; 3000 evaluations"), None)
    assert line == "population: ladder 1; 3000 evaluations, 10 s, 200 per second, 1 of 4 workers busy"
    clock.seconds = 20.0
    assert meter.states(seen(4000)).per_second is None
    clock.seconds = 30.0
    assert meter.states(seen(4500)).per_second == pytest.approx(100.0)


def test_a_log_has_a_line_a_minute_and_none_of_a_short_run(clock, monkeypatch, capsys):
    monkeypatch.setattr(progress, "_place", lambda: None)
    with progress.watcher(None, {"draws": 10_000}) as watch:
        assert isinstance(watch, Log)
        for clock.seconds in range(int(3 * LOG_EVERY)):
            watch(seen(100 * clock.seconds))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2 and all("2 chains" in line and "\r" not in line and "\x1b" not in line for line in lines)
    with progress.watcher(False, {"draws": 10_000}) as watch:
        assert watch is None


def test_a_line_and_a_table_say_how_fast_a_run_goes_and_how_busy_its_workers_are(clock):
    load = Load(lambda: 4)
    load.sent()
    meter = Meter({"draws": 10_000, "thin": 1}, load)
    meter.states(seen(0))
    clock.seconds = 10.0
    load.back(0.0, 8.0)
    load.sent()
    states = meter.states(seen(1000), None, (1.01, 250.0))
    line = Bar(meter).line(states, 0.1)
    assert "10%" in line and "200 per second" in line and "1 of 4 workers busy, used 20%" in line
    assert "about 98 s to go" in line and "R-hat 1.010, ESS at least 250" in line
    html = Table(meter).html(states, 0.1)
    for name, text in [
        ("evaluations per second", "200"),
        ("workers busy", "1 of 4"),
        ("utilisation", "20%"),
        ("time left", "about 98 s"),
    ]:
        assert f"<tr><th>{name}</th><td>{text}</td></tr>" in html, html
    stage = meter.states(seen(0), "ladder 1 <half>", None)
    assert Bar(meter).line(stage, None).startswith("population: ladder 1 <half>")
    assert "population: ladder 1 &lt;half&gt;" in Table(meter).html(stage, None)


def test_the_table_of_a_notebook_changes_in_place_and_is_removed(monkeypatch):
    shown = []

    class Handle:
        def update(self, html):
            shown.append(("update", html))

    def display(html, display_id):
        shown.append(("display", html))
        return Handle()

    notebook = types.SimpleNamespace(kernel=object())
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: notebook
    ipython.display = types.ModuleType("IPython.display")
    ipython.display.HTML, ipython.display.display = str, display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    with progress.watcher(None, {"draws": 100}) as watch:
        assert isinstance(watch, Table)
        for k in range(3):
            watch._shown = -1.0
            watch(seen(k))
    assert [how for how, _ in shown] == ["display", "update", "update", "update"]
    assert shown[0][1].startswith("<table>") and shown[-1][1] == ""


def test_a_run_on_an_executor_tells_its_workers():
    states = []
    plan = {"warmup": 700, "draws": 200, "chains": 3, "seed": 1}
    with ThreadPoolExecutor(2) as pool:
        result = km.sample(normal, [0.0, 0.0], executor=pool, progress=states.append, **plan)
    assert states[-1].workers == 2 and states[-1].busy == 0 and 0 < states[-1].utilisation <= 1
    alone = []
    here = km.sample(normal, [0.0, 0.0], progress=alone.append, **plan)
    assert np.array_equal(result.draws, here.draws) and alone[-1].workers is None
