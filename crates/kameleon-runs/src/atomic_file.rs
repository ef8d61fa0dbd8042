//! Files that exist whole or not at all: written under another name, synced, then renamed.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;
use thiserror::Error;

/// What is wrong with a file or a folder, and what the user can do about it.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct FileError(pub(crate) String);

impl FileError {
    /// The file or folder is wrong in this way.
    pub fn new(path: &Path, what: impl Display) -> Self {
        Self(format!("{}: {what}", path.display()))
    }

    /// For `map_err`: the system refused while doing this to the file.
    pub fn doing(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |why| Self::new(path, format_args!("{doing} failed: {why}"))
    }
}

/// Replaces the file at `path` by `bytes`. After a crash at any moment it holds either the old or the new bytes.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    replace(path, |beside| fs::write(beside, bytes).map_err(FileError::doing(beside, "writing")))
}

/// Lets `write` make a new file beside `path`, and puts it in place of `path` once it is whole and on the disk.
pub fn replace(path: &Path, write: impl FnOnce(&Path) -> Result<(), FileError>) -> Result<(), FileError> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    let beside = path.with_file_name(name);
    let done = write(&beside).and_then(|()| {
        // For writing, without which Windows does not sync.
        let opened = File::options().write(true).open(&beside);
        let file = opened.map_err(FileError::doing(&beside, "opening the new file"))?;
        file.sync_all().map_err(FileError::doing(&beside, "writing to the disk"))?;
        fs::rename(&beside, path).map_err(FileError::doing(path, "renaming the new file"))?;
        sync_folder(path)
    });
    if done.is_err() {
        // It may never have been made; the error that counts is the one before.
        let _ = fs::remove_file(&beside);
    }
    done
}

/// Removes a file that may not be there.
pub fn remove(path: &Path) -> Result<(), FileError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(FileError::doing(path, "removing the file")(error)),
        _ => Ok(()),
    }
}

/// Makes sure that the folder's list of files is on the disk too.
fn sync_folder(path: &Path) -> Result<(), FileError> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    // Folders cannot be synced everywhere; where they can, it must work.
    if cfg!(unix) {
        let handle = File::open(folder).map_err(FileError::doing(folder, "opening the folder"))?;
        handle.sync_all().map_err(FileError::doing(folder, "writing the folder to the disk"))?;
    }
    Ok(())
}
