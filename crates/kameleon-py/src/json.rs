//! Settings as JSON: what Python sends is read by the same code as stored settings.

use crate::error;
use kameleon_runs::settings::plain_words;
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads settings of a run file; an error names the argument.
pub fn read<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    let mut json = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut json).map_err(|found| {
        let path = found.path().to_string();
        let why = found.into_inner().to_string();
        let why = why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why);
        error::argument(&path, &plain_words(why))
    })
}

/// Writes a value.
pub fn write(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|found| error::setting("settings", found.to_string()))
}
