//! A Python function as a target.

use kameleon::{EvalError, Evaluation, Noise, Rng, Target};
use numpy::PyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rand::RngExt;
use std::sync::Arc;

/// What a function is given besides the point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoiseArgument {
    /// Nothing.
    None,
    /// A whole number below 2⁵³ from the noise stream of the chain.
    Seed,
    /// This number of standard normals, which are part of the state of the chain.
    Normals(usize),
}

impl NoiseArgument {
    /// A seed, a number of normals, or nothing.
    pub fn new(seeded: bool, normals: usize) -> Self {
        match (seeded, normals) {
            (true, _) => Self::Seed,
            (false, 0) => Self::None,
            (false, count) => Self::Normals(count),
        }
    }

    /// The number of normals.
    pub fn normals(self) -> usize {
        if let Self::Normals(count) = self { count } else { 0 }
    }
}

/// A Python function of a vector that returns its log density.
///
/// It attaches to the interpreter for each call, which costs almost nothing on a thread that is attached already.
#[derive(Clone)]
pub struct Callable {
    function: Arc<Py<PyAny>>,
    argument: NoiseArgument,
}

impl Callable {
    /// The function, and what it takes besides the point.
    pub fn new(function: Py<PyAny>, argument: NoiseArgument) -> Self {
        Self { function: Arc::new(function), argument }
    }

    fn call(&self, py: Python<'_>, x: &[f64], noise: Noise<'_>) -> PyResult<f64> {
        let point = PyArray1::from_slice(py, x);
        let function = self.function.bind(py);
        let value = match self.argument {
            NoiseArgument::None => function.call1((point,)),
            NoiseArgument::Seed => function.call1((point, seed(noise.rng))),
            NoiseArgument::Normals(_) => function.call1((point, PyArray1::from_slice(py, noise.normals))),
        }?;
        value.extract().map_err(|_| not_a_number(&value))
    }
}

/// A whole number below 2⁵³, as for models in other languages.
pub fn seed(rng: &mut Rng) -> u64 {
    rng.random::<u64>() >> 11
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
        Python::attach(|py| self.call(py, x, noise)).map_err(EvalError::fatal)
    }
}
