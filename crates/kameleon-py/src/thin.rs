//! Kernel thinning of arrays.

use crate::{error, json};
use kameleon::diagnose::{self, Period, ThinError};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

/// Keeps `to` rows that stand for all of them, which may have weights and columns with a period: `kept`, `mmd`, `mmd_standard` and `bandwidth`, as JSON.
#[pyfunction]
#[pyo3(signature = (points, log_weights, to, seed, periods))]
pub fn thin(
    py: Python<'_>,
    points: PyReadonlyArray2<'_, f64>,
    log_weights: Option<PyReadonlyArray1<'_, f64>>,
    to: usize,
    seed: u64,
    periods: Vec<Period>,
) -> PyResult<String> {
    let dim = points.as_array().ncols();
    let points: Vec<f64> = points.as_array().iter().copied().collect();
    let log_weights = log_weights.map(|weights| weights.as_array().to_vec());
    let found = py.detach(|| {
        let (places, coordinates) = diagnose::on_circles(&points, dim, &periods);
        diagnose::thin(&places, coordinates, log_weights.as_deref(), to, seed)
    });
    let name = |why: &ThinError| match why {
        ThinError::NoneAsked | ThinError::TooFew { .. } => "to",
        ThinError::NotFinite(_) => "points",
        _ => "log_weights",
    };
    json::write(&found.map_err(|why| error::setting(name(&why), why.to_string()))?)
}
