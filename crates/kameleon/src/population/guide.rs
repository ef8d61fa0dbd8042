//! What one lineage of a ladder learns, and the other one moves by.
//!
//! A mixture that moves the states it was fitted to draws them to where they already are, and log Z comes out too high. So each
//! lineage moves by what was fitted to the other.

use super::kernel_guide::KernelShape;
use super::particles::Particles;
use super::settings::Moves;
use crate::Rng;
use crate::diagnose::{effective_number, log_sum_exp};
use crate::mixture::{Component, Mixture, Sample, Start, fit};
use crate::moves::Frame;
use crate::warmup::shrunk_frame;
use serde::{Deserialize, Serialize};

/// The most components, …
const MOST_COMPONENTS: f64 = 16.0;
/// … each for this many effective states for each dimension.
const STATES_EACH: f64 = 5.0;
const ITERATIONS: usize = 15;
/// The most degrees of freedom, or d if that is more: independent proposals need heavy tails, but in many dimensions a heavy tail is
/// far from everything.
const MOST_FREEDOM: f64 = 5.0;
/// Up to this dimension covariances are free in all directions.
const FREE_UP_TO: usize = 12;

/// What a lineage learned at a level.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Guide {
    /// White coordinates of its states.
    pub(super) frame: Frame,
    /// A mixture fitted to them there.
    pub(super) mixture: Mixture,
    /// Its states after resampling, one point after another.
    pub(super) points: Vec<f64>,
    /// The kernel of kernel steps, if they are made.
    pub(super) kernel: Option<KernelShape>,
}

impl Guide {
    /// From weighted states, and from them after resampling.
    pub(super) fn new(
        states: &Particles,
        log_weights: &[f64],
        resampled: &Particles,
        moves: Moves,
        rng: &mut Rng,
    ) -> Self {
        let d = states.dim();
        let effective = effective_number(log_weights);
        let total = log_sum_exp(log_weights.iter().copied());
        let mut sample = Sample::new(d);
        for (i, log) in log_weights.iter().enumerate() {
            let weight = effective * libm::exp(log - total);
            if weight > 1e-9 {
                sample.push(states.point(i), weight, i % 5 < 2);
            }
        }
        let frame = shrunk_frame(&sample).unwrap_or_else(|| separate(&sample));
        let white = sample.mapped(d, |x, u| frame.coordinates(x, u));
        let own = if d <= FREE_UP_TO { d } else { 1 };
        let count = (effective / (STATES_EACH * d as f64)).clamp(1.0, MOST_COMPONENTS) as usize;
        let mixture = fit(&white, Start::Clusters(count, rng), own, ITERATIONS).and_then(heavy);
        let mixture = mixture.unwrap_or_else(|| around_zero(d));
        let points = resampled.points.clone();
        let kernel = (moves == Moves::Kernel).then(|| KernelShape::new(&points, &frame)).flatten();
        Self { frame, mixture, points, kernel }
    }

    /// Whether what was read from elsewhere is for points in `dim` dimensions.
    pub(super) fn fits(&self, dim: usize) -> bool {
        self.frame.fits(dim)
            && self.mixture.dim() == dim
            && self.points.len() >= dim
            && self.points.len().is_multiple_of(dim)
            && self.kernel.is_none_or(|kernel| kernel.is_valid())
    }
}

/// Each coordinate by itself, where states are too few or too much alike for a covariance.
fn separate(sample: &Sample) -> Frame {
    let d = sample.dim;
    let mut frame = Frame::raw((0..d).map(|i| sample.mean(|x| x[i])).collect());
    for i in 0..d {
        let origin = frame.origin[i];
        let variance = sample.mean(|x| (x[i] - origin) * (x[i] - origin));
        frame.factor[i * d + i] = variance.sqrt().max(1e-9 * origin.abs()).max(1e-150);
    }
    frame
}

fn heavy(mixture: Mixture) -> Option<Mixture> {
    let most = MOST_FREEDOM.max(mixture.dim() as f64);
    let heavy = |component: &Component| Component { freedom: component.freedom.min(most), ..component.clone() };
    Mixture::new(mixture.components().iter().map(heavy).collect())
}

/// One t in white coordinates.
fn around_zero(d: usize) -> Mixture {
    let Frame { origin: centre, factor } = Frame::raw(vec![0.0; d]);
    Mixture::new(vec![Component { weight: 1.0, centre, factor, freedom: MOST_FREEDOM }]).expect("one component fits")
}
