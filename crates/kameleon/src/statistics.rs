//! What happened to a chain: outcomes, the first invalid point, the longest wait, and how the scale evolved.

use crate::proposal::Proposal;
use crate::step::{Outcome, Step};
use serde::{Deserialize, Serialize};

/// What became of the points that were tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Points that became draws.
    pub accepted: u64,
    /// Points that did not by the luck of the draw, and those of a block of jumps that is not judged yet.
    pub rejected: u64,
    /// Points of zero density.
    pub outside_support: u64,
    /// Points at which the target gave NaN, +∞ or a refusal.
    pub invalid: u64,
}

impl Counts {
    /// All steps.
    pub fn total(&self) -> u64 {
        self.accepted + self.rejected + self.outside_support + self.invalid
    }

    /// The share of accepted points; NaN before the first step.
    pub fn acceptance(&self) -> f64 {
        self.accepted as f64 / self.total() as f64
    }

    /// Counts a point with this log density, and how many points have turned out to be accepted: this one, or some of a block.
    fn count(&mut self, value: f64, accepted: u64) {
        match Outcome::of_tried(value) {
            Outcome::OutsideSupport => self.outside_support += 1,
            Outcome::Invalid => self.invalid += 1,
            Outcome::Accepted | Outcome::Rejected => self.rejected += 1,
        }
        // A block that began in the warm-up has points that are not counted here.
        let accepted = accepted.min(self.rejected);
        self.rejected -= accepted;
        self.accepted += accepted;
    }
}

/// The longest wait to be expected of a chain that accepted `accepted` of `total` points, had rejections been independent
/// and equally likely: ln m / −ln(1 − a) for m moves. The acceptance is taken outside the longest wait there was, so that
/// a long wait does not explain itself.
pub fn expected_wait(longest: u64, accepted: u64, total: u64) -> f64 {
    let outside = accepted as f64 / total.saturating_sub(longest).max(1) as f64;
    (accepted as f64).ln().max(1.0) / -(-outside.min(0.9)).ln_1p()
}

/// The first point at which the target gave no usable value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Invalid {
    /// The iteration.
    pub t: u64,
    /// The point.
    pub point: Vec<f64>,
    /// What was wrong there.
    pub why: String,
}

/// The proposal's scale and bandwidth at an iteration, and the acceptance since the last such record.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracePoint {
    /// The iteration.
    pub t: u64,
    /// ν
    pub scale: f64,
    /// σ, where the proposal has a kernel with a bandwidth.
    pub bandwidth: Option<f64>,
    /// The mean acceptance probability since the last record.
    pub acceptance: f64,
}

/// What happened to a chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Evaluations of the target, the start's included.
    pub evaluations: u64,
    /// Outcomes in the warm-up.
    pub warmup: Counts,
    /// Outcomes after it.
    pub sampling: Counts,
    /// The longest run of draws after warm-up that were no new points.
    pub longest_rejection_run: u64,
    rejection_run: u64,
    /// The first invalid point, if there was one.
    pub first_invalid: Option<Invalid>,
    /// Scale, bandwidth and acceptance over the warm-up, at some two hundred iterations.
    pub trace: Vec<TracePoint>,
    trace_every: u64,
    acceptance_sum: f64,
}

impl Default for Statistics {
    /// Nothing yet, for a chain without warm-up.
    fn default() -> Self {
        Self::new(0)
    }
}

/// How many records the warm-up is cut into.
const TRACE_POINTS: u64 = 200;

impl Statistics {
    /// Nothing yet, for a chain with `warmup` iterations of warm-up.
    pub fn new(warmup: u64) -> Self {
        Self {
            evaluations: 0,
            warmup: Counts::default(),
            sampling: Counts::default(),
            longest_rejection_run: 0,
            rejection_run: 0,
            first_invalid: None,
            trace: Vec::with_capacity(TRACE_POINTS as usize),
            trace_every: warmup.div_ceil(TRACE_POINTS).max(1),
            acceptance_sum: 0.0,
        }
    }

    /// The share of accepted points after warm-up.
    pub fn acceptance(&self) -> f64 {
        self.sampling.acceptance()
    }

    pub(crate) fn count(&mut self, step: &Step, proposed: &[f64], value: f64, why: Option<String>) {
        self.evaluations += 1;
        let counts = if step.warm { &mut self.warmup } else { &mut self.sampling };
        counts.count(value, step.accepted);
        if !step.warm {
            self.rejection_run = if step.outcome == Outcome::Accepted { 0 } else { self.rejection_run + 1 };
            self.longest_rejection_run = self.longest_rejection_run.max(self.rejection_run);
        }
        if Outcome::of_tried(value) == Outcome::Invalid && self.first_invalid.is_none() {
            let why = why.unwrap_or_else(|| format!("the log density is {value}"));
            self.first_invalid = Some(Invalid { t: step.t, point: proposed.to_vec(), why });
        }
    }

    pub(crate) fn trace(&mut self, step: &Step, proposal: &impl Proposal) {
        if !step.warm {
            return;
        }
        self.acceptance_sum += step.acceptance;
        if (step.t + 1).is_multiple_of(self.trace_every) {
            let acceptance = self.acceptance_sum / self.trace_every as f64;
            let (scale, bandwidth) = (proposal.scale(), proposal.bandwidth());
            self.trace.push(TracePoint { t: step.t, scale, bandwidth, acceptance });
            self.acceptance_sum = 0.0;
        }
    }
}
