//! What proposals and samplers share about settings: the error that names one, and the length of a run.

use crate::adapt::Until;
use crate::kernel::KernelError;
use crate::target::TargetError;
use thiserror::Error;

/// A setting that makes no sense, found before anything runs.
#[derive(Debug, Error, PartialEq)]
#[error("{setting}: {what}")]
pub struct SettingsError {
    /// Which setting.
    pub setting: String,
    /// What is wrong, and what is allowed.
    pub what: String,
}

impl From<KernelError> for SettingsError {
    fn from(error: KernelError) -> Self {
        Self::new("kernel", error.to_string())
    }
}

impl From<TargetError> for SettingsError {
    fn from(error: TargetError) -> Self {
        Self::new("target", error.to_string())
    }
}

impl SettingsError {
    /// `setting` is wrong in this way.
    pub fn new(setting: impl Into<String>, what: impl Into<String>) -> Self {
        Self { setting: setting.into(), what: what.into() }
    }

    pub(crate) fn demand(setting: &str, ok: bool, what: &str) -> Result<(), Self> {
        if ok { Ok(()) } else { Err(Self::new(setting, what)) }
    }

    pub(crate) fn positive(setting: &str, value: f64) -> Result<(), Self> {
        let ok = value > 0.0 && value.is_finite();
        Self::demand(setting, ok, &format!("must be positive and finite, not {value}"))
    }

    pub(crate) fn not_negative(setting: &str, value: f64) -> Result<(), Self> {
        let ok = value >= 0.0 && value.is_finite();
        Self::demand(setting, ok, &format!("must be zero or positive and finite, not {value}"))
    }

    pub(crate) fn at_least_one(setting: &str, value: u64) -> Result<(), Self> {
        Self::demand(setting, value >= 1, "must be at least 1")
    }

    pub(crate) fn within(setting: &str, value: usize, least: usize, most: usize) -> Result<(), Self> {
        Self::demand(setting, (least..=most).contains(&value), &format!("must be from {least} to {most}, not {value}"))
    }

    pub(crate) fn length(setting: &str, found: usize, wanted: usize) -> Result<(), Self> {
        Self::demand(setting, found == wanted, &format!("must have {wanted} numbers, one per dimension, not {found}"))
    }
}

/// How many iterations a run has: what a proposal must know to make room and to refuse a warm-up that is too short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Iterations of warm-up.
    pub warmup: u64,
    /// Iterations after it.
    pub sampling: u64,
}

impl Length {
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
