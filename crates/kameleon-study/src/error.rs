//! The errors of studies.

use kameleon::SettingsError;
use kameleon_runs::atomic_file::FileError;
use thiserror::Error;

/// Why a study could not be completed.
#[derive(Debug, Error)]
pub enum StudyError {
    /// The file is not a valid study.
    #[error(transparent)]
    Format(#[from] SettingsError),
    /// There is no such figure.
    #[error("there is no figure \"{name}\"; choose one of {known}")]
    Figure {
        /// The name asked for.
        name: String,
        /// All names.
        known: String,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A chain stopped because its target failed.
    #[error("{target} with {sampler}: {what}")]
    Chain {
        /// The target's name in the study.
        target: String,
        /// The sampler's name in the study.
        sampler: String,
        /// The error of the chain.
        what: String,
    },
    /// The run was stopped. Finished chains are in the cache.
    #[error("stopped before the end; finished chains are kept, and the same command resumes the study")]
    Stopped,
}
