"""Periodic parameters in Python: how they are given, what their draws and figures are, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.special import ive

import kameleon as km
from kameleon.parameters import within

TAU = 2 * np.pi


def von_mises(mode: float, k: float = 9.0) -> object:
    """2π times the density, so that the evidence under a uniform prior is one."""
    return lambda x: k * np.cos(x[0] - mode) - np.log(ive(0, k)) - k


@pytest.mark.parametrize("mode", [0.0, 3.0])
def test_an_angle_has_its_law_and_its_evidence_wherever_its_mode_is(mode: float) -> None:
    result = km.sample(
        von_mises(mode), parameters=["phi"], bounds={"phi": km.Periodic()}, priors={"phi": f"uniform(0, {TAU})"},
        draws=10_000, seed=3,
    )  # fmt: skip
    phi = result["phi"]
    assert ((phi >= 0) & (phi < TAU)).all()
    found = result.summary()["phi"]
    exact = stats.vonmises(9.0)
    assert np.angle(np.exp(1j * (found["mean"] - mode))) == pytest.approx(0, abs=0.03)
    assert found["sd"] == pytest.approx(exact.std(), rel=0.05)
    assert found["q95"] - found["q5"] == pytest.approx(exact.ppf(0.95) - exact.ppf(0.05), rel=0.05)
    assert result.log_evidence == pytest.approx(0, abs=0.03)
    assert result.summary().converged


def test_bounds_with_a_scipy_prior_or_a_joint_one_are_circles_too(tmp_path: Path) -> None:
    def joint(x: np.ndarray) -> float:
        return float(-np.log(24.0))

    for priors in ({"hour": stats.uniform(0, 24)}, joint):
        draws = (lambda rng, count: rng.uniform(0, 24, (count, 1))) if callable(priors) else None
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        result = km.sample(
            lambda x: 20 * np.cos(TAU * (x[0] - 23.9) / 24), parameters=["hour"], priors=priors, prior_draws=draws,
            bounds={"hour": km.Periodic(0, 24)}, draws=500, seed=1, checkpoint=folder,
        )  # fmt: skip
        far = np.abs((result["hour"] - 23.9 + 12) % 24 - 12)
        assert far.max() < 8
        assert result.summary()["hour"]["sd"] == pytest.approx(24 / TAU / np.sqrt(20), rel=0.15)
        assert km.load(folder).summary()["hour"] == result.summary()["hour"]
        assert "periodic = true" in (folder / "settings.toml").read_text()


def test_an_ensemble_takes_periodic_bounds() -> None:
    chains = km.Ensemble(parameters=["phi"], bounds=km.Periodic(-np.pi, np.pi), draws=300, warmup=600, seed=2)
    while not chains.done:
        chains.tell(4 * np.cos(chains.ask()[:, 0] - 3.0))
    phi = chains.result()["phi"]
    assert ((phi >= -np.pi) & (phi < np.pi)).all()
    assert np.cos(phi - 3.0).mean() == pytest.approx(0.863, abs=0.05)


def test_arviz_data_say_which_variables_are_periodic() -> None:
    result = km.sample(
        lambda x: float(np.cos(x[0]) - x[1] ** 2 - x[2] ** 2), [0.1, 0.0, 0.0], parameters={"phi": (), "v": (2,)},
        bounds={"phi": km.Periodic(0, TAU)}, chains=2, draws=50, warmup=300, keep_warmup=True, seed=1,
    )  # fmt: skip
    data = result.to_arviz()
    for group in ("posterior", "warmup_posterior"):
        ends = data[group]["phi"].attrs
        assert (list(ends["period_lower"]), list(ends["period_upper"])) == ([0.0], [TAU])
        assert not data[group]["v"].attrs


def test_thinning_takes_an_angle_for_a_point_of_a_circle() -> None:
    given = {"parameters": ["phi"], "bounds": {"phi": km.Periodic(-np.pi, np.pi)}, "seed": 4}
    result = km.sample(von_mises(0.0, 2.0), [1.0], chains=2, draws=1000, warmup=600, **given)
    phi = result["phi"].ravel()
    angle = phi - np.angle(np.exp(1j * phi).mean())
    kept = km.diagnose.thin(np.column_stack([np.cos(angle), np.sin(angle)]), 40)
    thinned = result.thin_to(40)
    assert (1000 * thinned.chain + thinned.draw == kept).all()
    assert set(kept) != set(km.diagnose.thin(phi[:, None], 40))


def test_a_start_outside_is_wrapped() -> None:
    at = [
        km.sample(lambda x: np.cos(x[0]), start, bounds=[km.Periodic(0, 6)], chains=1, draws=50, warmup=300, seed=1)
        for start in ([1.0], [7.0], [-17.0])
    ]
    for other in at[1:]:
        np.testing.assert_allclose(at[0].draws, other.draws, rtol=1e-6)


def test_circles_of_arrays_and_of_all_parameters() -> None:
    circle = {"lower": 0.0, "upper": 1.0, "periodic": True}
    assert within(["a", "b"], km.Periodic(0, 1)) == {"a": circle, "b": circle}
    assert within(["a", "b"], [km.Periodic(0, 1), None]) == {"a": circle, "b": {}}
    names = ["a[0]", "a[1]", "b"]
    found = within(names, {"a": km.Periodic(0, np.array([1.0, 2.0]))})
    assert found == {"a[0]": circle, "a[1]": {**circle, "upper": 2.0}, "b": {}}
    assert within(["a"], km.Periodic()) == {"a": {"lower": None, "upper": None, "periodic": True}}


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        (km.Periodic(0), "needs both lower and upper"),
        (km.Periodic(0, np.inf), "needs both lower and upper"),
        (km.Periodic(), "needs both lower and upper"),
        (km.Periodic(2, 1), "must be less than upper"),
    ],
)
def test_what_is_not_a_circle_is_refused(bounds: km.Periodic, words: str) -> None:
    with pytest.raises(km.SettingsError, match=words):
        km.sample(lambda x: 0.0, [0.0], parameters=["phi"], bounds={"phi": bounds}, draws=10)
