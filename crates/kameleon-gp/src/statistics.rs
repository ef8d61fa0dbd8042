//! Counts of evaluations, over a target and all its clones.

use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
pub(crate) struct Counters(Arc<Mutex<Statistics>>);

impl Counters {
    pub(crate) fn evaluation(&self, rejected: bool) {
        let mut counts = self.lock();
        counts.evaluations += 1;
        counts.rejections += u64::from(rejected);
    }

    pub(crate) fn jitter(&self, jitter: f64, raised: bool) {
        let mut counts = self.lock();
        counts.raised_jitter += u64::from(raised);
        counts.largest_jitter = counts.largest_jitter.max(jitter);
    }

    pub(crate) fn get(&self) -> Statistics {
        *self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, Statistics> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
