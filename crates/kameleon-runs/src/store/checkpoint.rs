//! A chain as it was at a moment, with the length its journal had then.

use crate::atomic_file::{self, FileError};
use crate::store::folder::other_version;
use kameleon::any_chain::SavedChain;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// The first bytes of every checkpoint: what it is, and the version of its form.
const MAGIC: &[u8; 8] = b"KMLNCKP2";
/// What the first bytes have in common in all versions.
const ANY_VERSION: &[u8] = b"KMLNCKP";

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
        let payload = postcard::to_stdvec(self)
            .map_err(|error| FileError::new(path, format!("the chain cannot be stored: {error}")))?;
        let mut bytes = Vec::with_capacity(payload.len() + 12);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&crc32fast::hash(&payload).to_le_bytes());
        bytes.extend_from_slice(&payload);
        atomic_file::write(path, &bytes)
    }

    /// Reads it back, or says what is wrong with the file.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let bytes = fs::read(path).map_err(FileError::doing(path, "reading the checkpoint"))?;
        if bytes.starts_with(ANY_VERSION) && !bytes.starts_with(MAGIC) {
            return Err(other_version(path));
        }
        let Some((head, payload)) = bytes.split_first_chunk::<12>().filter(|(head, _)| head.starts_with(MAGIC)) else {
            return Err(FileError::new(path, "this is not a checkpoint of a chain"));
        };
        let stored = [head[8], head[9], head[10], head[11]];
        if crc32fast::hash(payload).to_le_bytes() != stored {
            return Err(FileError::new(path, "the checkpoint is damaged: its checksum is wrong"));
        }
        postcard::from_bytes(payload)
            .map_err(|error| FileError::new(path, format!("the checkpoint cannot be read: {error}")))
    }
}
