//! The diagnostics of `kameleon::diagnose` on arrays of shape (chains, draws).

use crate::array::Vector;
use crate::sampler::read_kernel;
use crate::{error, json, words};
use kameleon::diagnose;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;

/// A diagnostic of a parameter, by name; `p` is the level of a quantile.
#[pyfunction]
#[pyo3(signature = (name, draws, p=0.5))]
pub fn diagnostic(name: &str, draws: PyReadonlyArray2<'_, f64>, p: f64) -> PyResult<f64> {
    let rows: Vec<Vec<f64>> = draws.as_array().rows().into_iter().map(|row| row.to_vec()).collect();
    let chains: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    Ok(match name {
        "r_hat" => diagnose::r_hat(&chains),
        "r_hat_bulk" => diagnose::r_hat_bulk(&chains),
        "r_hat_folded" => diagnose::r_hat_folded(&chains),
        "ess_bulk" => diagnose::ess_bulk(&chains),
        "ess_tail" => diagnose::ess_tail(&chains),
        "ess_mean" => diagnose::ess_mean(&chains),
        "ess_sd" => diagnose::ess_sd(&chains),
        "ess_quantile" => diagnose::ess_quantile(&chains, p),
        "mcse_mean" => diagnose::mcse_mean(&chains),
        "mcse_sd" => diagnose::mcse_sd(&chains),
        "mcse_quantile" => diagnose::mcse_quantile(&chains, p),
        _ => return Err(error::setting("name", format!("there is no diagnostic \"{name}\""))),
    })
}

/// The autocorrelation of a series at every lag.
#[pyfunction]
pub fn autocorrelation<'py>(py: Python<'py>, x: PyReadonlyArray1<'py, f64>) -> Vector<'py> {
    PyArray1::from_vec(py, diagnose::autocorrelation(&x.as_array().to_vec()))
}

/// MMD² of two samples under a kernel given as JSON, with or without bias.
#[pyfunction]
pub fn mmd2(
    py: Python<'_>,
    x: PyReadonlyArray2<'_, f64>,
    y: PyReadonlyArray2<'_, f64>,
    kernel: &str,
    biased: bool,
) -> PyResult<f64> {
    let kernel = read_kernel(kernel)?;
    let (x, y) = (x.as_array(), y.as_array());
    let dim = x.ncols();
    if y.ncols() != dim || dim == 0 {
        let what = format!("the samples have {dim} and {} columns; both need the same, at least one", y.ncols());
        return Err(error::setting("y", what));
    }
    let [x, y]: [Vec<f64>; 2] = [x, y].map(|sample| sample.iter().copied().collect());
    let mmd2 = if biased { diagnose::mmd2_biased } else { diagnose::mmd2_unbiased };
    Ok(py.detach(|| mmd2(&x, &y, dim, &kernel)))
}

/// The summary of draws of shape (chains, draws, parameters), as JSON and as text.
#[pyfunction]
pub fn summarise(names: Vec<String>, draws: PyReadonlyArray3<'_, f64>) -> PyResult<(String, String)> {
    let draws = draws.as_array();
    let dim = draws.shape()[2];
    if dim == 0 {
        return Err(error::setting("draws", "has no parameters"));
    }
    let chains: Vec<Vec<f64>> = draws.outer_iter().map(|chain| chain.iter().copied().collect()).collect();
    let chains: Vec<&[f64]> = chains.iter().map(Vec::as_slice).collect();
    summary_texts(diagnose::summarise(&names, &chains, dim))
}

/// A summary as JSON, with the headline of its verdict, and as text, in the words of Python.
pub fn summary_texts(mut summary: diagnose::Summary) -> PyResult<(String, String)> {
    let verdict = &mut summary.verdict;
    let said = verdict.messages.iter_mut().chain(&mut verdict.remarks);
    said.for_each(|text| *text = words::of_python(text));
    let headline = verdict.headline();
    Ok((json::write(&serde_json::json!({"summary": summary, "headline": headline}))?, summary.to_string()))
}
