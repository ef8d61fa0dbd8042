//! Models from outside as targets: expressions, programs, shared libraries and UM-Bridge servers.

use crate::any_target::AnyTarget;
use crate::target::PyTarget;
use crate::{error, sampler};
use kameleon_models::{
    Expression, LibrarySettings, Model, NoiseInput, SharedLibrary, UmBridge, UmBridgeSettings,
};
#[cfg(unix)]
use kameleon_models::{Program, ProgramSettings};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::time::Duration;

/// What a model is given for its noise: "exact", "own", "seed", or a number of normals.
fn noise(text: &str) -> PyResult<NoiseInput> {
    match text {
        "exact" => Ok(NoiseInput::Exact),
        "own" => Ok(NoiseInput::Own),
        "seed" => Ok(NoiseInput::Seed),
        count => count.parse().map(NoiseInput::Normals).map_err(|_| {
            error::setting("noise", format!("must be exact, own, seed or a number of normals, not \"{count}\""))
        }),
    }
}

fn target(model: Model) -> PyTarget {
    AnyTarget::Model(Box::new(model)).into()
}

fn seconds(timeout: f64) -> PyResult<Duration> {
    let wrong = || error::setting("timeout", format!("must be a positive number of seconds, not {timeout}"));
    Duration::try_from_secs_f64(timeout).ok().filter(|t| !t.is_zero()).ok_or_else(wrong)
}

/// A log density written as an expression of the parameters.
#[pyfunction]
pub fn expression(text: &str, names: Vec<String>) -> PyResult<PyTarget> {
    Ok(target(Model::Expression(Expression::new(text, &names).map_err(error::model)?)))
}

/// A program that reads points and writes log densities.
#[cfg(unix)]
#[pyfunction]
pub fn program(
    command: Vec<String>,
    names: Vec<String>,
    folder: Option<PathBuf>,
    noise_input: &str,
    timeout: f64,
) -> PyResult<PyTarget> {
    let settings = ProgramSettings {
        folder,
        noise: noise(noise_input)?,
        timeout: seconds(timeout)?,
        ..ProgramSettings::new(command)
    };
    Ok(target(Model::Program(Program::new(settings, &names).map_err(error::model)?)))
}

/// A function in a shared library with the C interface of `kameleon.h`.
#[pyfunction]
#[expect(unsafe_code)]
pub fn shared_library(
    path: PathBuf,
    names: Vec<String>,
    symbol: Option<String>,
    config: String,
    noise_input: &str,
) -> PyResult<PyTarget> {
    let settings = LibrarySettings { symbol, config, noise: noise(noise_input)?, ..LibrarySettings::new(path) };
    // SAFETY: whoever names a library to be loaded vouches for it, as with ctypes.
    let library = unsafe { SharedLibrary::load(settings, &names) };
    Ok(target(Model::Library(library.map_err(error::model)?)))
}

/// A model on a UM-Bridge server.
#[pyfunction]
pub fn umbridge(
    py: Python<'_>,
    url: String,
    names: Vec<String>,
    model: Option<String>,
    config: &str,
    noise_input: &str,
    timeout: f64,
) -> PyResult<PyTarget> {
    let settings = UmBridgeSettings {
        model,
        config: sampler::read(config, "config")?,
        noise: noise(noise_input)?,
        timeout: seconds(timeout)?,
        ..UmBridgeSettings::new(url)
    };
    // The server may be a thread of this very interpreter, which must not wait for us.
    let connected = py.detach(|| UmBridge::connect(settings, &names));
    Ok(target(Model::UmBridge(connected.map_err(error::model)?)))
}
