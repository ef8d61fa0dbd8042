//! Where draws go.

use serde::{Deserialize, Serialize};

/// The draws of one chain in memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Draws {
    /// The points, one after another.
    pub points: Vec<f64>,
    /// The log density, or its estimate, at each.
    pub log_density: Vec<f64>,
}

impl Draws {
    /// Room for `count` draws in `dim` dimensions.
    pub fn with_capacity(count: usize, dim: usize) -> Self {
        Self { points: Vec::with_capacity(count * dim), log_density: Vec::with_capacity(count) }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.log_density.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.log_density.is_empty()
    }

    /// Adds a draw.
    pub fn push(&mut self, x: &[f64], log_density: f64) {
        self.points.extend_from_slice(x);
        self.log_density.push(log_density);
    }
}
