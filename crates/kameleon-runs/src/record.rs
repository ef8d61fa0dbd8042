//! Where the draws of a chain go: into memory, or into the folder of the run.

use crate::output::Kept;
use crate::store::{DiskRecord, Entry, Keep};
use kameleon::Step;
use kameleon::any_chain::AnyChain;
use kameleon::record::{Record, RecordError};
use serde::{Deserialize, Serialize};

/// The record of a chain.
pub enum RunRecord {
    /// Draws in memory.
    Memory(MemoryRecord),
    /// A journal and a checkpoint.
    Disk(DiskRecord),
}

impl RunRecord {
    /// Adds a draw.
    pub fn push(&mut self, entry: Entry<'_>) -> Result<(), RecordError> {
        match self {
            Self::Memory(record) => record.raw.push(entry),
            Self::Disk(record) => record.push(entry)?,
        }
        Ok(())
    }
}

impl Record for RunRecord {
    fn step(&mut self, chain: &dyn AnyChain, step: &Step) -> Result<(), RecordError> {
        match self {
            Self::Memory(record) => record.step(chain, step),
            Self::Disk(record) => record.step(chain, step),
        }
    }

    fn wait(&mut self, chain: &dyn AnyChain) -> Result<(), RecordError> {
        match self {
            Self::Memory(record) => record.wait(chain),
            Self::Disk(record) => record.wait(chain),
        }
    }

    fn pause(&mut self, chain: &dyn AnyChain, done: bool) -> Result<(), RecordError> {
        match self {
            Self::Memory(record) => record.pause(chain, done),
            Self::Disk(record) => record.pause(chain, done),
        }
    }
}

/// The draws of a chain on the unbounded space.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Raw {
    /// Those of the warm-up, if they are kept.
    pub warmup: Kept,
    /// Those after it.
    pub draws: Kept,
}

impl Raw {
    /// Adds a draw.
    pub fn push(&mut self, entry: Entry<'_>) {
        let kept = if entry.warm { &mut self.warmup } else { &mut self.draws };
        kept.points.extend_from_slice(entry.x);
        kept.log_density.push(entry.log_density);
        kept.acceptance.push(entry.acceptance);
        kept.outcome.push(entry.outcome);
    }

    /// The draws in the order in which they were made.
    pub fn entries(&self, dim: usize) -> impl Iterator<Item = Entry<'_>> {
        let stages = [(&self.warmup, true), (&self.draws, false)].into_iter();
        stages.flat_map(move |(kept, warm)| {
            kept.points.chunks_exact(dim).enumerate().map(move |(i, x)| {
                let (log_density, acceptance, outcome) = (kept.log_density[i], kept.acceptance[i], kept.outcome[i]);
                Entry { x, log_density, acceptance, outcome, warm }
            })
        })
    }
}

/// Draws in memory.
pub struct MemoryRecord {
    /// What was drawn.
    pub raw: Raw,
    keep: Keep,
}

impl MemoryRecord {
    /// Room for nothing yet.
    pub fn new(keep: Keep) -> Self {
        Self { raw: Raw::default(), keep }
    }

    /// Room for `count` draws in `dim` dimensions, if there is that much memory.
    pub fn with_capacity(count: u64, dim: usize, keep: Keep) -> Option<Self> {
        let count = usize::try_from(count).ok()?;
        let mut record = Self::new(keep);
        let raw = &mut record.raw;
        raw.draws.points.try_reserve_exact(count.checked_mul(dim)?).ok()?;
        raw.draws.log_density.try_reserve_exact(count).ok()?;
        raw.draws.acceptance.try_reserve_exact(count).ok()?;
        raw.draws.outcome.try_reserve_exact(count).ok()?;
        Some(record)
    }
}

impl Record for MemoryRecord {
    fn step(&mut self, chain: &dyn AnyChain, step: &Step) -> Result<(), RecordError> {
        if self.keep.wants(step) {
            let (x, log_density) = (chain.position(), chain.log_density());
            let Step { acceptance, outcome, warm, .. } = *step;
            self.raw.push(Entry { x, log_density, acceptance, outcome, warm });
        }
        Ok(())
    }
}
