//! Why a file was not written.

use crate::atomic_file::FileError;
use std::path::PathBuf;
use thiserror::Error;

/// Why a file was not written. What was there before under its name is still there.
#[derive(Debug, Error)]
pub enum OutputError {
    /// The file system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// The netCDF file could not be made.
    #[error("{}: the netCDF file cannot be written: {why}", path.display())]
    Netcdf {
        /// Which file.
        path: PathBuf,
        /// What was wrong.
        why: String,
    },
    /// A run without draws.
    #[error("{}: there is nothing to write, since no chain has a draw yet: the run is still in its warm-up", path.display())]
    Empty {
        /// Which file was wanted.
        path: PathBuf,
    },
    /// A run whose parts are inconsistent.
    #[error("the run is inconsistent: {0}")]
    Misfit(String),
}
