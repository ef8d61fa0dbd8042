//! One iteration of a chain, as its proposal, its statistics and its records see it.

use serde::{Deserialize, Serialize};

/// Whether the draw of an iteration is a new point, and if it is one that was drawn before, what the point was that the iteration tried.
///
/// Where the chain judges each point by itself, that is what became of the point. From the first block of jumps on draws are shown one
/// block late, so that the point that an iteration tries is not the draw that it shows; what points came to is then counted by
/// [`Statistics`](crate::statistics::Statistics).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The draw is a new point.
    Accepted,
    /// The draw is a point that was drawn before. The point that was tried has a density.
    Rejected,
    /// The same, and the density is zero at the point that was tried.
    OutsideSupport,
    /// The same, and the target gave NaN, +∞ or a refusal at the point that was tried.
    Invalid,
}

impl Outcome {
    /// All of them, in the order of their codes.
    pub const ALL: [Self; 4] = [Self::Accepted, Self::Rejected, Self::OutsideSupport, Self::Invalid];

    /// The draw is no new point, and this is the log density at the point that was tried.
    pub(crate) fn of_tried(log_density: f64) -> Self {
        match log_density {
            f64::NEG_INFINITY => Self::OutsideSupport,
            value if value.is_finite() => Self::Rejected,
            _ => Self::Invalid,
        }
    }

    /// The number that stands for it in files and arrays.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Its name, as in stored chains.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::OutsideSupport => "outside-support",
            Self::Invalid => "invalid",
        }
    }

    /// The outcome with this number.
    pub fn of(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

/// One iteration of a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The iteration, from 0.
    pub t: u64,
    /// Whether it belongs to the warm-up.
    pub warm: bool,
    /// Which step after the warm-up it is, from 1; 0 in the warm-up.
    pub sampling: u64,
    /// Whether its draw is a new point.
    pub outcome: Outcome,
    /// How many proposed points the chain took: this one or none; at the end of a block of jumps those of the block.
    pub accepted: u64,
    /// α = min(1, ratio), the probability with which it was accepted; in a block of jumps, with which it would be by itself.
    pub acceptance: f64,
    /// The component of the proposal it came from.
    pub component: usize,
    /// What is known of the point that was tried, if it was drawn from a density Q that does not depend on where the chain was.
    pub jump: Option<Drawn>,
}

/// What is known of a point that was drawn from a density Q.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// ln π − ln Q; −∞ where the target has no density.
    pub log_ratio: f64,
    /// The number of the part of Q that it was drawn from, or [`Drawn::NO_PART`].
    pub part: u8,
}

impl Drawn {
    /// Of a point that was drawn from all of Q.
    pub const NO_PART: u8 = u8::MAX;
}

/// The point that a step tried, whatever became of it, and the point that it ended at.
#[derive(Clone, Copy, Debug)]
pub struct Tried<'a> {
    /// The point that was tried.
    pub y: &'a [f64],
    /// The log density, or its estimate, there; not finite if there is none.
    pub log_density: f64,
    /// Where the step ended.
    pub x: &'a [f64],
    /// The log density, or its estimate, there.
    pub log_density_here: f64,
}
