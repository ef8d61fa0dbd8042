//! Samplers, kernels and targets by name: what there is, and checks of what was chosen.

use crate::{error, json};
use kameleon::{Choice, Kernel, Sampler};
use pyo3::prelude::*;

/// Every sampler, kernel and target with its settings, as JSON.
#[pyfunction]
pub fn registry() -> PyResult<String> {
    json::write(&kameleon_runs::registry())
}

/// Reads a name with settings (JSON) and gives it back with all settings and the sampler's own name.
#[pyfunction]
pub fn check_sampler(settings: &str) -> PyResult<(String, String)> {
    let sampler = read_sampler(settings)?;
    Ok((sampler.name().to_string(), json::write(&sampler)?))
}

/// The sampler that is meant: an error names the argument.
pub fn read_sampler(settings: &str) -> PyResult<Sampler> {
    let sampler = Choice::from_value(json::read(settings)?).and_then(|choice| Sampler::chosen(&choice));
    sampler.map_err(error::settings)
}

/// Checks a kernel, gives it this bandwidth if there is one, and returns it.
#[pyfunction]
#[pyo3(signature = (kernel, bandwidth=None))]
pub fn check_kernel(kernel: &str, bandwidth: Option<f64>) -> PyResult<String> {
    let mut kernel = read_kernel(kernel)?;
    if let Some(sigma) = bandwidth {
        kernel.set_bandwidth(sigma);
        kernel.check().map_err(|found| error::settings(found.within("kernel")))?;
    }
    json::write(&kernel.to_value())
}

/// The kernel that is meant.
pub fn read_kernel(kernel: &str) -> PyResult<Kernel> {
    Kernel::from_value(&json::read(kernel)?).map_err(|found| error::settings(found.within("kernel")))
}
