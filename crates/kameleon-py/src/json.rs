//! Settings as JSON: what Python sends is read by the same code as any stored settings.

use crate::error;
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a value; an error names the argument it was found in. What run files have in their section `run` are arguments
/// themselves.
pub fn read<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    read_at(text, |path| path.strip_prefix("run.").unwrap_or(path).to_string())
}

/// Reads a value whose first key says what kind it is, such as a sampler; `what` is its name as a whole.
pub fn read_tagged<T: DeserializeOwned>(text: &str, what: &str) -> PyResult<T> {
    read_at(text, |path| path.split_once('.').map_or(what, |(_, name)| name).to_string())
}

fn read_at<T: DeserializeOwned>(text: &str, name: impl Fn(&str) -> String) -> PyResult<T> {
    let mut json = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut json).map_err(|found| {
        let name = name(&found.path().to_string().replace('-', "_"));
        let why = found.into_inner().to_string();
        error::setting(name, why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why))
    })
}

/// Writes a value.
pub fn write(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|found| error::setting("settings", found.to_string()))
}
