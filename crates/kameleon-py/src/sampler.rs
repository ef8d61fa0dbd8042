//! Samplers and kernels: their names, defaults and checks.

use crate::{error, json};
use kameleon::sampler::SAMPLERS;
use kameleon::{Kernel, Sampler};
use pyo3::prelude::*;

/// The samplers by name, each with a line about it.
#[pyfunction]
pub fn samplers() -> Vec<(&'static str, &'static str)> {
    SAMPLERS.to_vec()
}

/// The settings of the sampler of this name, as JSON.
#[pyfunction]
pub fn default_settings(name: &str) -> PyResult<String> {
    json::write(&Sampler::by_name(name).map_err(error::settings)?)
}

/// Reads settings and gives them back complete, with the sampler's name: an error names the argument.
#[pyfunction]
pub fn check_sampler(settings: &str) -> PyResult<(String, String)> {
    let sampler: Sampler = json::read_tagged(settings, "sampler")?;
    Ok((sampler.name().to_string(), json::write(&sampler)?))
}

/// Checks a kernel, gives it this bandwidth if there is one, and returns it.
#[pyfunction]
#[pyo3(signature = (kernel, bandwidth=None))]
pub fn check_kernel(kernel: &str, bandwidth: Option<f64>) -> PyResult<String> {
    let mut kernel: Kernel = json::read_tagged(kernel, "kernel")?;
    if let Some(sigma) = bandwidth {
        kernel.set_bandwidth(sigma);
    }
    kernel.check().map_err(|found| error::setting("kernel", found.to_string()))?;
    json::write(&kernel)
}
