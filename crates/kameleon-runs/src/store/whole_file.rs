//! Files that are there whole or not at all: written beside, synced, then renamed.

use crate::store::error::StoreError;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// Replaces the file at `path` by `bytes`. After a crash at any moment it holds either the old or the new bytes.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let beside = path.with_extension("new");
    let mut file = File::create(&beside).map_err(StoreError::io(&beside, "creating the file"))?;
    file.write_all(bytes).map_err(StoreError::io(&beside, "writing"))?;
    file.sync_all().map_err(StoreError::io(&beside, "writing to the disk"))?;
    fs::rename(&beside, path).map_err(StoreError::io(path, "putting the new file in place"))?;
    sync_folder(path)
}

/// Makes sure that the folder's list of files is on the disk too.
fn sync_folder(path: &Path) -> Result<(), StoreError> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    // Folders cannot be synced everywhere; where they can, it must work.
    if cfg!(unix) {
        let handle = File::open(folder).map_err(StoreError::io(folder, "opening the folder"))?;
        handle.sync_all().map_err(StoreError::io(folder, "writing the folder to the disk"))?;
    }
    Ok(())
}
