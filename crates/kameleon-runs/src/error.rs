//! Why a run could not be started, resumed or read.

use crate::settings::SettingsProblem;
use crate::store::StoreError;
use kameleon::chain::ChainError;
use kameleon::sampler::{SettingsError, StartError};
use kameleon_gp::GpError;
use kameleon_models::ModelError;
use std::path::PathBuf;
use thiserror::Error;

/// Why there is no run.
#[derive(Debug, Error)]
pub enum RunError {
    /// The settings are invalid.
    #[error(transparent)]
    Settings(#[from] SettingsProblem),
    /// The sampler or a start is refused.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The model cannot be set up.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Classification cannot be set up.
    #[error("{name}: {source}")]
    Gp {
        /// The table.
        name: String,
        /// What is wrong.
        source: GpError,
    },
    /// A chain on disk is damaged.
    #[error("{source}\n{advice}")]
    Damaged {
        /// What is wrong.
        source: StoreError,
        /// What to do.
        advice: String,
    },
    /// A task of a run cannot be done on another machine.
    #[error("a task of the run failed: {0}; all machines need the same version of kameleon")]
    Task(String),
    /// The run cannot be resumed here.
    #[error("{}: {why}", folder.display())]
    Refused {
        /// The run.
        folder: PathBuf,
        /// Why, and what to do.
        why: String,
    },
}

impl From<SettingsError> for RunError {
    fn from(error: SettingsError) -> Self {
        Self::Start(error.into())
    }
}

impl From<ChainError> for RunError {
    fn from(error: ChainError) -> Self {
        Self::Start(error.into())
    }
}

impl RunError {
    /// For `map_err`: the files of a chain cannot be used. `pooled`: the chains of the run learned together.
    pub(crate) fn damaged(chain: usize, pooled: bool) -> impl Fn(StoreError) -> Self {
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
            Self::Damaged { source, advice }
        }
    }

    /// The run in `folder` is refused for this reason.
    pub(crate) fn refused(folder: &std::path::Path, why: impl Into<String>) -> Self {
        Self::Refused { folder: folder.to_path_buf(), why: why.into() }
    }
}
