"""PyMC models: variables by name, in their own units."""

import numpy as np
import pytest

import kameleon as km

pm = pytest.importorskip("pymc")


@pytest.fixture(scope="module")
def model():
    with pm.Model(coords={"group": ["a", "b", "c"]}) as model:
        sigma = pm.HalfNormal("sigma", 2.0)
        mu = pm.Normal("mu", 0.0, 3.0, dims="group")
        pm.Deterministic("total", mu.sum())
        pm.Uniform("share", 0.0, 1.0)
        pm.Normal("y", mu, sigma, observed=np.array([[1.0, 0.0, -1.0], [1.5, 0.2, -0.4]]))
    return model


@pytest.fixture(scope="module")
def result(model):
    return km.sample(model, sampler=km.AM(), draws=1500, warmup=1500, chains=2, seed=1)


def test_variables_have_their_names_shapes_and_units(result):
    assert result.variables == {"sigma": (), "mu": (3,), "share": (), "total": ()}
    assert (result["sigma"] > 0).all() and ((result["share"] > 0) & (result["share"] < 1)).all()
    np.testing.assert_allclose(result["total"], result["mu"].sum(axis=-1))
    assert abs(result["share"].mean() - 0.5) < 0.1


def test_the_log_density_is_the_models(model, result):
    values = {"sigma_log__": np.log(result["sigma"][0, -1]), "mu": result["mu"][0, -1]}
    share = result["share"][0, -1]
    values["share_interval__"] = np.log(share / (1 - share))
    np.testing.assert_allclose(result.log_density[0, -1], model.compile_logp()(values), rtol=1e-8)


# The model has a small funnel.
@pytest.mark.filterwarnings("ignore::kameleon.errors.KameleonWarning")
def test_weighted_draws_have_the_units_of_the_model(model):
    result = km.sample(model, draws=1500, chains=2, seed=1)
    points, log_weights = result.weighted_draws()
    names = result.names
    assert points.shape == (len(log_weights), len(names)) and len(points) > 100
    share = points[:, names.index("share")]
    assert ((share > 0) & (share < 1)).all() and (points[:, names.index("sigma")] > 0).all()
    assert result.evidence is not None and result.evidence.name == "log normalising constant"


def test_dims_reach_arviz(result):
    data = pytest.importorskip("arviz") and result.to_arviz()
    assert data.posterior["mu"].dims == ("chain", "draw", "group")
    assert list(data.posterior["group"].values) == ["a", "b", "c"]


def test_discrete_variables_are_refused():
    with pm.Model() as model:
        pm.Poisson("n", 3.0)
    with pytest.raises(km.SettingsError, match="marginalise"):
        km.sample(model)


def test_coordinates_name_the_rows_and_data_reach_arviz(result):
    table = result.summary()
    assert [parameter["name"] for parameter in table][:3] == ["mu[a]", "mu[b]", "mu[c]"]
    assert table["mu[a]"] is table["mu[0]"]
    data = pytest.importorskip("arviz") and result.to_arviz(log_likelihood=True)
    assert data.observed_data["y"].shape == (2, 3)
    assert data.log_likelihood["y"].shape == (2, 1500, 2, 3)


def test_saved_files_have_the_names_of_dimensions(result, tmp_path):
    xarray = pytest.importorskip("xarray")
    result.save(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc", group="posterior") as posterior:
        assert posterior["mu"].dims == ("chain", "draw", "group")
        assert list(posterior["group"].values) == ["a", "b", "c"]
    assert [path.name for path in tmp_path.iterdir()] == ["run.nc"]
    with pytest.raises(km.StoreError, match="elsewhere"):
        result.save(tmp_path / "elsewhere" / "run.nc")
