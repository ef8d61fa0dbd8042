//! Settings as JSON: what Python sends is read by the same code as any stored settings.

use crate::error;
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads settings of a run file; an error names the argument it was found in.
pub fn read<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    read_at(text, error::argument)
}

fn read_at<T: DeserializeOwned>(text: &str, wrong: impl Fn(&str, &str) -> PyErr) -> PyResult<T> {
    let mut json = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut json).map_err(|found| {
        let path = found.path().to_string();
        let why = found.into_inner().to_string();
        let why = why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why);
        let why = why.replace("expected u64", WHOLE).replace("expected usize", WHOLE).replace("expected f64", NUMBER);
        wrong(&path, &why)
    })
}

/// What the names of Rust's types mean.
const WHOLE: &str = "expected a whole number, 0 or more";
const NUMBER: &str = "expected a number";

/// Writes a value.
pub fn write(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|found| error::setting("settings", found.to_string()))
}
