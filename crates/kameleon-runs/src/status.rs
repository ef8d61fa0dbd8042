//! How a run on disk ended, and what there is to say about it: the file `status.toml`.

use crate::atomic_file::{self, FileError};
use crate::store::{Files, STATUS};
use kameleon::Ending;
use kameleon::diagnose::Stein;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What is known of a run besides its draws.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Status {
    /// How it ended.
    pub ending: How,
    /// Why, in words.
    pub reason: String,
    /// How long it took, over all starts.
    pub seconds: f64,
    /// The standard deviation of the log of the estimate at the last points of the chains, for a noisy model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sd_log_estimate: Option<f64>,
    /// What measured slopes of the log density say of the draws, where they were measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stein: Option<Stein>,
    /// What was noticed when it began.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// It has not: it is running, or was killed.
    #[default]
    Open,
    /// All draws were made, or a stopping rule was met.
    Complete,
    /// A limit ended it before its goal.
    Limited,
    /// It was asked to stop.
    Stopped,
    /// The model, or the disk, failed.
    Failed,
}

impl How {
    /// The ending of a run, without what went wrong.
    pub fn of(ending: &Ending) -> Self {
        match ending {
            Ending::Complete => Self::Complete,
            Ending::Limited => Self::Limited,
            Ending::Stopped => Self::Stopped,
            Ending::Failed(_) => Self::Failed,
        }
    }

    /// The same in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Complete => "complete",
            Self::Limited => "limited",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
        }
    }
}

fn path(files: &Files) -> PathBuf {
    files.path().join(STATUS)
}

impl Status {
    /// What the folder says; that the run is open, if it says nothing that can be read.
    pub fn read(files: &Files) -> Self {
        let text = std::fs::read_to_string(path(files)).unwrap_or_default();
        toml::from_str(&text).unwrap_or_default()
    }

    /// Writes it into the folder.
    pub fn write(&self, files: &Files) -> Result<(), FileError> {
        let text = toml::to_string(self).unwrap_or_default();
        atomic_file::write(&path(files), text.as_bytes())
    }

    /// Why the run ended, or that it has not.
    pub fn words(&self) -> &str {
        if self.ending == How::Open { "the run has not ended" } else { &self.reason }
    }

    /// What the user should know about the ending of a run that has draws, or has none yet.
    pub fn warning(&self, has_draws: bool) -> Option<String> {
        match self.ending {
            How::Complete => None,
            How::Open => Some("the run has not ended: it is still running, or was killed and can be resumed".into()),
            How::Limited | How::Stopped => Some(self.reason.clone()),
            How::Failed if has_draws => Some(format!("{}; the draws made before it are shown", self.reason)),
            How::Failed => Some(self.reason.clone()),
        }
    }
}
