//! The program `kameleon`, for the console script of the Python package.

use pyo3::prelude::*;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// The exit code of a Rust program that has panicked.
const PANICKED: u8 = 101;

/// Runs the program with these arguments, its name first, and returns its exit code. `file` is that of this module.
#[pyfunction]
pub fn run_program(py: Python<'_>, arguments: Vec<OsString>, file: PathBuf) -> u8 {
    // Without the interpreter, which none of it needs: a process that runs the program does nothing else.
    py.detach(|| catch_unwind(AssertUnwindSafe(|| kameleon_cli::run(arguments, file))).unwrap_or(PANICKED))
}
