//! The one error for settings that make no sense.

use thiserror::Error;

/// A setting that makes no sense, found before anything runs.
#[derive(Clone, Debug, Default, Error, PartialEq, Eq)]
#[error("{}{}{what}", head(place), head(setting))]
pub struct SettingsError {
    /// The file it was read from, with the line, as in `run.toml, line 3, column 8`; empty if it was not read from a file.
    pub place: String,
    /// Which setting, such as `gamma`, or `kernel.order` for a setting within a setting; empty if the message names it.
    pub setting: String,
    /// What is wrong, and what is allowed.
    pub what: String,
}

/// What stands before the message.
fn head(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{text}: ") }
}

impl SettingsError {
    /// `setting` is wrong in this way.
    pub fn new(setting: impl Into<String>, what: impl Into<String>) -> Self {
        Self { setting: setting.into(), what: what.into(), ..Self::default() }
    }

    /// The same error of a setting within `outer`; a name that is not known is that of `outer` itself.
    pub fn within(self, outer: &str) -> Self {
        let setting = if self.setting == "name" { outer.into() } else { format!("{outer}.{}", self.setting) };
        Self { setting, ..self }
    }

    /// An error unless `ok`.
    pub fn demand(setting: &str, ok: bool, what: &str) -> Result<(), Self> {
        if ok { Ok(()) } else { Err(Self::new(setting, what)) }
    }

    pub(crate) fn at_least_one(setting: &str, value: u64) -> Result<(), Self> {
        Self::demand(setting, value >= 1, "must be at least 1")
    }

    pub(crate) fn length(setting: &str, found: usize, wanted: usize) -> Result<(), Self> {
        Self::demand(setting, found == wanted, &format!("must have {wanted} numbers, one per dimension, not {found}"))
    }
}
