//! Vectorised Python functions: one call for the points of all chains, or of a batch.

use crate::callable::{Slopes, kind_of, not_a_pair, rejects};
use kameleon::{EvalError, Evaluation, Noise, Target};
use kameleon_models::NoiseInput;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// A vectorised function: one row for a point, all rows of a batch in one call.
#[derive(Clone)]
pub struct Rows {
    function: Arc<Py<PyAny>>,
    argument: NoiseInput,
    reject: bool,
    slopes: Slopes,
}

/// What goes with the points of a call: a seed for each, or a row of normals.
enum Second<'a> {
    Nothing,
    Seeds(Vec<u64>),
    Normals(Vec<&'a [f64]>),
}

impl Rows {
    /// The function, what it takes besides the points, whether its exceptions reject a point or end the run, and its gradient.
    pub fn new(function: Py<PyAny>, argument: NoiseInput, reject: bool, slopes: Slopes) -> Self {
        Self { function: Arc::new(function), argument, reject, slopes }
    }

    /// The log densities at all points, by one call, and the gradients if there is room for them. If an exception is to reject points,
    /// those that raise it are found one by one.
    fn evaluations(
        &self,
        py: Python<'_>,
        points: &[&[f64]],
        second: &Second<'_>,
        gradients: &mut [f64],
    ) -> PyResult<Vec<Evaluation>> {
        match self.evaluate(py, points, second, gradients) {
            Ok(values) => Ok(values.into_iter().map(Ok).collect()),
            Err(error) if !self.reject || !rejects(py, &error) => Err(error),
            Err(error) if points.len() == 1 => Ok(vec![Err(EvalError::reject(error.to_string()))]),
            Err(_) => {
                let width = gradients.len() / points.len();
                let mut one = |k: usize| {
                    let room = &mut gradients[k * width..(k + 1) * width];
                    self.evaluations(py, &points[k..=k], &second.of(&[k]), room)
                };
                Ok((0..points.len()).map(&mut one).collect::<PyResult<Vec<_>>>()?.into_iter().flatten().collect())
            }
        }
    }

    fn evaluate(
        &self,
        py: Python<'_>,
        points: &[&[f64]],
        second: &Second<'_>,
        gradients: &mut [f64],
    ) -> PyResult<Vec<f64>> {
        let made = call(self.function.bind(py), points, second)?;
        if !matches!(self.slopes, Slopes::Pair) {
            let values = numbers(&made, points.len())?;
            if let Slopes::Function(function) = &self.slopes
                && !gradients.is_empty()
            {
                // Where there is no density nobody looks at the gradient.
                let asked: Vec<usize> = (0..points.len()).filter(|k| values[*k].is_finite()).collect();
                if !asked.is_empty() {
                    let some: Vec<&[f64]> = asked.iter().map(|k| points[*k]).collect();
                    write_slopes(&call(function.bind(py), &some, &second.of(&asked))?, &asked, points, gradients)?;
                }
            }
            return Ok(values);
        }
        let (values, slopes) = made.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>().map_err(|_| not_a_pair(&made))?;
        if !gradients.is_empty() {
            write_slopes(&slopes, &(0..points.len()).collect::<Vec<_>>(), points, gradients)?;
        }
        numbers(&values, points.len())
    }

    /// What all calls come to.
    fn answers(&self, points: &[&[f64]], mut noise: Vec<Noise<'_>>, gradients: &mut [f64]) -> Vec<Evaluation> {
        let second = match self.argument {
            NoiseInput::Exact | NoiseInput::Own => Second::Nothing,
            NoiseInput::Seed => Second::Seeds(noise.iter_mut().map(Noise::seed).collect()),
            NoiseInput::Normals(_) => Second::Normals(noise.iter().map(|noise| noise.normals).collect()),
        };
        Python::attach(|py| match self.evaluations(py, points, &second, gradients) {
            Ok(values) => values,
            Err(error) => points.iter().map(|_| Err(EvalError::fatal(error.clone_ref(py)))).collect(),
        })
    }
}

impl Second<'_> {
    /// That of some points.
    fn of(&self, points: &[usize]) -> Self {
        match self {
            Self::Nothing => Self::Nothing,
            Self::Seeds(seeds) => Self::Seeds(points.iter().map(|k| seeds[*k]).collect()),
            Self::Normals(normals) => Self::Normals(points.iter().map(|k| normals[*k]).collect()),
        }
    }
}

impl Target for Rows {
    fn normals(&self) -> usize {
        self.argument.normals()
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        only(self.answers(&[x], vec![noise], &mut []))
    }

    fn has_gradient(&self) -> bool {
        !matches!(self.slopes, Slopes::None)
    }

    fn gradient(&mut self, x: &[f64], noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        only(self.answers(&[x], vec![noise], gradient))
    }

    fn batch(&self) -> usize {
        usize::MAX
    }

    fn log_densities(&mut self, points: &[&[f64]], noise: Vec<Noise<'_>>) -> Vec<Evaluation> {
        self.answers(points, noise, &mut [])
    }

    fn gradients(&mut self, points: &[&[f64]], noise: Vec<Noise<'_>>, gradients: &mut [f64]) -> Vec<Evaluation> {
        self.answers(points, noise, gradients)
    }
}

/// The answer at the one point that was asked for.
fn only(mut values: Vec<Evaluation>) -> Evaluation {
    values.pop().unwrap_or_else(|| Err(EvalError::fatal("there is no value")))
}

fn call<'py>(function: &Bound<'py, PyAny>, points: &[&[f64]], second: &Second<'_>) -> PyResult<Bound<'py, PyAny>> {
    let (py, rows) = (function.py(), matrix(function.py(), points)?);
    match second {
        Second::Nothing => function.call1((rows,)),
        Second::Seeds(seeds) => function.call1((rows, seeds)),
        Second::Normals(normals) => function.call1((rows, matrix(py, normals)?)),
    }
}

/// Rows of the same length as an array.
fn matrix<'py>(py: Python<'py>, rows: &[&[f64]]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let columns = rows.first().map_or(0, |row| row.len());
    PyArray1::from_vec(py, rows.concat()).reshape([rows.len(), columns])
}

/// A number for each row.
fn numbers(values: &Bound<'_, PyAny>, rows: usize) -> PyResult<Vec<f64>> {
    let found: Vec<f64> = match values.extract::<PyReadonlyArray1<'_, f64>>() {
        Ok(array) => array.as_array().to_vec(),
        // Functions of scipy give a single number for a single row.
        Err(_) => match values.extract::<f64>() {
            Ok(value) if rows == 1 => vec![value],
            _ => values.extract().map_err(|_| not_rows(rows, &kind_of(values)))?,
        },
    };
    match found.len() == rows {
        true => Ok(found),
        false => Err(not_rows(rows, &found.len().to_string())),
    }
}

/// Takes over the gradients at the points of these places, a row for each.
fn write_slopes(slopes: &Bound<'_, PyAny>, places: &[usize], points: &[&[f64]], gradients: &mut [f64]) -> PyResult<()> {
    let dim = gradients.len() / points.len();
    let wrong = |what: String| {
        PyValueError::new_err(format!(
            "the gradient must be of shape ({}, {dim}), a row for each point, not {what}",
            places.len()
        ))
    };
    let found: Vec<Vec<f64>> = match slopes.extract::<PyReadonlyArray2<'_, f64>>() {
        Ok(array) if array.shape() != [places.len(), dim] => return Err(wrong(format!("{:?}", array.shape()))),
        Ok(array) => array.as_array().rows().into_iter().map(|row| row.to_vec()).collect(),
        Err(_) => slopes.extract().map_err(|_| wrong(kind_of(slopes)))?,
    };
    if found.len() != places.len() || found.iter().any(|row| row.len() != dim) {
        return Err(wrong(format!("{} rows", found.len())));
    }
    for (k, row) in places.iter().zip(found) {
        gradients[k * dim..(k + 1) * dim].copy_from_slice(&row);
    }
    Ok(())
}

/// The error for a function that did not return a number for each row.
fn not_rows(rows: usize, what: &str) -> PyErr {
    let numbers = if rows == 1 { "1 number for one row".into() } else { format!("{rows} numbers, one for each row") };
    PyValueError::new_err(format!("log_density must return {numbers}, not {what}"))
}
