//! Why a run could not be made, gone on with or read.

use crate::settings::SettingsProblem;
use kameleon::chain::ChainError;
use kameleon::sampler::{SettingsError, StartError};
use kameleon_gp::GpError;
use kameleon_models::ModelError;
use kameleon_store::StoreError;
use std::path::PathBuf;
use thiserror::Error;

/// Why there is no run.
#[derive(Debug, Error)]
pub enum RunError {
    /// The settings make no sense.
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
    #[error(
        "{source}\nTo run chain {chain} anew from its seed, which gives the same draws, remove chain-{chain}.checkpoint and \
         chain-{chain}.journal, then resume"
    )]
    Damaged {
        /// Which chain.
        chain: usize,
        /// What is wrong.
        source: StoreError,
    },
    /// The run cannot be gone on with here.
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
    /// The run in `folder` is refused for this reason.
    pub(crate) fn refused(folder: &std::path::Path, why: impl Into<String>) -> Self {
        Self::Refused { folder: folder.to_path_buf(), why: why.into() }
    }
}
