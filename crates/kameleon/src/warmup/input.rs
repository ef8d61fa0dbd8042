//! What a chain brings to a refresh.

use super::proposals::Evaluated;
use crate::moves::PerMove;
use serde::{Deserialize, Serialize};

/// What became of one kind of move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// How often it was made.
    pub made: u64,
    /// How often it was accepted.
    pub accepted: u64,
    /// The sum of the squared distances it moved the chain by, in the metric.
    pub squares: f64,
}

/// What a chain brings to a refresh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainInput {
    /// The later half of its history.
    pub states: Evaluated,
    /// Some states of the earlier half: a region that the chain has left since then must not be forgotten.
    pub early: Evaluated,
    /// Its jump proposals since the last refresh, accepted or not.
    pub jumps: Evaluated,
    /// How many moves it accepted in the time of the states.
    pub accepted: u64,
    /// ln s² of its steps of adaptive Metropolis.
    pub log_scale: f64,
    /// What became of its moves since the last refresh.
    pub tallies: PerMove<Tally>,
    /// From its own stream; that of the group's first chain gives the random numbers of the refresh.
    pub seed: u64,
}

impl ChainInput {
    /// Whether what was read from elsewhere is of points in `dim` dimensions.
    pub fn fits(&self, dim: usize) -> bool {
        !self.states.is_empty() && [&self.states, &self.early, &self.jumps].iter().all(|points| points.fits(dim))
    }
}
