//! What R asks for: a run to be started with settings, or to be resumed from a folder.

use crate::refusal::Refusal;
use kameleon_runs::settings::plain_words;
use kameleon_runs::{Resume, RunSettings};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::PathBuf;

/// A run.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// None to resume.
    pub settings: Option<Value>,
    /// Where the run is kept.
    pub folder: Option<PathBuf>,
    /// Whether the target is the function that R has, and not what the settings name.
    pub function: bool,
    /// Whether R wants to be told the progress.
    pub progress: bool,
    /// The number of draws of each chain, to make the run longer.
    pub draws: Option<u64>,
    /// The number of threads.
    pub cores: Option<usize>,
    /// The most minutes from now on.
    pub max_minutes: Option<f64>,
    /// Whether the model may give other values than the chains have stored.
    pub trust: bool,
}

impl Request {
    /// The settings of the run.
    pub fn settings(&self) -> Result<RunSettings, Refusal> {
        match (&self.settings, &self.folder) {
            (Some(settings), _) => read(settings.clone()),
            (None, Some(folder)) => kameleon_runs::settings_of(folder).map_err(Refusal::of_run),
            (None, None) => Err(Refusal::new("folder", "is needed to resume a run")),
        }
    }

    /// What may differ in a run that is resumed.
    pub fn resume(&self) -> Resume {
        let threads = if self.function { Some(1) } else { self.cores };
        Resume { draws: self.draws, threads, max_minutes: self.max_minutes, trust: self.trust }
    }
}

/// Reads what R sent; an error names the argument.
pub fn read<T: DeserializeOwned>(value: Value) -> Result<T, Refusal> {
    serde_path_to_error::deserialize(value).map_err(|found| {
        let path = found.path().to_string();
        Refusal::at_key(&path, &plain_words(&found.into_inner().to_string()))
    })
}
