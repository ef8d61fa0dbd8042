//! A Python function as a target.

use kameleon::{EvalError, Evaluation, Noise, Target};
use kameleon_models::NoiseInput;
use numpy::PyArray1;
use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use std::sync::Arc;

/// What a function is given besides the point: a seed, a number of normals, or nothing.
pub fn noise_input(seeded: bool, normals: usize) -> NoiseInput {
    match (seeded, normals) {
        (true, _) => NoiseInput::Seed,
        (false, 0) => NoiseInput::Exact,
        (false, count) => NoiseInput::Normals(count),
    }
}

/// A Python function of a vector that returns its log density.
///
/// It attaches to the interpreter for each call, which costs almost nothing on a thread that is attached already.
#[derive(Clone)]
pub struct Callable {
    function: Arc<Py<PyAny>>,
    argument: NoiseInput,
    reject: bool,
}

impl Callable {
    /// The function, what it takes besides the point, and whether its exceptions reject a point or end the run.
    pub fn new(function: Py<PyAny>, argument: NoiseInput, reject: bool) -> Self {
        Self { function: Arc::new(function), argument, reject }
    }

    fn call(&self, py: Python<'_>, x: &[f64], mut noise: Noise<'_>) -> PyResult<f64> {
        let point = PyArray1::from_slice(py, x);
        let function = self.function.bind(py);
        let value = match self.argument {
            NoiseInput::Exact | NoiseInput::Own => function.call1((point,)),
            NoiseInput::Seed => function.call1((point, noise.seed())),
            NoiseInput::Normals(_) => function.call1((point, PyArray1::from_slice(py, noise.normals))),
        }?;
        value.extract().map_err(|_| not_a_number(&value))
    }
}

/// The type of a value, and its shape if it has one.
pub fn kind_of(value: &Bound<'_, PyAny>) -> String {
    let kind = value.get_type().name().map_or_else(|_| "something else".into(), |name| name.to_string());
    match value.getattr("shape") {
        Ok(shape) => format!("{kind} of shape {shape}"),
        Err(_) => kind,
    }
}

/// The error for a function that did not return a number.
fn not_a_number(value: &Bound<'_, PyAny>) -> PyErr {
    let kind = kind_of(value);
    let hint = if value.is_none() { "; is a `return` missing?" } else { "" };
    PyTypeError::new_err(format!("log_density must return a number, not {kind}{hint}"))
}

impl Target for Callable {
    fn normals(&self) -> usize {
        self.argument.normals()
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        Python::attach(|py| {
            self.call(py, x, noise).map_err(|error| match self.reject && rejects(py, &error) {
                true => EvalError::reject(error.to_string()),
                false => EvalError::fatal(error),
            })
        })
    }
}

/// Whether an exception may reject a point: not Ctrl-C, and not the end of the interpreter.
pub fn rejects(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyException>(py)
}
