//! Arrays between Python and Rust.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

/// A matrix that Python owns.
pub type Matrix<'py> = Bound<'py, PyArray2<f64>>;
/// A vector that Python owns.
pub type Vector<'py> = Bound<'py, PyArray1<f64>>;

/// A matrix with this number of columns, from its values row by row.
pub fn rows<'py>(py: Python<'py>, values: &[f64], columns: usize) -> PyResult<Matrix<'py>> {
    let count = values.len().checked_div(columns).unwrap_or(0);
    PyArray1::from_slice(py, values).reshape([count, columns])
}
