//! The model that moves read: the metric Σ, the points z of the history with what is made of them, and the jump density.

use super::{Frame, JumpDensity};
use crate::bandwidth::MedianHeuristic;
use crate::gradient_covariance::{Scratch, weighted_moments};
use crate::points::Points;

/// Every direction has at least this share of the typical local covariance.
const FLOOR: f64 = 0.01;
/// Caps the mean eigenvalue of a local covariance at this multiple of the median.
const LARGEST: f64 = 4.0;
/// The median distance and the typical local covariance are taken over this many points of z.
const TYPICAL_OF: usize = 300;

/// What moves read.
#[derive(Clone, Debug)]
pub struct Model {
    /// m and L with LLᵀ = Σ.
    pub metric: Frame,
    /// z and what is made of it; none early in the warm-up.
    pub history: Option<HistoryModel>,
    /// What jumps are drawn from; none early in the warm-up.
    pub density: Option<JumpDensity>,
}

impl Model {
    /// Before anything is known: unit steps.
    pub fn unknown(dim: usize) -> Self {
        Self { metric: Frame::raw(vec![0.0; dim]), history: None, density: None }
    }
}

/// z and its kernel, in the coordinates of the frame.
#[derive(Clone, Debug)]
pub struct HistoryModel {
    /// The coordinates of z.
    pub frame: Frame,
    /// The points.
    pub z: Points,
    /// σ, the size of a neighbourhood: the median distance of points of z.
    pub sigma: f64,
    /// C is multiplied with this, so that its mean eigenvalue is typically that of Σ.
    pub unit: f64,
    /// The largest mean eigenvalue that C may have: far from z it would grow without end, and a step to where it is smaller
    /// would not be likely enough the other way.
    pub largest: f64,
}

impl HistoryModel {
    /// What is added to the local covariance in every direction.
    pub const FLOOR: f64 = FLOOR;

    /// Everything that follows from z, white in the frame; none if the points are too few or too close.
    pub fn new(z: Points, frame: Frame) -> Option<Self> {
        if z.len() < 2 || z.dim() != frame.dim() {
            return None;
        }
        let sigma = MedianHeuristic::new(TYPICAL_OF, z.dim()).sigma(&z)?;
        let typical = typical_covariance(sigma, &z)?;
        Some(Self { frame, z, sigma, unit: 1.0 / typical, largest: LARGEST * typical })
    }
}

/// The median over z of the mean eigenvalue of C.
fn typical_covariance(sigma: f64, z: &Points) -> Option<f64> {
    let d = z.dim();
    let (mut scratch, mut x, mut s) = (Scratch::new(d), vec![0.0; d], vec![0.0; d * d]);
    let count = TYPICAL_OF.min(z.len());
    let mut traces: Vec<f64> = (0..count)
        .map(|a| {
            z.get(a * z.len() / count, &mut x);
            weighted_moments(sigma, z, &x, &mut scratch, &mut s);
            (0..d).map(|i| s[i * d + i]).sum::<f64>() / d as f64
        })
        .collect();
    traces.sort_by(f64::total_cmp);
    let median = traces[count / 2];
    (median > 0.0 && median.is_finite()).then_some(median)
}
