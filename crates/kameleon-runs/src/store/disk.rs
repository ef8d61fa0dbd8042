//! A chain's record on disk: draws into its journal, the chain into its checkpoint now and then.

use crate::atomic_file::{self, FileError};
use crate::store::checkpoint::Checkpoint;
use crate::store::folder::{Files, Folder};
use crate::store::journal::{Header, Journal, read_journal};
use kameleon::any_chain::AnyChain;
use kameleon::chain::ChainError;
use kameleon::record::{Draw, Moment, Record, RecordError, Recorded};
use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The record of one chain in the folder of a run.
#[derive(Debug)]
pub struct DiskRecord {
    path: PathBuf,
    journal: Journal,
    checkpoint: PathBuf,
    /// How often the chain is saved while it runs: what is computed in between is computed again after a crash.
    save_every: Duration,
    saved: Instant,
}

impl DiskRecord {
    /// A new chain, saved before its first step so that it can be resumed from any moment on.
    pub fn create(folder: &Folder, chain: &dyn AnyChain, save_every: Duration) -> Result<Self, FileError> {
        let header = Header { dim: chain.position().len() as u32, chain: chain.index() as u32 };
        let path = folder.journal(chain.index());
        let journal = Journal::create(&path, header)?;
        let checkpoint = folder.checkpoint(chain.index());
        let mut record = Self { path, journal, checkpoint, save_every, saved: Instant::now() };
        if let Err(error) = record.save_now(chain) {
            // Without its checkpoint it is of no use; the error that counts is the one before.
            let _ = std::fs::remove_file(&record.path);
            return Err(error);
        }
        Ok(record)
    }

    /// A chain as it was last saved, with its record.
    pub fn resume(folder: &Folder, index: usize, save_every: Duration) -> Result<(Box<dyn AnyChain>, Self), FileError> {
        let checkpoint = folder.checkpoint(index);
        let saved = Checkpoint::read(&checkpoint)?;
        let refused = |error: ChainError| FileError::new(&checkpoint, error.to_string());
        let chain = saved.chain.resume().map_err(refused)?;
        let header = Header { dim: chain.position().len() as u32, chain: index as u32 };
        let path = folder.journal(index);
        let journal = Journal::resume(&path, header, saved.journal)?;
        Ok((chain, Self { path, journal, checkpoint, save_every, saved: Instant::now() }))
    }

    /// The draws first, then the chain that made them: a crash in between leaves draws that will be made again.
    fn save_now(&mut self, chain: &dyn AnyChain) -> Result<(), FileError> {
        let journal = self.journal.sync()?;
        Checkpoint { chain: chain.save(), journal }.write(&self.checkpoint)?;
        self.saved = Instant::now();
        Ok(())
    }
}

impl Record for DiskRecord {
    fn push(&mut self, draw: Draw<'_>) -> Result<(), RecordError> {
        Ok(self.journal.push(draw)?)
    }

    fn save(&mut self, chain: &dyn AnyChain, moment: Moment) -> Result<(), RecordError> {
        if moment != Moment::Pause || self.saved.elapsed() > self.save_every {
            self.save_now(chain)?;
        }
        Ok(())
    }

    /// What the journal holds on disk, up to the last time the chain was saved.
    fn recorded(&self) -> Result<Cow<'_, Recorded>, RecordError> {
        let mut recorded = Recorded::default();
        read_journal(&self.path, |draw| recorded.push(draw))?;
        Ok(Cow::Owned(recorded))
    }
}

/// Copies a chain from one folder to another, its journal up to the length in the checkpoint. The checkpoint comes
/// last: without it the chain would start again.
pub fn copy_chain(from: &Files, to: &Folder, chain: usize, journal: u64) -> Result<(), FileError> {
    let (source, path) = (from.journal(chain), to.journal(chain));
    let file = File::open(&source).map_err(FileError::doing(&source, "opening the journal"))?;
    let mut copy = File::create_new(&path).map_err(FileError::doing(&path, "creating the journal"))?;
    let copied =
        std::io::copy(&mut file.take(journal), &mut copy).map_err(FileError::doing(&path, "copying the journal"))?;
    if copied < journal {
        let what = format!("the journal has {copied} bytes, fewer than the {journal} in the checkpoint");
        return Err(FileError::new(&source, what));
    }
    copy.sync_all().map_err(FileError::doing(&path, "writing to the disk"))?;
    let source = from.checkpoint(chain);
    let bytes = std::fs::read(&source).map_err(FileError::doing(&source, "reading the checkpoint"))?;
    atomic_file::write(&to.checkpoint(chain), &bytes)
}
