//! Samplers, kernels and targets by name: the registry, and checks of what was chosen.

use crate::{error, json};
use kameleon::{Choice, Kernel, Sampler};
use pyo3::prelude::*;

/// Every sampler, kernel and target with its settings, as JSON.
#[pyfunction]
pub fn registry() -> PyResult<String> {
    json::write(&kameleon_runs::registry())
}

/// Checks a name with settings (JSON); returns the sampler's name, all its settings, and whether it needs a gradient.
#[pyfunction]
pub fn check_sampler(settings: &str) -> PyResult<(String, String, bool)> {
    let sampler = read_sampler(settings)?;
    Ok((sampler.name().to_string(), json::write(&sampler)?, sampler.needs_gradient()))
}

/// Reads a sampler; an error names the argument.
pub fn read_sampler(settings: &str) -> PyResult<Sampler> {
    let sampler = Choice::from_value(json::read(settings)?).and_then(|choice| Sampler::chosen(&choice));
    sampler.map_err(error::settings)
}

/// Checks a kernel and returns it with all settings.
#[pyfunction]
pub fn check_kernel(kernel: &str) -> PyResult<String> {
    json::write(&read_kernel(kernel)?.to_value())
}

/// Reads a kernel.
pub fn read_kernel(kernel: &str) -> PyResult<Kernel> {
    Kernel::from_value(&json::read(kernel)?).map_err(|found| error::settings(found.within("kernel")))
}
