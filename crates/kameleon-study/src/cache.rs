//! Finished chains on disk, so that a run that was stopped goes on where it was.

use crate::StudyError;
use crate::record::{Record, Spec, hash};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::Write;
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
        fs::create_dir_all(folder).map_err(StudyError::file(folder))?;
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
        write_whole(&path, text.as_bytes())
    }
}

/// Writes a file whole or not at all: to a temporary file beside it, then renamed.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), StudyError> {
    let temporary = path.with_extension(format!("{}.part", std::process::id()));
    let write = || {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().map_err(StudyError::file(path))
}
