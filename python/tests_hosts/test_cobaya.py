"""The plugin for Cobaya: from an input file to what GetDist reads."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import getdist
import numpy as np
import pytest
from cobaya.log import LoggedError
from cobaya.run import run
from cobaya.yaml import yaml_load

import kameleon as km

INPUT = """
likelihood:
  normal:
    external: "lambda a, b: -0.5 * ((a - 0.2)**2 / 0.01 + (b - a)**2 / 0.04) - np.log(2 * np.pi * 0.02)"
params:
  a:
    prior: {min: -3, max: 3}
    ref: 0.1
    latex: \\\\alpha
  b:
    prior: {dist: norm, loc: 0, scale: 1}
  total:
    derived: "lambda a, b: a + b"
sampler:
  kameleon:
    seed: 1
    draws: 1500
    check: 'off'
"""
# b is normal around a, with the prior of b: an integral over a alone.
A = np.linspace(-3, 3, 60_001)
WEIGHT = np.exp(-0.5 * (A - 0.2) ** 2 / 0.01 - 0.5 * A**2 / 1.04) / np.sqrt(2 * np.pi * 0.01 * 2 * np.pi * 1.04) / 6
LOG_Z = np.log(WEIGHT.sum() * (A[1] - A[0]))


def info(output=None, sampler=None, **more):
    given = {**yaml_load(INPUT.replace("\\\\", "\\")), **more}
    given["sampler"]["kameleon"].update(sampler or {})
    return {**given, **({"output": output} if output else {})}


def test_an_input_file_gives_files_that_getdist_reads():
    Path("normal.yaml").write_text(INPUT.replace("\\\\", "\\") + "output: chains/normal\n")
    command = [sys.executable, "-m", "cobaya", "run", "normal.yaml"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    sample = getdist.loadMCSamples(str(Path("chains/normal").resolve()))
    means = dict(zip(sample.getParamNames().list(), sample.getMeans(), strict=False))
    mean = (A * WEIGHT).sum() / WEIGHT.sum()
    assert abs(means["a"] - mean) < 0.01 and abs(means["total"] - mean - means["b"]) < 0.01
    assert sample.getParamNames().parWithName("a").label == r"\alpha"
    assert sample.getGelmanRubin() < 0.02
    assert len(list(Path("chains").glob("normal.*.txt"))) == 4
    assert "max_evaluations" in Path("chains/normal.updated.yaml").read_text()


def test_products_have_weights_derived_parameters_and_the_evidence():
    _, sampler = run(info(sampler={"draws": 4000}))
    products = sampler.products()
    data = products["sample"].data
    assert abs(products["logZ"] - LOG_Z) < 5 * products["logZstd"] and products["logZstd"] < 0.05
    assert np.allclose(data["total"], data["a"] + data["b"])
    assert data["weight"].sum() == 4 * 4000 and (data["weight"] >= 1).all()
    like = -0.5 * ((data["a"] - 0.2) ** 2 / 0.01 + (data["b"] - data["a"]) ** 2 / 0.04) - np.log(2 * np.pi * 0.02)
    assert np.allclose(data["chi2"], -2 * like)
    assert np.allclose(data["minuslogpost"], data["minuslogprior"] + data["chi2"] / 2)
    assert isinstance(products["result"], km.Result)
    assert abs(sampler.samples(to_getdist=True).getMeans()[0] - (A * WEIGHT).sum() / WEIGHT.sum()) < 0.01
    assert len(sampler.samples(skip_samples=0.5)) < 0.6 * len(data)


def test_a_prior_of_several_parameters_counts_as_in_cobaya():
    _, sampler = run(info(prior={"apart": "lambda a, b: -np.inf if b < a else -0.7"}, sampler={"draws": 4000}))
    products = sampler.products()
    data = products["sample"].data
    assert (data["b"] >= data["a"]).all() and np.allclose(data["minuslogprior__apart"], 0.7)
    b = np.linspace(-3, 4, 1401)
    a = np.linspace(-1, 1.2, 1101)[:, None]
    density = np.exp(-0.5 * ((a - 0.2) ** 2 / 0.01 + (b - a) ** 2 / 0.04 + b**2)) * np.where(b > a, 1, 0.5 * (b == a))
    truth = np.log(density.sum() * (b[1] - b[0]) * 0.002 / (2 * np.pi * 0.02) / np.sqrt(2 * np.pi) / 6) - 0.7
    assert abs(products["logZ"] - truth) < 5 * products["logZstd"] + 0.01


def test_a_phase_may_lie_at_the_ends_of_its_period():
    phase = {"phase": {"external": lambda a, b: 8 * (np.cos(a) - 1) - 0.5 * b**2}}
    truth = np.log(np.i0(8)) - 8 + 0.5 * np.log(2 * np.pi) - np.log(18)
    spread, modes = [], []
    for periodic in ({"periodic": True}, {}):
        angle = {"prior": {"min": 0, "max": 2 * np.pi}, **periodic}
        _, sampler = run(info(likelihood=phase, params={"a": angle, "b": {"prior": {"min": -9, "max": 9}}}))
        products = sampler.products()
        assert abs(products["logZ"] - truth) < 5 * products["logZstd"]
        spread.append(products["result"].summary()["a"]["sd"])
        modes.append(len(products["result"].modes))
    # Between plain bounds the phase has two modes, and a spread of half a turn.
    assert modes == [1, 2] and abs(spread[0] - 0.37) < 0.03 and spread[1] > 2


def test_two_processes_of_mpi_give_the_draws_of_one():
    script = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_cobaya import info, run
from cobaya import mpi
_, sampler = run(info("mpi/normal"))
assert mpi.size() == 2
assert sampler.products(combined=True).get("sample", "elsewhere") is not None
assert sampler.samples(combined=True).data["weight"].sum() == 6000
"""
    mpiexec = Path(sys.executable).with_name("mpiexec")
    command = [str(mpiexec), "-n", "2", sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    run(info("alone/normal"))
    for number in range(1, 5):
        assert Path(f"mpi/normal.{number}.txt").read_text() == Path(f"alone/normal.{number}.txt").read_text()


FAILS = """
import sys
sys.path.insert(0, {here!r})
from test_cobaya import info, run
calls = 0
def fragile(a, b):
    global calls
    calls += 1
    if calls > 4000 and {fails}:
        raise SystemError("killed")
    return -0.5 * ((a - 0.2)**2 / 0.01 + (b - a)**2 / 0.04)
given = info("out/normal", likelihood={{"normal": {{"external": fragile, "stop_at_error": True}}}})
run(given, resume={resume}, allow_changes=True)
"""


def test_a_run_that_failed_is_resumed_with_its_derived_parameters():
    def call(fails, resume):
        script = FAILS.format(here=str(Path(__file__).parent), fails=fails, resume=resume)
        return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=200)

    first = call(True, False)
    assert first.returncode != 0 and "killed" in first.stderr + first.stdout
    second = call(False, True)
    assert second.returncode == 0 and "Resuming" in second.stdout + second.stderr, second.stdout + second.stderr
    resumed = np.loadtxt("out/normal.1.txt")
    _, whole = run(
        info(likelihood={"normal": {"external": lambda a, b: -0.5 * ((a - 0.2) ** 2 / 0.01 + (b - a) ** 2 / 0.04)}})
    )
    assert np.allclose(resumed, whole.collections[0].data.to_numpy(), rtol=1e-6)


def test_ctrl_c_ends_the_run_and_resume_goes_on():
    script = FAILS.format(here=str(Path(__file__).parent), fails=False, resume=True)
    slow = "import time\n" + script.replace("    calls += 1", "    calls += 1\n    time.sleep(0.001)")
    first = subprocess.Popen([sys.executable, "-c", slow], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while not Path("out/normal_kameleon/run/settings.toml").exists() and first.poll() is None:
        time.sleep(0.05)
    time.sleep(2.0)
    first.send_signal(signal.SIGINT)
    log, _ = first.communicate(timeout=60)
    assert first.returncode != 0 and "The same input with 'resume' goes on" in log, log
    assert not list(Path("out").glob("normal.*.txt"))
    second = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=200)
    assert second.returncode == 0, second.stdout + second.stderr
    assert np.loadtxt("out/normal.1.txt")[:, 0].sum() == 1500


def test_a_run_that_reached_a_limit_has_its_draws():
    _, sampler = run(info(sampler={"draws": 5000, "warmup": 700, "max_evaluations": 4000}))
    assert 4000 > sampler.products()["sample"].data["weight"].sum() > 500


def test_output_is_kept_unless_forced_and_a_resumed_run_gets_longer():
    run(info("out/normal", {"draws": 400}))
    with pytest.raises(LoggedError, match="Delete the previous output manually"):
        run(info("out/normal", {"draws": 400}))
    run(info("out/normal", {"draws": 600}), resume=True)
    assert np.loadtxt("out/normal.1.txt")[:, 0].sum() == 600
    run(info("out/normal", {"draws": 300, "seed": 2}), force=True)
    assert np.loadtxt("out/normal.1.txt")[:, 0].sum() == 300


def test_a_run_that_goes_on_keeps_its_settings_and_says_which_are_not_used(caplog):
    limited = {"draws": 5000, "warmup": 700, "max_evaluations": 4000}
    run(info("out/normal", limited))
    with pytest.raises(LoggedError, match="not compatible"):
        run(info("out/normal", {**limited, "thin": 2}), resume=True)
    run(info("out/normal", {**limited, "max_minutes": 5, "progress": False}), resume=True)
    assert "keeps them" not in caplog.text
    run(info("out/normal", {**limited, "draws": 6000}), resume=True)
    assert "keeps them: max_evaluations is None, not 4000. force=True" in caplog.text


def test_what_was_half_written_of_an_evaluation_is_left_out():
    run(info("out/normal", {"draws": 400}))
    stored = Path("out/normal_kameleon/evaluations.bin")
    whole = stored.read_bytes()
    stored.write_bytes(whole + whole[:20])
    run(info("out/normal", {"draws": 600}), resume=True)
    # a, b, the log prior, the log likelihood, and the derived parameter.
    rows = np.fromfile(stored).reshape(-1, 5)
    assert rows.nbytes > len(whole) and np.allclose(rows[:, 0] + rows[:, 1], rows[:, 4])


@pytest.mark.parametrize("without", [{"warmup": 1000}, {"max_evaluations": 15_000}])
def test_chains_start_at_the_reference_where_there_is_no_population(without):
    starts = []

    def seen(a, b):
        starts.append((a, b))
        return -0.5 * ((a - 0.2) ** 2 / 0.01 + (b - a) ** 2 / 0.04)

    _, sampler = run(info(likelihood={"normal": {"external": seen}}, sampler={**without, "draws": 300}))
    assert np.allclose([a for a, _ in starts[:4]], 0.1, rtol=1e-12)
    assert sampler.result.population is None
    # The derived parameters of a draw are known from when it was evaluated.
    assert len(starts) == sampler.result.stats["evaluations"]


def test_a_population_is_as_large_as_the_input_says_and_values_may_be_noisy():
    _, sampler = run(info(sampler={"population": {"particles": 400, "looks": 0}}))
    assert sampler.result.population.particles == 400
    with pytest.raises(km.SettingsError, match="particle_count"):
        run(info(sampler={"population": {"particle_count": 400}}))
    rng = np.random.default_rng(1)

    def estimate(a, b):
        return -0.5 * ((a - 0.2) ** 2 / 0.01 + (b - a) ** 2 / 0.04) + rng.normal(-0.125, 0.5)

    _, sampler = run(info(likelihood={"normal": {"external": estimate}}, sampler={"noisy": True, "draws": 4000}))
    data = sampler.products()["sample"].data
    assert abs(np.average(data["a"], weights=data["weight"]) - (A * WEIGHT).sum() / WEIGHT.sum()) < 0.02


def test_a_wrong_setting_is_named():
    with pytest.raises(LoggedError, match="nlive"):
        run(info(sampler={"nlive": 500}))
    with pytest.raises(km.SettingsError, match="warmup"):
        run(info(sampler={"warmup": "long"}))


def test_a_point_that_the_likelihood_refuses_is_rejected():
    def partly(a, b):
        if a > 0.3:
            raise ValueError("not here")
        return -0.5 * ((a - 0.2) ** 2 / 0.01 + (b - a) ** 2 / 0.04)

    _, sampler = run(info(likelihood={"normal": {"external": partly}}))
    assert sampler.products()["sample"].data["a"].max() <= 0.3
