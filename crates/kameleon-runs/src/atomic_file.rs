//! Files that exist whole or not at all: written under another name, synced, then renamed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The system refused to do something to a file.
#[derive(Debug, Error)]
#[error("{}: {doing} failed: {source}", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// What was being done.
    pub doing: &'static str,
    /// What the system said.
    pub source: io::Error,
}

impl FileError {
    /// For `map_err`: the system refused while doing this to the file.
    pub fn doing(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self { path, doing, source }
    }
}

/// Replaces the file at `path` by `bytes`. After a crash at any moment it holds either the old or the new bytes.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    replace(path, |beside| fs::write(beside, bytes).map_err(FileError::doing(beside, "writing")))
}

/// Lets `write` make a new file beside `path`, and puts it in place of `path` once it is whole and on the disk.
pub fn replace<E: From<FileError>>(path: &Path, write: impl FnOnce(&Path) -> Result<(), E>) -> Result<(), E> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    let beside = path.with_file_name(name);
    let done = write(&beside).and_then(|()| {
        let file = File::open(&beside).map_err(FileError::doing(&beside, "opening the new file"))?;
        file.sync_all().map_err(FileError::doing(&beside, "writing to the disk"))?;
        fs::rename(&beside, path).map_err(FileError::doing(path, "renaming the new file"))?;
        Ok(sync_folder(path)?)
    });
    if done.is_err() {
        // It may never have been made; the error that counts is the one before.
        let _ = fs::remove_file(&beside);
    }
    done
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_fails_leaves_the_old_one_and_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("draws.csv");
        fs::write(&path, "old").unwrap();
        let failed = replace(&path, |beside| {
            fs::write(beside, "half").unwrap();
            Err(FileError { path: beside.into(), doing: "writing", source: io::Error::other("on purpose") })
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        write(&path, b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = write(Path::new("no-such-folder/draws.csv"), b"").unwrap_err().to_string();
        assert!(error.starts_with("no-such-folder/.draws.csv.new: writing failed"), "{error}");
    }
}
