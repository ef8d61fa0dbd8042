//! The folder of a run: its settings, and the files of its chains, for one process at a time.

use crate::atomic_file::{self, FileError};
use std::fs::{self, File, TryLockError};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The resolved settings, which every run has.
const SETTINGS: &str = "settings.toml";
/// The form of the folder's files, which every run has since form 2.
const FORM: &str = "form";
const VERSION: &str = "10\n";
/// How the run ended.
pub(crate) const STATUS: &str = "status.toml";
/// A population before the chains, or what it found.
const POPULATION: &str = "population.checkpoint";
/// What thinning kept.
const THINNED: &str = "thinned.json";
/// Held locked by the process that works on the folder.
const LOCK: &str = "lock";
/// A lock may outlive its process for a moment: a program that is being started holds a copy of it until it runs. So it is tried
/// again this often, …
const LOCK_TRIES: usize = 25;
/// … after this pause each.
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// Where the files of a run are. Any number of processes may read them while one works on the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files(PathBuf);

impl Files {
    /// The run that is in the folder.
    pub fn of(path: &Path) -> Result<Self, FileError> {
        if !path.join(SETTINGS).exists() {
            return Err(FileError::new(path, format_args!("holds no run: there is no {SETTINGS}")));
        }
        match fs::read_to_string(path.join(FORM)) {
            Ok(version) if version == VERSION => Ok(Self(path.to_path_buf())),
            _ => Err(FileError::new(path, OTHER_VERSION)),
        }
    }

    /// Where the run is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The settings as they were written.
    pub fn settings(&self) -> Result<String, FileError> {
        let file = self.0.join(SETTINGS);
        fs::read_to_string(&file).map_err(FileError::doing(&file, "reading the settings"))
    }

    /// The journal of a chain.
    pub fn journal(&self, chain: usize) -> PathBuf {
        self.0.join(format!("chain-{chain}.journal"))
    }

    /// The population before the chains, or what it found.
    pub fn population(&self) -> PathBuf {
        self.0.join(POPULATION)
    }

    /// What thinning kept.
    pub fn thinned(&self) -> PathBuf {
        self.0.join(THINNED)
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
    /// Whether the folder was made for this run.
    made: bool,
    /// Held as long as the file is open.
    lock: File,
}

impl Folder {
    /// A new run with these settings. Refuses a folder that holds one.
    pub fn create(path: &Path, settings: &str) -> Result<Self, FileError> {
        let made = !path.exists();
        fs::create_dir_all(path).map_err(FileError::doing(path, "creating the folder"))?;
        let folder = Self { made, ..Self::lock(path)? };
        if path.join(SETTINGS).exists() {
            return Err(FileError::new(path, "already holds a run; resume it, or choose another folder"));
        }
        atomic_file::write(&path.join(FORM), VERSION.as_bytes())?;
        atomic_file::write(&path.join(SETTINGS), settings.as_bytes())?;
        Ok(folder)
    }

    /// The run in the folder, to be resumed.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        Files::of(path)?;
        Self::lock(path)
    }

    fn lock(path: &Path) -> Result<Self, FileError> {
        let file = path.join(LOCK);
        let lock = File::options().create(true).truncate(false).write(true).open(&file);
        let lock = lock.map_err(FileError::doing(&file, "opening the lock"))?;
        let mut locked = lock.try_lock();
        for _ in 0..LOCK_TRIES {
            if !matches!(locked, Err(TryLockError::WouldBlock)) {
                break;
            }
            std::thread::sleep(LOCK_PAUSE);
            locked = lock.try_lock();
        }
        match locked {
            Ok(()) => Ok(Self { files: Files(path.to_path_buf()), made: false, lock }),
            Err(TryLockError::WouldBlock) => {
                Err(FileError::new(path, "is in use by another process; wait for it to end, or choose another folder"))
            }
            Err(TryLockError::Error(error)) => Err(FileError::doing(&file, "locking the folder")(error)),
        }
    }

    /// Replaces the settings.
    pub fn replace_settings(&self, settings: &str) -> Result<(), FileError> {
        atomic_file::write(&self.path().join(SETTINGS), settings.as_bytes())
    }

    /// Takes back a run of which nothing could be made, with the folder if it was made for the run. The settings go last of
    /// the run's files, so that what is left is still a run.
    pub fn discard(self, chains: &[usize]) -> Result<(), FileError> {
        let Self { files, made, lock } = self;
        let of_chains = chains.iter().flat_map(|chain| [files.journal(*chain), files.checkpoint(*chain)]);
        let of_run = [POPULATION, STATUS, SETTINGS, FORM].map(|file| files.0.join(file));
        of_chains.chain(of_run).try_for_each(|file| atomic_file::remove(&file))?;
        drop(lock);
        atomic_file::remove(&files.0.join(LOCK))?;
        if made {
            // Somebody else may have put something there.
            let _ = fs::remove_dir(files.0);
        }
        Ok(())
    }

    /// Removes the journal of a chain, if there is one, so that the chain can start again.
    pub fn remove_journal(&self, chain: usize) -> Result<(), FileError> {
        atomic_file::remove(&self.journal(chain))
    }
}

impl Deref for Folder {
    type Target = Files;

    fn deref(&self) -> &Files {
        &self.files
    }
}

/// For what has not the form of this version.
pub(super) const OTHER_VERSION: &str = "was written by another version of kameleon, in a different format; resume it with \
                                        that version, or start the run again";
