//! How many iterations a run has.

use crate::adapt::Until;
use crate::registry::SettingsError;

/// What a warm-up may be besides a number, for messages.
pub(crate) const OR_WORDS: &str = ", \"chains\", \"population\" or \"auto\"";

/// How many iterations a run has: what a proposal must know to make room and to refuse a warm-up that is too short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Iterations of warm-up; the most of them if it ends when the sampler has learned.
    pub warmup: u64,
    /// Whether the warm-up ends when the sampler has learned.
    pub until_learned: bool,
    /// Iterations after it.
    pub sampling: u64,
    /// How many chains learn together: what one of them has to find out is so much less.
    pub together: usize,
}

impl Length {
    /// A warm-up of fixed length, of a chain that learns alone or with few others.
    pub fn new(warmup: u64, sampling: u64) -> Self {
        Self { warmup, until_learned: false, sampling, together: 1 }
    }

    /// All iterations.
    pub fn total(self) -> u64 {
        self.warmup.saturating_add(self.sampling)
    }

    /// An error if nothing of the warm-up is left to learn from after the discard.
    pub(crate) fn outlasts(self, discard: u64, until: Until) -> Result<(), SettingsError> {
        let Length { warmup, .. } = self;
        SettingsError::demand(
            "warmup",
            warmup > discard || until == Until::Forever,
            &format!(
                "{warmup} iterations are not more than the {discard} that are discarded before learning; \
                 use a longer warm-up or a smaller discard"
            ),
        )
    }
}
