//! What can go wrong with a study, told with the file and the line.

use kameleon_runs::atomic_file::FileError;
use thiserror::Error;

/// Why a study could not be run to its end.
#[derive(Debug, Error)]
pub enum StudyError {
    /// The file is not a study.
    #[error("{file}, line {line}: {what}")]
    Format {
        /// Which file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong, and what is allowed.
        what: String,
    },
    /// There is no such figure.
    #[error("there is no figure \"{name}\"; choose among {known}")]
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
        /// What the chain said.
        what: String,
    },
    /// It was asked to stop. Finished chains are in the cache.
    #[error("stopped before the end; finished chains are kept, and the same command goes on from them")]
    Stopped,
}
