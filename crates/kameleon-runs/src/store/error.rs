//! What can go wrong with files, with what the user can do about it.

use crate::atomic_file::FileError;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a run on disk could not be written or read.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// Another process works on the folder.
    #[error("{} is in use by another process; wait for it to end, or choose another folder", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// A new run was to be made where there is one.
    #[error("{} already holds a run; resume it, or choose another folder", path.display())]
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
    /// The run was made by a version of kameleon whose files have another form.
    #[error(
        "{} was written by another version of kameleon, in a different format; resume it with that version, or \
         start the run again", path.display()
    )]
    OtherVersion {
        /// The file or the folder.
        path: PathBuf,
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
    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_path_buf(), what: what.into() }
    }
}
