//! Errors in a table or in the settings, worded so that the user can correct them.

use kameleon::SettingsError;
use thiserror::Error;

/// Why a classification problem could not be set up or used. Rows are counted from 1, without the header.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct GpError(pub(crate) String);

impl GpError {
    /// For `map_err`.
    pub(crate) fn reference(why: impl std::fmt::Display) -> Self {
        Self(format!("the reference point cannot be evaluated: {why}"))
    }

    /// For draws of θ of which none can be evaluated.
    pub(crate) fn none_usable(given: usize) -> Self {
        Self(format!("none of the {given} values of θ can be evaluated"))
    }
}

impl From<SettingsError> for GpError {
    fn from(error: SettingsError) -> Self {
        // Settings have their names of Rust and Python here.
        Self(format!("setting {}: {}", error.setting.replace('-', "_"), error.what))
    }
}

/// The file is not a table: it cannot be read, or its rows differ in length.
impl From<csv::Error> for GpError {
    fn from(error: csv::Error) -> Self {
        Self(format!("cannot read the table: {error}"))
    }
}
