//! The folder of a run: its settings, and the files of its chains, for one process at a time.

use crate::error::StoreError;
use crate::whole_file::write_whole;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// The resolved settings, which every run has.
const SETTINGS: &str = "settings.toml";
/// Held locked by the process that works on the folder.
const LOCK: &str = "lock";

/// A folder that this process works on; no other can until it is dropped.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// The lock is held as long as the file is open.
    _lock: File,
}

impl Folder {
    /// A new run with these settings. Refuses a folder that holds one.
    pub fn create(path: &Path, settings: &str) -> Result<Self, StoreError> {
        fs::create_dir_all(path).map_err(StoreError::io(path, "creating the folder"))?;
        let folder = Self::lock(path)?;
        if path.join(SETTINGS).exists() {
            return Err(StoreError::Exists { path: path.to_path_buf() });
        }
        write_whole(&path.join(SETTINGS), settings.as_bytes())?;
        Ok(folder)
    }

    /// The run that is in the folder, to go on with it.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if !path.join(SETTINGS).exists() {
            return Err(StoreError::NoRun { path: path.to_path_buf(), missing: SETTINGS });
        }
        Self::lock(path)
    }

    fn lock(path: &Path) -> Result<Self, StoreError> {
        let file = path.join(LOCK);
        let lock = File::options().create(true).truncate(false).write(true).open(&file);
        let lock = lock.map_err(StoreError::io(&file, "opening the lock"))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.to_path_buf(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(StoreError::InUse { path: path.to_path_buf() }),
            Err(TryLockError::Error(error)) => Err(StoreError::io(&file, "locking the folder")(error)),
        }
    }

    /// Where the run is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The settings as they were written.
    pub fn settings(&self) -> Result<String, StoreError> {
        let file = self.path.join(SETTINGS);
        fs::read_to_string(&file).map_err(StoreError::io(&file, "reading the settings"))
    }

    /// The journal of a chain.
    pub fn journal(&self, chain: usize) -> PathBuf {
        self.path.join(format!("chain-{chain}.journal"))
    }

    /// The checkpoint of a chain.
    pub fn checkpoint(&self, chain: usize) -> PathBuf {
        self.path.join(format!("chain-{chain}.checkpoint"))
    }
}
