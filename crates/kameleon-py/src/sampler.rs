//! Samplers and kernels as JSON: what Python sends is read by the same code as any stored settings.

use crate::error;
use kameleon::sampler::SAMPLERS;
use kameleon::{Kernel, Sampler};
use pyo3::prelude::*;
use serde::de::DeserializeOwned;

/// Reads a value; an error names the argument it was found in.
pub fn read<T: DeserializeOwned>(text: &str, what: &str) -> PyResult<T> {
    // The first step of the path is the kind of sampler; an error about the whole value has no other.
    read_at(text, |path| path.split_once('.').map_or(what, |(_, name)| name).to_string())
}

/// Reads a value that has no kind, such as the settings of a model.
pub fn read_flat<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    read_at(text, str::to_string)
}

fn read_at<T: DeserializeOwned>(text: &str, name: impl Fn(&str) -> String) -> PyResult<T> {
    let mut json = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut json).map_err(|found| {
        let name = name(&found.path().to_string().replace('-', "_"));
        let why = found.into_inner().to_string();
        error::setting(name, why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why))
    })
}

/// The samplers by name, each with a line about it.
#[pyfunction]
pub fn samplers() -> Vec<(&'static str, &'static str)> {
    SAMPLERS.to_vec()
}

/// The settings of the sampler of this name, as JSON.
#[pyfunction]
pub fn default_settings(name: &str) -> PyResult<String> {
    to_json(&Sampler::by_name(name).map_err(error::settings)?)
}

/// Reads settings and gives them back complete, with the sampler's name: an error names the argument.
#[pyfunction]
pub fn check_sampler(settings: &str) -> PyResult<(String, String)> {
    let sampler: Sampler = read(settings, "sampler")?;
    Ok((sampler.name().to_string(), to_json(&sampler)?))
}

/// Checks a kernel, gives it this bandwidth if there is one, and returns it.
#[pyfunction]
#[pyo3(signature = (kernel, bandwidth=None))]
pub fn check_kernel(kernel: &str, bandwidth: Option<f64>) -> PyResult<String> {
    let mut kernel: Kernel = read(kernel, "kernel")?;
    if let Some(sigma) = bandwidth {
        kernel.set_bandwidth(sigma);
    }
    kernel.check().map_err(|found| error::setting("kernel", found.to_string()))?;
    to_json(&kernel)
}

fn to_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|found| error::setting("settings", found.to_string()))
}
