//! Finished chains on disk, so that a run that was stopped can be resumed.

use crate::StudyError;
use crate::record::Record;
use crate::spec::{Spec, hash};
use kameleon_runs::atomic_file::{self, FileError};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder with one file for each finished chain or group.
pub struct Cache {
    folder: PathBuf,
}

/// The content of a file; the whole key tells apart keys of the same hash.
#[derive(Serialize, Deserialize)]
struct Entry {
    key: String,
    record: Record,
}

impl Cache {
    /// The cache in `folder`, which is made if it does not exist.
    pub fn open(folder: &Path) -> Result<Self, StudyError> {
        fs::create_dir_all(folder).map_err(FileError::doing(folder, "creating the folder"))?;
        Ok(Self { folder: folder.into() })
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{:016x}.json", hash(key)))
    }

    /// The record, if there is one. A file that cannot be read counts as none: the chain is run again.
    pub fn get(&self, spec: &Spec) -> Option<Record> {
        let key = spec.key();
        let text = fs::read_to_string(self.path(&key)).ok()?;
        let entry: Entry = serde_json::from_str(&text).ok()?;
        (entry.key == key).then_some(entry.record)
    }

    /// Stores a record.
    pub fn put(&self, spec: &Spec, record: Record) -> Result<(), StudyError> {
        let key = spec.key();
        let path = self.path(&key);
        let text = serde_json::to_string(&Entry { key, record }).expect("a record is plain data");
        Ok(atomic_file::write(&path, text.as_bytes())?)
    }
}
