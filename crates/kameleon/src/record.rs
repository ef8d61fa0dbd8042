//! Where draws go.

use crate::any_chain::AnyChain;
use crate::chain::Step;
use serde::{Deserialize, Serialize};

/// Why a draw could not be recorded.
pub type RecordError = Box<dyn std::error::Error + Send + Sync>;

/// The record of a chain: it sees every step, and decides what to keep and where.
pub trait Record: Send {
    /// The chain has made a step.
    fn step(&mut self, chain: &dyn AnyChain, step: &Step) -> Result<(), RecordError>;

    /// The chain waits for its group, which learns from it next: a record from which the chain can be resumed must save it
    /// now, so that no other chain is ever saved with something learned from a later state than this one's.
    fn wait(&mut self, _chain: &dyn AnyChain) -> Result<(), RecordError> {
        Ok(())
    }

    /// The chain rests for a moment, some fifty times a second, or has come to its end: a good time to save it.
    fn pause(&mut self, _chain: &dyn AnyChain, _done: bool) -> Result<(), RecordError> {
        Ok(())
    }
}

/// The draws of one chain in memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Draws {
    /// The points, one after another.
    pub points: Vec<f64>,
    /// The log density, or its estimate, at each.
    pub log_density: Vec<f64>,
}

impl Draws {
    /// Room for `count` draws in `dim` dimensions, if there is that much memory.
    pub fn with_capacity(count: u64, dim: usize) -> Option<Self> {
        let count = usize::try_from(count).ok()?;
        let mut draws = Self::default();
        draws.points.try_reserve_exact(count.checked_mul(dim)?).ok()?;
        draws.log_density.try_reserve_exact(count).ok()?;
        Some(draws)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.log_density.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.log_density.is_empty()
    }

    /// Adds a draw.
    pub fn push(&mut self, x: &[f64], log_density: f64) {
        self.points.extend_from_slice(x);
        self.log_density.push(log_density);
    }
}
