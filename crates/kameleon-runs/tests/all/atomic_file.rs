//! A file exists whole or not at all.

use kameleon_runs::atomic_file::{FileError, replace, write};
use std::fs;
use std::path::Path;

#[test]
fn a_file_that_fails_leaves_the_old_one_and_nothing_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("draws.csv");
    fs::write(&path, "old").unwrap();
    let failed = replace(&path, |beside| {
        fs::write(beside, "half").unwrap();
        Err(FileError::new(beside, "fails on purpose"))
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
