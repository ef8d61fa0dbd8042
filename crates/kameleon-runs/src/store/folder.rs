//! The folder of a run: its settings, and the files of its chains, for one process at a time.

use crate::store::error::StoreError;
use crate::store::whole_file::write_whole;
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// The resolved settings, which every run has.
const SETTINGS: &str = "settings.toml";
/// Held locked by the process that works on the folder.
const LOCK: &str = "lock";

/// Where the files of a run are. Any number of processes may read them while one works on the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files(PathBuf);

impl Files {
    /// The run that is in the folder.
    pub fn of(path: &Path) -> Result<Self, StoreError> {
        match path.join(SETTINGS).exists() {
            true => Ok(Self(path.to_path_buf())),
            false => Err(StoreError::NoRun { path: path.to_path_buf(), missing: SETTINGS }),
        }
    }

    /// Where the run is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The settings as they were written.
    pub fn settings(&self) -> Result<String, StoreError> {
        let file = self.0.join(SETTINGS);
        fs::read_to_string(&file).map_err(StoreError::io(&file, "reading the settings"))
    }

    /// The journal of a chain.
    pub fn journal(&self, chain: usize) -> PathBuf {
        self.0.join(format!("chain-{chain}.journal"))
    }

    /// The checkpoint of a chain.
    pub fn checkpoint(&self, chain: usize) -> PathBuf {
        self.0.join(format!("chain-{chain}.checkpoint"))
    }
}

/// A folder that this process works on; no other can until it is dropped.
#[derive(Debug)]
pub struct Folder {
    files: Files,
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
        Files::of(path)?;
        Self::lock(path)
    }

    fn lock(path: &Path) -> Result<Self, StoreError> {
        let file = path.join(LOCK);
        let lock = File::options().create(true).truncate(false).write(true).open(&file);
        let lock = lock.map_err(StoreError::io(&file, "opening the lock"))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { files: Files(path.to_path_buf()), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(StoreError::InUse { path: path.to_path_buf() }),
            Err(TryLockError::Error(error)) => Err(StoreError::io(&file, "locking the folder")(error)),
        }
    }

    /// Writes settings in place of those that are there.
    pub fn replace_settings(&self, settings: &str) -> Result<(), StoreError> {
        write_whole(&self.path().join(SETTINGS), settings.as_bytes())
    }

    /// Takes back a run of which nothing could be made: the settings go last, so that what is left is still a run.
    pub fn discard(self, chains: &[usize]) -> Result<(), StoreError> {
        let chains = chains.iter().flat_map(|chain| [self.journal(*chain), self.checkpoint(*chain)]);
        chains.chain([self.path().join(SETTINGS)]).try_for_each(|file| remove(&file))
    }

    /// Removes the journal of a chain, if there is one, so that the chain can begin anew.
    pub fn remove_journal(&self, chain: usize) -> Result<(), StoreError> {
        remove(&self.journal(chain))
    }
}

impl Deref for Folder {
    type Target = Files;

    fn deref(&self) -> &Files {
        &self.files
    }
}

/// Removes a file that may not be there.
fn remove(file: &Path) -> Result<(), StoreError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::io(file, "removing the file")(error)),
        _ => Ok(()),
    }
}
