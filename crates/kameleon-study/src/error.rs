//! What can go wrong with a study, told with the file and the line.

use std::path::PathBuf;
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
    #[error("{path}: {source}")]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
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

impl StudyError {
    /// For `map_err` on what is done to a file.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }
}
