//! What is kept of a run, and written.

use super::SettingsError;
use crate::output::{FORMATS, FormatName};
use serde::{Deserialize, Serialize};

/// The section `[output]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct OutputSettings {
    /// Whether the draws of the warm-up are kept too.
    pub keep_warmup: bool,
    /// Whether the jump proposals of recorded iterations are kept, from which the evidence and weighted draws come.
    pub keep_jumps: bool,
    /// The seconds between two checkpoints of a chain; what it did since the last is done again after a crash.
    pub save_every: f64,
    /// The files that are written into the folder when the run has ended.
    pub formats: Vec<FormatName>,
}

impl Default for OutputSettings {
    fn default() -> Self {
        Self { keep_warmup: false, keep_jumps: true, save_every: 2.0, formats: vec![FormatName(&FORMATS[0])] }
    }
}

impl OutputSettings {
    pub(super) fn check(&self) -> Result<(), SettingsError> {
        let seconds = self.save_every;
        let ok = (0.0..=1e6).contains(&seconds);
        let what = format!("must be from 0 to 1000000 seconds, not {seconds}");
        SettingsError::demand("output.save-every", ok, &what)
    }
}
