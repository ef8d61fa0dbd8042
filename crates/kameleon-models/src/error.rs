//! What can be wrong with a model before anything is sampled, said so that the user can mend it.

use crate::expression::SyntaxError;
use std::time::Duration;
use thiserror::Error;

/// Why a model could not be set up.
#[derive(Debug, Error)]
pub enum ModelError {
    /// The expression cannot be read.
    #[error(transparent)]
    Expression(#[from] SyntaxError),
    /// A setting makes no sense.
    #[error("{of}: {why}")]
    Setting {
        /// What is set.
        of: String,
        /// What is wrong, and what is allowed.
        why: String,
    },
    /// A shared library cannot be used.
    #[error("shared library {path}: {why}")]
    Library {
        /// Which library.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// A model server cannot be used.
    #[error("model server {url}: {why}")]
    Server {
        /// Where it is.
        url: String,
        /// What is wrong with it.
        why: String,
    },
}

/// Fails with [`ModelError::Setting`] unless `ok`.
pub(crate) fn demand(ok: bool, of: &str, why: impl FnOnce() -> String) -> Result<(), ModelError> {
    if ok { Ok(()) } else { Err(ModelError::Setting { of: of.into(), why: why() }) }
}

/// Parameters need names, all different.
pub(crate) fn check_names(names: &[String]) -> Result<(), ModelError> {
    demand(!names.is_empty(), "parameters", || "at least one is needed".into())?;
    for (i, name) in names.iter().enumerate() {
        let plain = !name.is_empty() && !name.chars().any(|c| c.is_control() || c == '{' || c == '}');
        demand(plain, "parameters", || format!("{name:?} is no name: it must have letters, and no braces"))?;
        demand(!names[..i].contains(name), "parameters", || format!("two are named `{name}`"))?;
    }
    Ok(())
}

/// A timeout must pass at some time; a year is long enough, and short enough to be added to any clock.
pub(crate) fn check_timeout(of: &str, timeout: Duration) -> Result<(), ModelError> {
    const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);
    demand(!timeout.is_zero() && timeout <= YEAR, of, || {
        format!("the timeout must be positive and at most a year, not {timeout:?}")
    })
}
