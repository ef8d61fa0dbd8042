//! The model that moves read: the metric Σ, and the points z of the history with what is made of them.

use super::{DensityShape, Frame, JumpDensity, LocalFactors, Subspace};
use crate::Rng;
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
}

impl Model {
    /// Before anything is known: unit steps.
    pub fn unknown(dim: usize) -> Self {
        Self { metric: Frame::raw(vec![0.0; dim]), history: None }
    }

    /// The history model in a subspace, if there is one.
    pub fn subspace(&self) -> Option<&SubspaceModel> {
        self.history.as_ref()?.subspace.as_ref()
    }
}

/// z, its kernel and its density estimate, in the coordinates of the frame.
#[derive(Clone, Debug)]
pub struct HistoryModel {
    /// Which frame, width and tails it has.
    pub shape: DensityShape,
    /// The coordinates of z.
    pub frame: Frame,
    /// The points.
    pub z: Points,
    /// σ, the size of a neighbourhood.
    pub sigma: f64,
    /// C is multiplied with this, so that its mean eigenvalue is typically that of Σ.
    pub unit: f64,
    /// What is added to it in every direction.
    pub floor: f64,
    /// The largest mean eigenvalue that C may have: far from z it would grow without end, and a step to where it is smaller
    /// would not be likely enough the other way.
    pub largest: f64,
    /// What jumps in all directions are drawn from, if these are not too many.
    pub density: Option<JumpDensity>,
    /// Moves in a subspace.
    pub subspace: Option<SubspaceModel>,
}

impl HistoryModel {
    /// Everything that follows from z and the shape; none if the points are too few or too close.
    pub fn new(shape: DensityShape, z: Points, metric: &Frame) -> Option<Self> {
        let d = metric.dim();
        if z.len() < 2 {
            return None;
        }
        let median = MedianHeuristic::new(TYPICAL_OF, d).sigma(&z)?;
        let sigma = shape.width.unwrap_or(1.0) * median;
        let factor = if shape.white { Frame::raw(vec![0.0; d]).factor } else { metric.factor.clone() };
        let variance = factor.iter().map(|l| l * l).sum::<f64>() / d as f64;
        let typical = typical_covariance(sigma, &z)?;
        let density = shape.jump.then(|| {
            let locals = shape.width.map(|_| LocalFactors::new(&z, sigma));
            JumpDensity::new(&z, locals.as_ref(), &factor, shape.h2, shape.delta)
        });
        let frame = shape.frame(metric);
        let (unit, floor, largest) = (variance / typical, FLOOR * variance, LARGEST * typical);
        Some(Self { shape, frame, z, sigma, unit, floor, largest, density, subspace: None })
    }

    /// An independent point from the density estimate.
    pub(super) fn draw_jump(&self, rng: &mut Rng, y: &mut [f64]) {
        if let Some(density) = &self.density {
            density.draw(rng, y);
            self.frame.point(y);
        }
    }

    /// The `count` states at which the density estimate is lowest.
    pub fn least_likely<'a>(&self, states: Vec<&'a [f64]>, count: usize) -> Vec<&'a [f64]> {
        let Some(density) = &self.density else { return Vec::new() };
        let d = self.frame.dim();
        let (mut u, mut scratch) = (vec![0.0; d], JumpDensity::scratch(d));
        let mut log_density = |x: &[f64]| {
            self.frame.coordinates(x, &mut u);
            density.log_density(&u, &mut scratch)
        };
        let mut ranked: Vec<(f64, &[f64])> = states.into_iter().map(|x| (log_density(x), x)).collect();
        ranked.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        ranked.into_iter().take(count).map(|(_, x)| x).collect()
    }
}

/// A subspace, and the history model in its coordinates.
#[derive(Clone, Debug)]
pub struct SubspaceModel {
    /// The directions.
    pub subspace: Subspace,
    /// The history in their coordinates, with a density estimate.
    pub history: Box<HistoryModel>,
}

impl SubspaceModel {
    /// Of the history in a subspace; none if that has no density estimate.
    pub fn new(subspace: Subspace, history: HistoryModel) -> Option<Self> {
        history.density.is_some().then(|| Self { subspace, history: Box::new(history) })
    }

    /// k, the number of directions.
    pub fn dim(&self) -> usize {
        self.subspace.dim()
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
