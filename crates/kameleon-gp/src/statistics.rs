//! Counts of evaluations, over a target and all its clones.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counts of the evaluations of a target and its clones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Evaluations, including rejected ones.
    pub evaluations: u64,
    /// Evaluations that gave no value.
    pub rejections: u64,
    /// Evaluations that needed more jitter than the settings ask for.
    pub raised_jitter: u64,
    /// The largest jitter used.
    pub largest_jitter: f64,
}

/// Counts shared by all clones: every chain has its own clone, and any clone sees the counts of the whole run. They
/// influence nothing, so draws do not depend on the scheduling of threads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    evaluations: AtomicU64,
    rejections: AtomicU64,
    raised_jitter: AtomicU64,
    /// As bits, which have the same order as nonnegative numbers.
    largest_jitter: AtomicU64,
}

impl Counters {
    pub(crate) fn evaluation(&self, rejected: bool) {
        self.0.evaluations.fetch_add(1, Relaxed);
        self.0.rejections.fetch_add(u64::from(rejected), Relaxed);
    }

    pub(crate) fn jitter(&self, jitter: f64, raised: bool) {
        self.0.raised_jitter.fetch_add(u64::from(raised), Relaxed);
        self.0.largest_jitter.fetch_max(jitter.to_bits(), Relaxed);
    }

    pub(crate) fn now(&self) -> Statistics {
        Statistics {
            evaluations: self.0.evaluations.load(Relaxed),
            rejections: self.0.rejections.load(Relaxed),
            raised_jitter: self.0.raised_jitter.load(Relaxed),
            largest_jitter: f64::from_bits(self.0.largest_jitter.load(Relaxed)),
        }
    }
}
