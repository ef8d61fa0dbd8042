//! A Python function as a target.

use kameleon::{EvalError, Evaluation, Noise, Target};
use kameleon_models::NoiseInput;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
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

/// Where the gradient of a Python function comes from.
#[derive(Clone)]
pub enum Slopes {
    /// There is none.
    None,
    /// The function returns its log density and the gradient.
    Pair,
    /// Another function of the same arguments returns it.
    Function(Arc<Py<PyAny>>),
}

impl Slopes {
    /// From what Python gives: nothing, true for a pair, or a function.
    pub fn of(given: &Bound<'_, PyAny>) -> Self {
        match given.extract::<bool>() {
            Ok(true) => Self::Pair,
            Ok(false) => Self::None,
            Err(_) if given.is_none() => Self::None,
            Err(_) => Self::Function(Arc::new(given.clone().unbind())),
        }
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
    slopes: Slopes,
}

impl Callable {
    /// The function, what it takes besides the point, whether its exceptions reject a point or end the run, and its gradient.
    pub fn new(function: Py<PyAny>, argument: NoiseInput, reject: bool, slopes: Slopes) -> Self {
        Self { function: Arc::new(function), argument, reject, slopes }
    }

    /// What the function makes of a point.
    fn call<'py>(
        &self,
        function: &Bound<'py, PyAny>,
        x: &[f64],
        seed: Option<u64>,
        normals: &[f64],
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = function.py();
        let point = PyArray1::from_slice(py, x);
        match (self.argument, seed) {
            (NoiseInput::Normals(_), _) => function.call1((point, PyArray1::from_slice(py, normals))),
            (_, Some(seed)) => function.call1((point, seed)),
            (_, None) => function.call1((point,)),
        }
    }

    fn evaluate(&self, py: Python<'_>, x: &[f64], mut noise: Noise<'_>, gradient: Option<&mut [f64]>) -> PyResult<f64> {
        let seed = matches!(self.argument, NoiseInput::Seed).then(|| noise.seed());
        let made = self.call(self.function.bind(py), x, seed, noise.normals)?;
        let number = |value: &Bound<'_, PyAny>| value.extract::<f64>().map_err(|_| not_a_number(value));
        match (&self.slopes, gradient) {
            (Slopes::Pair, gradient) => {
                let (value, slopes) =
                    made.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>().map_err(|_| not_a_pair(&made))?;
                let value = number(&value)?;
                // Where there is no density nobody looks at the gradient.
                if let Some(gradient) = gradient.filter(|_| value.is_finite()) {
                    write_slopes(&slopes, gradient)?;
                }
                Ok(value)
            }
            (Slopes::Function(function), Some(gradient)) => {
                let value = number(&made)?;
                if value.is_finite() {
                    write_slopes(&self.call(function.bind(py), x, seed, noise.normals)?, gradient)?;
                }
                Ok(value)
            }
            _ => number(&made),
        }
    }

    fn evaluation(&self, x: &[f64], noise: Noise<'_>, gradient: Option<&mut [f64]>) -> Evaluation {
        Python::attach(|py| {
            self.evaluate(py, x, noise, gradient).map_err(|error| match self.reject && rejects(py, &error) {
                true => EvalError::reject(error.to_string()),
                false => EvalError::fatal(error),
            })
        })
    }
}

/// Takes over a gradient, of as many numbers as the point has.
fn write_slopes(slopes: &Bound<'_, PyAny>, gradient: &mut [f64]) -> PyResult<()> {
    let wanted = gradient.len();
    let wrong = |what: String| PyValueError::new_err(format!("the gradient must be {wanted} numbers, not {what}"));
    let found: Vec<f64> = match slopes.extract::<PyReadonlyArray1<'_, f64>>() {
        Ok(array) => array.as_array().to_vec(),
        Err(_) => slopes.extract().map_err(|_| wrong(kind_of(slopes)))?,
    };
    if found.len() != wanted {
        return Err(wrong(found.len().to_string()));
    }
    gradient.copy_from_slice(&found);
    Ok(())
}

/// The error for a function that did not return its log density and its gradient.
pub fn not_a_pair(value: &Bound<'_, PyAny>) -> PyErr {
    let kind = kind_of(value);
    PyTypeError::new_err(format!("with gradient=True, log_density must return (log density, gradient), not {kind}"))
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
        self.evaluation(x, noise, None)
    }

    fn has_gradient(&self) -> bool {
        !matches!(self.slopes, Slopes::None)
    }

    fn gradient(&mut self, x: &[f64], noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        self.evaluation(x, noise, Some(gradient))
    }
}

/// Whether an exception may reject a point: not Ctrl-C, and not the end of the interpreter.
pub fn rejects(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyException>(py)
}
