//! Finished chains on disk, so that a run that was stopped goes on where it was.

use crate::StudyError;
use crate::record::{Record, Spec, hash};
use kameleon_runs::atomic_file::{self, FileError};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder with one file for each finished chain.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// What such a file holds: the whole key, so that files of one name but another key are told apart.
#[derive(Serialize, Deserialize)]
struct Entry {
    key: String,
    record: Record,
}

impl Cache {
    /// The cache in `folder`, which is made if need be.
    pub fn open(folder: &Path) -> Result<Self, StudyError> {
        fs::create_dir_all(folder).map_err(FileError::doing(folder, "creating the folder"))?;
        Ok(Self { folder: folder.into() })
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{:016x}.json", hash(key)))
    }

    /// The chain, if it has been run. A file that cannot be read counts as none: the chain is run again.
    pub fn get(&self, spec: &Spec) -> Option<Record> {
        let key = spec.key();
        let text = fs::read_to_string(self.path(&key)).ok()?;
        let entry: Entry = serde_json::from_str(&text).ok()?;
        (entry.key == key).then_some(entry.record)
    }

    /// Stores a chain.
    pub fn put(&self, spec: &Spec, record: Record) -> Result<(), StudyError> {
        let key = spec.key();
        let path = self.path(&key);
        let text = serde_json::to_string(&Entry { key, record }).expect("a record is plain data");
        Ok(atomic_file::write(&path, text.as_bytes())?)
    }
}
