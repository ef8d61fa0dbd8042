//! Settings as JSON: what Python sends is read by the same code as stored settings.

use crate::error;
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
        let why = why.replace("expected u64", WHOLE).replace("expected usize", WHOLE).replace("expected f64", NUMBER);
        error::argument(&path, &why)
    })
}

/// In place of Rust's types.
const WHOLE: &str = "expected a whole number, 0 or more";
const NUMBER: &str = "expected a number";

/// Writes a value.
pub fn write(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|found| error::setting("settings", found.to_string()))
}
