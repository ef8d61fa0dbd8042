//! Why a file was not written.

use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file was not written. What was there before under its name is still there.
#[derive(Debug, Error)]
pub enum OutputError {
    /// The file system refused.
    #[error("{}: {doing} failed: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// The netCDF file could not be made.
    #[error("{}: the netCDF file cannot be written: {why}", path.display())]
    Netcdf {
        /// Which file.
        path: PathBuf,
        /// What was wrong.
        why: String,
    },
    /// A run without draws.
    #[error("{}: there is nothing to write, since no chain has a draw yet; let the run go on past its warm-up", path.display())]
    Empty {
        /// Which file was wanted.
        path: PathBuf,
    },
    /// A run whose parts do not fit together.
    #[error("the run does not fit together: {0}")]
    Misfit(String),
}

impl OutputError {
    pub(crate) fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { path, doing, source }
    }
}
