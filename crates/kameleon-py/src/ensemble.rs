//! The class `Ensemble`: the chains of a run, by ask and tell, that can be stored and sent.

use crate::array::{self, Matrix, Vector};
use crate::{error, json, posterior, words};
use kameleon::engine::TellError;
use kameleon_runs::{Ensemble, Positions, Rows, RunSettings};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The chains of a run that ask together.
#[pyclass(name = "Ensemble", module = "kameleon._kameleon", frozen)]
pub struct PyEnsemble {
    ensemble: Mutex<Ensemble>,
}

/// Points, seeds, and normals.
type Asked<'py> = (Matrix<'py>, Vec<u64>, Matrix<'py>);

impl PyEnsemble {
    fn new_of(ensemble: Ensemble) -> Self {
        Self { ensemble: Mutex::new(ensemble) }
    }

    fn lock(&self) -> MutexGuard<'_, Ensemble> {
        self.ensemble.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyEnsemble {
    /// The chains of a run with these settings (JSON).
    #[new]
    fn new(py: Python<'_>, settings: &str) -> PyResult<Self> {
        let settings: RunSettings = json::read(settings)?;
        py.detach(|| Ensemble::start(&settings)).map(Self::new_of).map_err(error::run)
    }

    /// An ensemble as it was saved.
    #[staticmethod]
    fn load(py: Python<'_>, state: &[u8]) -> PyResult<Self> {
        py.detach(|| Ensemble::load(state)).map(Self::new_of).map_err(error::run)
    }

    /// The state of the ensemble.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.lock().save()).map_err(error::run)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The points whose log densities are needed next, with a seed or a row of normals for each where these are taken.
    fn ask<'py>(&self, py: Python<'py>) -> PyResult<Asked<'py>> {
        let mut ensemble = self.lock();
        let dim = ensemble.dim();
        let Rows { points, seeds, normals, count } = ensemble.ask();
        let width = normals.len().checked_div(*count).unwrap_or(0);
        Ok((array::rows(py, points, dim)?, seeds.clone(), array::rows(py, normals, width)?))
    }

    /// Tells the log densities at the points asked for, and the gradients there, one after another, if the sampler needs them.
    fn tell(
        &self,
        py: Python<'_>,
        values: PyReadonlyArray1<'_, f64>,
        gradients: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<()> {
        let values = values.as_array().iter().copied().map(Ok).collect();
        let gradients = gradients.as_array().to_vec();
        py.detach(|| self.lock().tell_with_gradients(values, &gradients)).map_err(|why| match why {
            TellError::Chain(why) => error::chain(&why),
            why => error::EvaluationError::new_err(why.to_string()),
        })
    }

    /// The draw that each chain showed last, the log densities there, and the numbers of steps.
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<(Matrix<'py>, Vector<'py>, Vec<u64>)> {
        let ensemble = self.lock();
        let Positions { points, log_density, iterations } = ensemble.positions();
        Ok((array::rows(py, &points, ensemble.dim())?, PyArray1::from_vec(py, log_density), iterations))
    }

    /// Whether all draws are made.
    #[getter]
    fn done(&self) -> bool {
        self.lock().ending().is_some()
    }

    /// The posterior so far as a dictionary, how it ended, and why.
    fn posterior<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>, &'static str, String)> {
        let (posterior, ending, reason) = py.detach(|| self.lock().posterior()).map_err(error::run)?;
        Ok((posterior::to_dict(py, posterior)?, ending.word(), words::of_python(&reason)))
    }
}
