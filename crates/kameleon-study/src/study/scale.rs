//! The scale of a run, and numbers that depend on it.

use serde::Deserialize;

/// The scale of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Seconds: for tests.
    Tiny,
    /// Minutes.
    Quick,
    /// The numbers of the paper.
    Paper,
}

impl Scale {
    pub(crate) const ALL: [Self; 3] = [Self::Tiny, Self::Quick, Self::Paper];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tiny => "tiny",
            Self::Quick => "quick",
            Self::Paper => "paper",
        }
    }
}

/// A whole number, the same at every scale or one for each: `20`, or `{ quick = 8, paper = 20 }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "should be a whole number, or one for each scale as in { quick = 8, paper = 20 }")]
pub enum Scaled {
    /// The same at every scale.
    Same(u64),
    /// One for each scale; by default that of `quick` for `tiny`.
    Each(Levels),
}

/// A number for each scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Levels {
    tiny: Option<u64>,
    quick: u64,
    paper: u64,
}

impl Scaled {
    /// The number at this scale.
    pub fn at(self, scale: Scale) -> u64 {
        match (self, scale) {
            (Self::Same(number), _) => number,
            (Self::Each(Levels { tiny, quick, .. }), Scale::Tiny) => tiny.unwrap_or(quick),
            (Self::Each(levels), Scale::Quick) => levels.quick,
            (Self::Each(levels), Scale::Paper) => levels.paper,
        }
    }

    /// The number of chains in the paper's synthetic experiments.
    pub(crate) fn twenty() -> Self {
        Self::Same(20)
    }

    /// No thinning.
    pub(crate) fn one() -> Self {
        Self::Same(1)
    }
}
