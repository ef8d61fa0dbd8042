//! Vectorised Python functions: one call for the points of all chains, or of a batch.

use crate::callable::{kind_of, rejects};
use kameleon::{EvalError, Evaluation, Noise, Target};
use kameleon_models::NoiseInput;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// A vectorised function: one row for a point, all rows of a batch in one call.
#[derive(Clone)]
pub struct Rows {
    function: Arc<Py<PyAny>>,
    argument: NoiseInput,
    reject: bool,
}

/// What goes with the points of a call: a seed for each, or a row of normals.
enum Second<'a> {
    Nothing,
    Seeds(Vec<u64>),
    Normals(Vec<&'a [f64]>),
}

impl Rows {
    /// The function, what it takes besides the points, and whether its exceptions reject a point or end the run.
    pub fn new(function: Py<PyAny>, argument: NoiseInput, reject: bool) -> Self {
        Self { function: Arc::new(function), argument, reject }
    }

    /// The log densities at all points, by one call. If an exception is to reject points, those that raise it are found one by
    /// one.
    fn evaluations(&self, py: Python<'_>, points: &[&[f64]], second: &Second<'_>) -> PyResult<Vec<Evaluation>> {
        match self.evaluate(py, points, second) {
            Ok(values) => Ok(values.into_iter().map(Ok).collect()),
            Err(error) if !self.reject || !rejects(py, &error) => Err(error),
            Err(error) if points.len() == 1 => Ok(vec![Err(EvalError::reject(error.to_string()))]),
            Err(_) => {
                let one = |k: usize| self.evaluations(py, &points[k..=k], &second.only(k));
                Ok((0..points.len()).map(one).collect::<PyResult<Vec<_>>>()?.into_iter().flatten().collect())
            }
        }
    }

    fn evaluate(&self, py: Python<'_>, points: &[&[f64]], second: &Second<'_>) -> PyResult<Vec<f64>> {
        let (rows, function) = (matrix(py, points)?, self.function.bind(py));
        let values = match second {
            Second::Nothing => function.call1((rows,)),
            Second::Seeds(seeds) => function.call1((rows, seeds)),
            Second::Normals(normals) => function.call1((rows, matrix(py, normals)?)),
        }?;
        let values: Vec<f64> = match values.extract::<PyReadonlyArray1<'_, f64>>() {
            Ok(array) => array.as_array().to_vec(),
            Err(_) => values.extract().map_err(|_| not_rows(points.len(), &kind_of(&values)))?,
        };
        match values.len() == points.len() {
            true => Ok(values),
            false => Err(not_rows(points.len(), &values.len().to_string())),
        }
    }
}

impl Second<'_> {
    /// That of one point.
    fn only(&self, k: usize) -> Self {
        match self {
            Self::Nothing => Self::Nothing,
            Self::Seeds(seeds) => Self::Seeds(vec![seeds[k]]),
            Self::Normals(normals) => Self::Normals(vec![normals[k]]),
        }
    }
}

impl Target for Rows {
    fn normals(&self) -> usize {
        self.argument.normals()
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        let value = self.log_densities(&[x], vec![noise]).pop();
        value.unwrap_or_else(|| Err(EvalError::fatal("there is no value")))
    }

    fn batch(&self) -> usize {
        usize::MAX
    }

    fn log_densities(&mut self, points: &[&[f64]], mut noise: Vec<Noise<'_>>) -> Vec<Evaluation> {
        let second = match self.argument {
            NoiseInput::Exact | NoiseInput::Own => Second::Nothing,
            NoiseInput::Seed => Second::Seeds(noise.iter_mut().map(Noise::seed).collect()),
            NoiseInput::Normals(_) => Second::Normals(noise.iter().map(|noise| noise.normals).collect()),
        };
        Python::attach(|py| match self.evaluations(py, points, &second) {
            Ok(values) => values,
            Err(error) => points.iter().map(|_| Err(EvalError::fatal(error.clone_ref(py)))).collect(),
        })
    }
}

/// Rows of the same length as an array.
fn matrix<'py>(py: Python<'py>, rows: &[&[f64]]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let columns = rows.first().map_or(0, |row| row.len());
    PyArray1::from_vec(py, rows.concat()).reshape([rows.len(), columns])
}

/// The error for a function that did not return a number for each row.
fn not_rows(rows: usize, what: &str) -> PyErr {
    let numbers = if rows == 1 { "1 number for one row".into() } else { format!("{rows} numbers, one for each row") };
    PyValueError::new_err(format!("log_density must return {numbers}, not {what}"))
}
