//! Draws under a changed density.

use crate::array::Vector;
use crate::{error, json};
use kameleon::record::Draws;
use kameleon_models::Expression;
use kameleon_runs::Reweighted;
use kameleon_runs::output::{ChainDraws, Posterior};
use numpy::{PyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;

/// The summary of draws of shape (chains, draws, parameters) of a run, converged or not, under a changed density: as JSON and as text.
#[pyfunction]
pub fn reweight(
    names: Vec<String>,
    draws: PyReadonlyArray3<'_, f64>,
    log_ratio: PyReadonlyArray2<'_, f64>,
    converged: bool,
) -> PyResult<(String, String)> {
    let draws = draws.as_array();
    let chains = draws.outer_iter().enumerate().map(|(index, chain)| {
        let log_density = vec![0.0; chain.shape()[0]];
        let draws = Draws { points: chain.iter().copied().collect(), log_density, ..Draws::default() };
        ChainDraws { index, draws, ..ChainDraws::default() }
    });
    let posterior = Posterior { chains: chains.collect(), names, ..Posterior::default() };
    let log_ratios: Vec<Vec<f64>> = log_ratio.as_array().outer_iter().map(|chain| chain.to_vec()).collect();
    let found = kameleon_runs::reweight(&posterior, &log_ratios).map_err(error::settings)?;
    let found = Reweighted { converged, ..found };
    Ok((json::write(&found)?, found.to_string()))
}

/// The values of an expression of the parameters at points, one in each row.
#[pyfunction]
pub fn expression<'py>(
    py: Python<'py>,
    text: &str,
    names: Vec<String>,
    points: PyReadonlyArray2<'py, f64>,
) -> PyResult<Vector<'py>> {
    let mut expression = Expression::new(text, &names).map_err(|why| error::setting("log_ratio", why.to_string()))?;
    let values = points.as_array().rows().into_iter().map(|x| expression.value(&x.to_vec())).collect();
    Ok(PyArray1::from_vec(py, values))
}
