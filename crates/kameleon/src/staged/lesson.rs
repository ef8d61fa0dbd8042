//! What a chain brings to a refresh.

use super::moves::PerKind;
use serde::{Deserialize, Serialize};

/// How far a kind of move got since the last refresh.
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
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// The later half of its past, one state after another.
    pub states: Vec<f64>,
    /// How many moves it accepted in that time.
    pub accepted: u64,
    /// ln s² of its steps.
    pub log_scale: f64,
    /// What its moves were worth.
    pub tallies: PerKind<Tally>,
    /// From its own stream; that of the group's first chain gives the random numbers of the refresh.
    pub seed: u64,
}
