//! A chain as it was at a moment, with the length its journal had then.

use crate::atomic_file::{self, FileError};
use crate::store::sealed::{seal, unseal};
use kameleon::any_chain::SavedChain;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// The first bytes of every checkpoint: what it is, and the version of its form.
const MARK: &[u8; 8] = b"KMLNCKP8";

/// A chain and how much of its journal belongs to it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The chain.
    pub chain: SavedChain,
    /// The length of its journal in bytes.
    pub journal: u64,
}

impl Checkpoint {
    /// Writes it whole: after a crash at any moment the file holds this checkpoint or the one before.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        atomic_file::write(path, &seal(MARK, self).map_err(|why| FileError::new(path, why))?)
    }

    /// Reads it back, or says what is wrong with the file.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let bytes = fs::read(path).map_err(FileError::doing(path, "reading the checkpoint"))?;
        unseal(MARK, "checkpoint of a chain", &bytes).map_err(|why| FileError::new(path, why))
    }
}
