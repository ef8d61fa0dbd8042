//! Runs on disk: a folder with its settings, an append-only journal of draws and a checkpoint for each chain.
//!
//! A run may be killed at any moment. What a journal holds in whole blocks is never lost, and a chain resumes from its
//! checkpoint bit for bit: the checkpoint says how long the journal was, and what had been written after it is written
//! again, the same.

mod checkpoint;
mod disk;
mod folder;
mod journal;
mod sealed;
mod search;

pub use checkpoint::Checkpoint;
pub use disk::{DiskRecord, copy_chain};
pub(crate) use folder::STATUS;
pub use folder::{Files, Folder};
pub use journal::{Header, Journal, Recovered, read_journal};
pub use sealed::{seal, unseal};
pub use search::Search;
