//! Errors found while a model is set up, worded so that the user can correct them.

use std::fmt;
use std::time::Duration;
use thiserror::Error;

/// Why a model could not be set up: what is wrong with which setting, and what is allowed.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct ModelError(String);

impl ModelError {
    pub(crate) fn new(of: impl fmt::Display, why: impl fmt::Display) -> Self {
        Self(format!("{of}: {why}"))
    }
}

/// Fails unless `ok`.
pub(crate) fn demand(ok: bool, of: &str, why: impl FnOnce() -> String) -> Result<(), ModelError> {
    if ok { Ok(()) } else { Err(ModelError::new(of, why())) }
}

/// Every parameter needs a name of its own.
pub(crate) fn check_names(names: &[String]) -> Result<(), ModelError> {
    demand(!names.is_empty(), "parameters", || "at least one parameter is needed".into())?;
    for (i, name) in names.iter().enumerate() {
        let plain = !name.is_empty() && !name.chars().any(|c| c.is_control() || c == '{' || c == '}');
        demand(plain, "parameters", || {
            format!("{name:?} is not a valid name: a name is not empty and has no braces or control characters")
        })?;
        demand(!names[..i].contains(name), "parameters", || format!("two parameters are named `{name}`"))?;
    }
    Ok(())
}

/// A timeout is positive and at most a year, which can be added to any clock without overflow.
pub(crate) fn check_timeout(of: &str, timeout: Duration) -> Result<(), ModelError> {
    const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);
    demand(!timeout.is_zero() && timeout <= YEAR, of, || {
        format!("the timeout must be positive and at most a year, not {timeout:?}")
    })
}
