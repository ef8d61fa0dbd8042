//! Files that are there whole or not at all: written beside, synced, then renamed.

use crate::output::OutputError;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::Path;

/// Lets `write` make a new file beside `path`, and puts it in place of `path` once it is whole and on the disk.
pub(crate) fn replace(path: &Path, write: impl FnOnce(&Path) -> Result<(), OutputError>) -> Result<(), OutputError> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    let beside = path.with_file_name(name);
    let done = write(&beside).and_then(|()| {
        let file = File::open(&beside).map_err(OutputError::io(&beside, "opening the new file"))?;
        file.sync_all().map_err(OutputError::io(&beside, "writing to the disk"))?;
        fs::rename(&beside, path).map_err(OutputError::io(path, "putting the new file in place"))
    });
    if done.is_err() {
        // It may never have been made; the error that counts is the one before.
        let _ = fs::remove_file(&beside);
    }
    done
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
            Err(OutputError::Misfit("on purpose".into()))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let path = Path::new("no-such-folder/draws.csv");
        let error = replace(path, |beside| {
            File::create(beside).map(drop).map_err(OutputError::io(beside, "creating the file"))
        });
        assert!(error.unwrap_err().to_string().starts_with("no-such-folder/.draws.csv.new: creating the file failed"));
    }
}
