//! What can go wrong with files, said so that a person can act on it.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a run on disk could not be written or read.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The system refused.
    #[error("{}: {doing} failed: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Another process works on the folder.
    #[error("{} is in use by another process; wait for it to end, or choose another folder", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// A new run was to be made where there is one.
    #[error("{} holds a run already; resume it, or choose another folder", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// There is no run in the folder.
    #[error("{} holds no run: there is no {missing}", path.display())]
    NoRun {
        /// The folder.
        path: PathBuf,
        /// The file that every run has.
        missing: &'static str,
    },
    /// The file is not what it should be.
    #[error("{}: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

impl StoreError {
    /// For `map_err`: the system refused while doing this to the file.
    pub(crate) fn io(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { path, doing, source }
    }

    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_path_buf(), what: what.into() }
    }
}
