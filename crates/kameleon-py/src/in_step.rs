//! Chains that all take a step at once: one call of a vectorised function for each iteration.

use crate::callable::not_a_number;
use crate::chain::PyChain;
use crate::record::{Keep, MemoryRecord};
use crate::run::{Ran, conclude};
use crate::session::Session;
use kameleon::any_chain::AnyChain;
use kameleon::chain::ChainError;
use kameleon::record::Record;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Runs all chains in step: one call of `function` with an array of all their points for each iteration.
///
/// `function` takes (points,), or (points, normals) if the chains carry normals; both have a row for each chain.
#[pyfunction]
#[pyo3(signature = (chains, function, *, sampling, thin, keep_warmup, watcher))]
pub fn run_in_step(
    py: Python<'_>,
    chains: Vec<Py<PyChain>>,
    function: &Bound<'_, PyAny>,
    sampling: u64,
    thin: u64,
    keep_warmup: bool,
    watcher: Option<Py<PyAny>>,
) -> PyResult<Ran> {
    let session = Session::new(chains.len(), watcher);
    let keep = Keep { thin, with_warmup: keep_warmup };
    let mut taken = chains.iter().map(|chain| chain.get().take()).collect::<PyResult<Vec<_>>>()?;
    let mut records: Vec<_> = chains.iter().map(|_| MemoryRecord::new(keep)).collect();
    let error = loop {
        match step_all(py, &mut taken, &mut records, function, sampling, &session) {
            Ok(true) => {}
            Ok(false) => break None,
            Err(error) => break Some(error),
        }
    };
    let dims: Vec<usize> = taken.iter().map(|chain| chain.position().len()).collect();
    for (chain, home) in taken.into_iter().zip(&chains) {
        home.get().put(chain);
    }
    conclude(py, &session, records.into_iter().zip(dims).collect(), error)
}

/// One iteration of every chain that has not ended; false if all have, or if the session was stopped.
fn step_all(
    py: Python<'_>,
    chains: &mut [Box<dyn AnyChain>],
    records: &mut [MemoryRecord],
    function: &Bound<'_, PyAny>,
    sampling: u64,
    session: &Session,
) -> Result<bool, ChainError> {
    let going: Vec<usize> = (0..chains.len())
        .filter(|&k| chains[k].iterations() < chains[k].warmup().saturating_add(sampling))
        .collect();
    if session.is_stopped() || going.is_empty() {
        return Ok(false);
    }
    let values = match evaluate_all(py, chains, &going, function) {
        Ok(values) => values,
        Err(error) => {
            session.end(py, error);
            return Ok(false);
        }
    };
    for (&k, value) in going.iter().zip(values) {
        if let Some(step) = chains[k].tell(Ok(value))? {
            let recorded = records[k].step(&*chains[k], &step);
            recorded.map_err(|source| ChainError::Record { chain: k, source })?;
        }
    }
    session.see(chains);
    session.tick(py);
    Ok(true)
}

/// The log densities at the points that the chains ask for, by one call.
fn evaluate_all(
    py: Python<'_>,
    chains: &mut [Box<dyn AnyChain>],
    going: &[usize],
    function: &Bound<'_, PyAny>,
) -> PyResult<Vec<f64>> {
    let (mut points, mut normals) = (Vec::new(), Vec::new());
    for &k in going {
        points.extend_from_slice(chains[k].ask());
        normals.extend_from_slice(chains[k].normals());
    }
    let matrix = |values: Vec<f64>| {
        let columns = values.len() / going.len();
        PyArray1::from_vec(py, values).reshape([going.len(), columns])
    };
    let values = if normals.is_empty() {
        function.call1((matrix(points)?,))?
    } else {
        function.call1((matrix(points)?, matrix(normals)?))?
    };
    let values: Vec<f64> = match values.extract::<PyReadonlyArray1<'_, f64>>() {
        Ok(array) => array.as_array().to_vec(),
        Err(_) => values.extract().map_err(|_| not_a_number(&values))?,
    };
    if values.len() != going.len() {
        let what = format!("log_density must return {} numbers, one for each row, not {}", going.len(), values.len());
        return Err(PyValueError::new_err(what));
    }
    Ok(values)
}
