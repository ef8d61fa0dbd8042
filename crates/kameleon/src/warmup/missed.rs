//! Regions that were met and that the jump density hardly reaches get components of their own.
//!
//! A point where the target is many times the jump density, be it a proposal or a state of a chain, lies at the end of an arm or in
//! a mode that the fit has passed over: it has too little mass to matter for a fit, and enough for a chain to get there and
//! stay. Once jumps lead there, they settle how much it weighs.

use super::proposals::log_sum_exp;
use crate::Rng;
use crate::mixture::{Component, Mixture, Sample, Start, fit};
use crate::moves::{JumpDensity, Parts};

/// A region is missed where the target is more than this many times the jump density, …
const MISSED: f64 = 4.0;
/// … and its components get a share of the mixture that is this many times the mass that was missed, within bounds, in each of
/// two passes.
const SHARE: f64 = 3.0;
const LEAST_SHARE: f64 = 0.01;
const MOST_SHARE: f64 = 0.05;
const PASSES: usize = 2;
/// One component for this many effective points, …
const POINTS_EACH: f64 = 6.0;
/// … at most.
const MOST_COMPONENTS: f64 = 8.0;
/// The squared scale of their components over that of a fit, and their most degrees of freedom.
const WIDER: f64 = 4.0;
const MOST_FREEDOM: f64 = 5.0;
const ITERATIONS: usize = 12;
/// Up to this dimension covariances are free in all directions.
const FREE_UP_TO: usize = 12;

/// Points with the log density of the target there, less ln Z, and the mass that each stands for.
#[derive(Default)]
pub struct Met<'a> {
    pub points: Vec<&'a [f64]>,
    pub log_density: Vec<f64>,
    pub mass: Vec<f64>,
}

/// The jump density with components for what it misses.
pub fn with_missed_regions(mut density: JumpDensity, met: &Met<'_>, rng: &mut Rng) -> JumpDensity {
    for _ in 0..PASSES {
        match missed(&density, met).and_then(|(sample, mass)| widened(&density, &sample, mass, rng)) {
            Some(wider) => density = wider,
            None => break,
        }
    }
    density
}

/// What is missed, in the coordinates of the mixture, and its mass; none if it is nothing.
fn missed(density: &JumpDensity, met: &Met<'_>) -> Option<(Sample, f64)> {
    let Parts { frame, few, mixture, .. } = density.parts();
    let mut u = vec![0.0; frame.dim()];
    let mut room = [0.0; JumpDensity::MOST_DIRECTIONS];
    let mut sample = Sample::new(mixture.dim());
    let mut missed = 0.0;
    for ((x, log_density), mass) in met.points.iter().zip(&met.log_density).zip(&met.mass) {
        let ratio = libm::exp(log_density - density.log_density(x, &mut u));
        if ratio > MISSED && *mass > 0.0 {
            let s = few.as_ref().map_or(u.as_slice(), |few| few.coordinates(&u, &mut room));
            missed += mass;
            sample.push(s, mass * ratio.min(1e6).sqrt(), false);
        }
    }
    let (sum, squares) = sample.weights.iter().fold((0.0, 0.0), |(sum, squares), w| (sum + w, squares + w * w));
    let effective = sum * sum / squares;
    sample.weights.iter_mut().for_each(|w| *w *= effective / sum);
    (sample.len() >= 3 && effective.is_finite()).then(|| (sample, missed / met.mass.iter().sum::<f64>()))
}

/// The jump density with more components, fitted to what it misses.
fn widened(density: &JumpDensity, sample: &Sample, mass: f64, rng: &mut Rng) -> Option<JumpDensity> {
    let Parts { frame, few, mixture, wide } = density.parts().clone();
    let k = sample.dim;
    let share = (SHARE * mass).clamp(LEAST_SHARE, MOST_SHARE);
    let count = (sample.size() / POINTS_EACH).clamp(1.0, MOST_COMPONENTS) as usize;
    let own = if k <= FREE_UP_TO { k } else { 1 };
    let found = fit(sample, Start::Clusters(count, rng), own, ITERATIONS)?;
    let wider = libm::pow(WIDER, (4.0 / k as f64).min(1.0)).sqrt();
    let kept = mixture.components().iter().map(|c| Component { weight: (1.0 - share) * c.weight, ..c.clone() });
    let spread = found.components().iter().map(|c| Component {
        weight: share * c.weight,
        centre: c.centre.clone(),
        factor: c.factor.iter().map(|l| wider * l).collect(),
        freedom: c.freedom.min(MOST_FREEDOM),
    });
    let mixture = Mixture::new(kept.chain(spread).collect())?;
    Some(Parts { frame, few, mixture, wide }.into())
        .filter(|density: &JumpDensity| density.fits(density.parts().frame.dim()))
}

/// ln of the mean of weights whose logarithms are given.
pub fn log_mean(log_weights: &[f64]) -> f64 {
    log_sum_exp(log_weights.iter().copied()) - libm::log(log_weights.len() as f64)
}
