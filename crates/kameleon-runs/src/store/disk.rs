//! A chain's record on disk: draws into its journal, the chain into its checkpoint now and then.

use crate::store::checkpoint::Checkpoint;
use crate::store::error::StoreError;
use crate::store::folder::{Files, Folder};
use crate::store::journal::{Entry, Header, Journal};
use crate::store::whole_file::write_whole;
use kameleon::Step;
use kameleon::any_chain::AnyChain;
use kameleon::chain::ChainError;
use kameleon::record::{Record, RecordError};
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What of a chain is recorded.
#[derive(Clone, Copy, Debug)]
pub struct Keep {
    /// One draw of so many iterations is kept.
    pub thin: u64,
    /// Whether the warm-up is kept too, thinned in the same way.
    pub with_warmup: bool,
    /// How often a chain is saved while it runs: what is computed in between is computed again after a crash.
    pub save_every: Duration,
}

impl Keep {
    /// Whether the point that the step ends in is recorded.
    pub fn wants(self, step: &Step) -> bool {
        step.is_draw(self.thin) || (self.with_warmup && step.warm && (step.t + 1).is_multiple_of(self.thin))
    }
}

/// The record of one chain in the folder of a run.
#[derive(Debug)]
pub struct DiskRecord {
    journal: Journal,
    checkpoint: PathBuf,
    keep: Keep,
    saved: Instant,
}

impl DiskRecord {
    /// A new chain, saved before its first step so that it can be resumed from any moment on.
    pub fn create(folder: &Folder, chain: &dyn AnyChain, keep: Keep) -> Result<Self, StoreError> {
        let header = Header { dim: chain.position().len() as u32, chain: chain.index() as u32 };
        let journal = Journal::create(&folder.journal(chain.index()), header)?;
        let checkpoint = folder.checkpoint(chain.index());
        let mut record = Self { journal, checkpoint, keep, saved: Instant::now() };
        record.save(chain)?;
        Ok(record)
    }

    /// A chain as it was last saved, with its record.
    pub fn resume(folder: &Folder, index: usize, keep: Keep) -> Result<(Box<dyn AnyChain>, Self), StoreError> {
        let checkpoint = folder.checkpoint(index);
        let saved = Checkpoint::read(&checkpoint)?;
        let refused = |error: ChainError| StoreError::damaged(&checkpoint, error.to_string());
        let chain = saved.chain.resume().map_err(refused)?;
        let header = Header { dim: chain.position().len() as u32, chain: index as u32 };
        let journal = Journal::go_on(&folder.journal(index), header, saved.journal)?;
        Ok((chain, Self { journal, checkpoint, keep, saved: Instant::now() }))
    }

    /// Adds a draw.
    pub fn push(&mut self, entry: Entry<'_>) -> Result<(), StoreError> {
        self.journal.push(entry)
    }

    /// The draws first, then the chain that made them: a crash in between leaves draws that will be made again.
    fn save(&mut self, chain: &dyn AnyChain) -> Result<(), StoreError> {
        let journal = self.journal.sync()?;
        Checkpoint { chain: chain.save(), journal }.write(&self.checkpoint)?;
        self.saved = Instant::now();
        Ok(())
    }
}

impl Record for DiskRecord {
    fn step(&mut self, chain: &dyn AnyChain, step: &Step) -> Result<(), RecordError> {
        if self.keep.wants(step) {
            let (x, log_density) = (chain.position(), chain.log_density());
            let Step { acceptance, outcome, warm, .. } = *step;
            self.push(Entry { x, log_density, acceptance, outcome, warm })?;
        }
        Ok(())
    }

    fn wait(&mut self, chain: &dyn AnyChain) -> Result<(), RecordError> {
        Ok(self.save(chain)?)
    }

    fn pause(&mut self, chain: &dyn AnyChain, done: bool) -> Result<(), RecordError> {
        if done || self.saved.elapsed() > self.keep.save_every {
            self.save(chain)?;
        }
        Ok(())
    }
}

/// Copies a chain from one folder to another, its journal as far as the checkpoint speaks of it. The checkpoint comes
/// last: without it the chain would begin anew.
pub fn copy_chain(from: &Files, to: &Folder, chain: usize, journal: u64) -> Result<(), StoreError> {
    let (source, path) = (from.journal(chain), to.journal(chain));
    let file = File::open(&source).map_err(StoreError::io(&source, "opening the journal"))?;
    let mut copy = File::create_new(&path).map_err(StoreError::io(&path, "creating the journal"))?;
    let copied =
        std::io::copy(&mut file.take(journal), &mut copy).map_err(StoreError::io(&path, "copying the journal"))?;
    if copied < journal {
        let what = format!("the journal has {copied} bytes where the checkpoint speaks of {journal}");
        return Err(StoreError::damaged(&source, what));
    }
    copy.sync_all().map_err(StoreError::io(&path, "writing to the disk"))?;
    let source = from.checkpoint(chain);
    let bytes = std::fs::read(&source).map_err(StoreError::io(&source, "reading the checkpoint"))?;
    write_whole(&to.checkpoint(chain), &bytes)
}
