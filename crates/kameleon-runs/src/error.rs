//! Why a run could not be started, resumed or read.

use crate::atomic_file::FileError;
use kameleon::chain::ChainError;
use kameleon::sampler::{SettingsError, StartError};
use kameleon_models::ModelError;
use std::fmt::Display;
use std::path::Path;
use thiserror::Error;

/// Why there is no run.
#[derive(Debug, Error)]
pub enum RunError {
    /// The settings are invalid.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The sampler or a start is refused.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The folder or a file in it cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// A part of a plan has not come to its end, so that it is not merged with the others.
    #[error("{0}")]
    Incomplete(String),
    /// The run is resumed with another model than it sampled.
    #[error("{0}")]
    OtherModel(String),
    /// The model cannot be set up.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Classification cannot be set up.
    #[error("{0}")]
    Gp(String),
    /// A task of a run cannot be done on another machine.
    #[error("a task of the run failed: {0}; all machines need the same version of kameleon")]
    Task(String),
}

impl From<ChainError> for RunError {
    fn from(error: ChainError) -> Self {
        Self::Start(error.into())
    }
}

impl RunError {
    /// Whether the model failed where a chain was to start: nothing is wrong with what was asked for.
    pub fn is_of_model(&self) -> bool {
        matches!(self, Self::Start(StartError::Chain(ChainError::Start { failed: true, .. })))
    }

    /// For `map_err`: the files of a chain cannot be used. `pooled`: the chains of the run learned together.
    pub(crate) fn damaged(chain: usize, pooled: bool) -> impl Fn(FileError) -> Self {
        move |source| {
            let advice = match pooled {
                false => format!(
                    "To run chain {chain} again from its seed, which gives the same draws, remove chain-{chain}.checkpoint \
                     and chain-{chain}.journal, then resume"
                ),
                true => "The chains of this run learned together, so none can be run again alone. To run all of them again, \
                         which gives the same draws, remove all chain-* files, then resume"
                    .into(),
            };
            FileError(format!("{source}\n{advice}")).into()
        }
    }

    /// For `map_err`: the population before the chains cannot be used.
    pub(crate) fn damaged_population(source: FileError) -> Self {
        let advice = "To run the population again from its seed, which gives the same, remove this file, then resume";
        FileError(format!("{source}\n{advice}")).into()
    }

    /// The run in `folder` is refused for this reason.
    pub(crate) fn refused(folder: &Path, why: impl Display) -> Self {
        FileError::new(folder, why).into()
    }
}
