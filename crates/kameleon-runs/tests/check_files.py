"""Opens what the writers made with the programs they are made for, and compares it with expected.json."""

import json
import pathlib
import sys
import warnings

import arviz
import numpy as np

folder = pathlib.Path(sys.argv[1])
expected = json.loads((folder / "expected.json").read_text())
major = int(arviz.__version__.split(".")[0])


def same(found, wanted):
    np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted))


with warnings.catch_warnings():
    warnings.simplefilter("error")
    data = arviz.from_netcdf(str(folder / "posterior.nc"))

groups = data.groups() if major == 0 else [g.strip("/") for g in data.groups if g != "/"]
assert set(groups) == {"posterior", "sample_stats", "warmup_posterior", "warmup_sample_stats"}, groups
posterior = data["posterior"]
assert set(posterior.data_vars) == set(expected["variables"]), list(posterior.data_vars)
assert posterior["mu"].dims == ("chain", "draw"), posterior["mu"].dims
assert posterior["A"].dims == ("chain", "draw", "A_dim_0", "A_dim_1"), posterior["A"].dims
same(posterior["chain"], expected["chain"])
same(posterior["draw"], np.arange(expected["draws"]))
for name, values in expected["variables"].items():
    same(posterior[name], values)
same(data["sample_stats"]["lp"], expected["lp"])
same(data["sample_stats"]["acceptance_rate"], expected["acceptance"])
same(data["sample_stats"]["outcome"], expected["outcome"])
same(data["sample_stats"]["jump_log_weight"], np.array(expected["jump_log_weight"], dtype=float))
same(data["sample_stats"]["jump_proposal"], np.array(expected["jump_proposal"], dtype=float))
assert data["sample_stats"]["outcome"].attrs["flag_meanings"].split() == expected["meanings"]
assert data["warmup_posterior"]["mu"].shape == (3, 5)
assert data["warmup_sample_stats"]["lp"].shape == (3, 5)
for place in (data.attrs, posterior.attrs):
    assert place["inference_library"] == "kameleon"
    assert place["sampler"] == "KAMH-LS"
    assert place["seed"] == 2**64 - 1
    assert place["settings"] == expected["settings"]
    assert list(place["parameter_names"]) == expected["names"]
assert posterior[expected["renamed"]].attrs["long_name"] == "k/m"
for name, lower, upper in (("A", 0.0, 24.0), (expected["renamed"], -1.5, 1.5)):
    for group in ("posterior", "warmup_posterior"):
        ends = [np.atleast_1d(data[group][name].attrs[f"period_{end}"]) for end in ("lower", "upper")]
        periodic = np.arange(6) == 1 if name == "A" else np.array([True])
        same(ends, np.where(periodic, [[lower], [upper]], np.nan))
assert not any(name.startswith("period") for name in posterior["mu"].attrs)
summary = arviz.summary(data, round_to="none")
assert len(summary) == len(expected["names"]), summary
print(f"ArviZ {arviz.__version__}: posterior.nc opens, {len(summary)} rows in its summary")

try:
    import netCDF4
except ImportError:
    print("NOTE: no netCDF4, so the netCDF library itself did not read posterior.nc")
else:
    with netCDF4.Dataset(folder / "posterior.nc") as file:
        same(file["posterior"]["A"][:], expected["variables"]["A"])
        assert file["posterior"]["A"].dimensions == ("chain", "draw", "A_dim_0", "A_dim_1")
        print(f"netCDF4 {netCDF4.__version__}: posterior.nc opens")

try:
    import pyarrow.parquet
except ImportError:
    print("NOTE: no pyarrow, so draws.parquet was not read")
else:
    table = pyarrow.parquet.read_table(folder / "draws.parquet")
    assert table.column_names == expected["columns"], table.column_names
    assert table.num_rows == expected["rows"], table.num_rows
    for name in expected["columns"]:
        same(table[name].to_numpy(), expected["table"][name])
    assert table.schema.metadata[b"settings"].decode() == expected["settings"]
    print(f"pyarrow {pyarrow.__version__}: draws.parquet opens")
