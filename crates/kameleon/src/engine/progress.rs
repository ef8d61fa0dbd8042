//! How far a chain or a population is, for another thread to watch.

use crate::any_chain::AnyChain;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A chain's progress, for another thread to watch.
#[derive(Debug, Default)]
pub struct Progress {
    /// Iterations so far.
    pub iterations: AtomicU64,
    /// Iterations of warm-up, or the most of them while it may end before.
    pub warmup: AtomicU64,
    accepted: AtomicU64,
    scale: AtomicU64,
    /// Whether the chain has ended.
    pub done: AtomicBool,
}

impl Progress {
    /// The share of accepted points over the chain so far.
    pub fn acceptance(&self) -> f64 {
        self.accepted.load(Ordering::Relaxed) as f64 / self.iterations.load(Ordering::Relaxed).max(1) as f64
    }

    /// The proposal's scale ν.
    pub fn scale(&self) -> f64 {
        f64::from_bits(self.scale.load(Ordering::Relaxed))
    }

    pub(crate) fn update(&self, chain: &dyn AnyChain) {
        let statistics = chain.statistics();
        self.iterations.store(chain.iterations(), Ordering::Relaxed);
        self.warmup.store(chain.warmup(), Ordering::Relaxed);
        self.accepted.store(statistics.warmup.accepted + statistics.sampling.accepted, Ordering::Relaxed);
        self.scale.store(chain.scale().to_bits(), Ordering::Relaxed);
    }
}

/// What a population is doing, for another thread to watch.
#[derive(Debug, Default)]
pub struct PopulationProgress(Mutex<Option<String>>);

impl PopulationProgress {
    /// A line for people; none before the population begins, and after it has ended.
    pub fn line(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Says what it is doing.
    pub fn say(&self, line: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = line;
    }
}
