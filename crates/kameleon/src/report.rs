//! What a sampler learned, for people: facts by name, and for each of its moves how often it was made and accepted.

use crate::diagnose::Estimate;
use serde::{Deserialize, Serialize};

/// What a sampler learned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Names and values.
    pub facts: Vec<(String, String)>,
    /// One row for each move that is made; empty for a sampler with one kind of move.
    pub moves: Vec<MoveReport>,
    /// What the jump proposals in the last rounds of the warm-up say, for a sampler that learns from them.
    pub late: Option<Estimate>,
}

/// The regions that a warm-up met, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Regions {
    /// The number of them.
    pub met: usize,
    /// How many of them no draw has visited.
    pub unvisited: usize,
}

/// What became of one kind of move.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MoveReport {
    /// Its name; not serialised, since a list of rows by chain has it once.
    #[serde(skip)]
    pub name: String,
    /// The probability with which it is made.
    pub share: f64,
    /// The number of points it proposed after the warm-up.
    pub proposed: u64,
    /// The number of them that were accepted.
    pub accepted: u64,
}

impl MoveReport {
    /// The share of accepted points; none before the first.
    pub fn acceptance(&self) -> Option<f64> {
        (self.proposed > 0).then(|| self.accepted as f64 / self.proposed as f64)
    }
}
