"""Samplers, kernels and built-in targets are those of the Rust library's registry."""

import inspect
import json

import numpy as np
import pytest
from conftest import ROOT

import kameleon as km
from kameleon import _kameleon

REGISTRY = json.loads(_kameleon.registry())
MODULES = {"samplers": km.samplers, "kernels": km.kernels, "targets": km.targets, "posteriors": km.targets}
ENTRIES = [(kind, entry) for kind in MODULES for entry in REGISTRY[kind] if entry["class"]]


def test_the_classes_are_those_that_the_registry_makes(monkeypatch):
    # Not for longer than this test: workers of other tests would import the package without its extension from there.
    monkeypatch.syspath_prepend(ROOT / "python")
    import generate

    for file, text in generate.modules(REGISTRY).items():
        assert (ROOT / "python/kameleon" / file).read_text() == text, "make python-registry"


@pytest.mark.parametrize(("kind", "entry"), ENTRIES, ids=[entry["name"] for _, entry in ENTRIES])
def test_every_entry_has_a_public_class_with_its_settings(kind, entry):
    made = getattr(MODULES[kind], entry["class"])
    assert entry["class"] in MODULES[kind].__all__
    keys = [setting["key"].replace("-", "_") for setting in entry["settings"]]
    assert list(inspect.signature(made).parameters) == keys
    assert all(f"{key}: " in made.__doc__ for key in keys)
    if kind == "kernels":
        assert made()._checked()["name"] == entry["name"]
    elif kind == "samplers":
        assert km.Chain([0.0, 0.0], sampler=made(), warmup=1000).ask().shape == (2,)
    elif "parameters" in entry:
        result = km.sample(made(), sampler=km.SM(), warmup=0, draws=1, chains=1, seed=1)
        assert result.names == [parameter["name"] for parameter in entry["parameters"]]
        assert np.isclose(made().log_density(result.draws[0, 0]), result.log_density[0, 0], rtol=1e-12)
    else:
        x = np.ones(made()._native().dim)
        assert np.isfinite(made().log_density(x, seed=1))


@pytest.mark.parametrize("prior", REGISTRY["priors"], ids=lambda prior: prior["name"])
def test_every_prior_is_sampled(prior):
    # 0.5, 1.5, 2.5, … are parameters of every prior.
    text = f"{prior['name']}({', '.join(f'{i}.5' for i in range(len(prior['parameters'])))})"
    result = km.sample("0*x", parameters=["x"], priors={"x": text}, sampler=km.SM(), warmup=10, draws=4, seed=1)
    assert result.draws.shape == (4, 4, 1) and np.isfinite(result.draws).all()
