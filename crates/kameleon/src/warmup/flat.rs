//! The jump density around a fitted mixture: most of it the fit, some of it flat, a little wide.
//!
//! The flat part is a second mixture, fitted to the same points with weights that undo half of the density, and wider. It
//! reaches the ends of long arms: without it the fit looks good from the inside, and a chain that comes to such an end stays.

use super::structure::Fitted;
use crate::Rng;
use crate::mixture::{Component, Mixture, Part, Sample, Start, fit};
use crate::moves::{JumpDensity, Parts};

/// The shares of the flat and of the wide part while the density is learned, …
pub const EXPLORING: Shares = Shares { flat: 0.3, wide: 0.1, wider: &[4.0, 25.0] };
/// … and when it is frozen.
pub const FROZEN: Shares = Shares { flat: 0.1, wide: 0.05, wider: &[4.0] };
/// Points are weighted by this power of the inverse density, in few directions.
const POWER: f64 = 0.5;
/// The most degrees of freedom it has.
const MOST_FREEDOM: f64 = 5.0;
const ITERATIONS: usize = 12;
const MOST_FITTED: usize = 4000;
/// Up to this dimension covariances are free in all directions.
const FREE_UP_TO: usize = 12;

/// The shares of the parts beside the fit.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    pub flat: f64,
    pub wide: f64,
    /// The squared scales of flat components over that of a fitted one: each is there in all of them, with equal shares.
    pub wider: &'static [f64],
}

/// The jump density that a mixture, fitted to the sample, is the core of.
pub fn with_flat_part(fitted: Fitted, sample: &Sample, shares: Shares, rng: &mut Rng) -> Option<JumpDensity> {
    let Fitted { frame, few, mixture, .. } = fitted;
    let (d, mut u, mut room) = (sample.dim, vec![0.0; sample.dim], [0.0; JumpDensity::MOST_DIRECTIONS]);
    let near = sample.part(Part::All, MOST_FITTED).mapped(mixture.dim(), |x, s| {
        frame.coordinates(x, &mut u);
        s.copy_from_slice(few.as_ref().map_or(&u, |few| few.coordinates(&u, &mut room)));
    });
    let (power, reach) = match few {
        Some(_) => (POWER, 1.0),
        None => (POWER.min(2.0 / d as f64), (4.0 / d as f64).min(1.0)),
    };
    let flat = flat_mixture(&mixture, near, power, rng).unwrap_or_else(|| mixture.clone());
    let total: f64 = flat.components().iter().map(|component| component.weight.sqrt()).sum();
    let share = shares.flat / (1.0 - shares.wide);
    let spread = |component: &Component| {
        let Component { weight, centre, factor, freedom } = component.clone();
        let weight = share * weight.sqrt() / total / shares.wider.len() as f64;
        let freedom = freedom.min(MOST_FREEDOM);
        shares.wider.iter().map(move |wider| {
            let by = libm::pow(*wider, reach).sqrt();
            Component { weight, centre: centre.clone(), factor: factor.iter().map(|l| by * l).collect(), freedom }
        })
    };
    let kept = |component: &Component| Component { weight: (1.0 - share) * component.weight, ..component.clone() };
    let components = mixture.components().iter().map(kept).chain(flat.components().iter().flat_map(spread)).collect();
    Some(Parts { frame, few, mixture: Mixture::new(components)?, wide: shares.wide }.into())
}

/// A mixture fitted to the points with weights w q^−power, none larger than that of one in √n.
fn flat_mixture(mixture: &Mixture, mut sample: Sample, power: f64, rng: &mut Rng) -> Option<Mixture> {
    let size = sample.size();
    let log_densities = mixture.log_densities(&sample.points).into_iter();
    let logs: Vec<f64> =
        sample.weights.iter().zip(log_densities).map(|(w, log)| libm::log(w.max(1e-300)) - power * log).collect();
    let total = crate::diagnose::log_sum_exp(logs.iter().copied());
    let most = 1.0 / (size + 4.0).sqrt();
    let weights: Vec<f64> = logs.iter().map(|log| libm::exp(log - total).min(most)).collect();
    let (sum, squares) = weights.iter().fold((0.0, 0.0), |(sum, squares), w| (sum + w, squares + w * w));
    let effective = (sum * sum / squares).min(size);
    sample.weights = weights.into_iter().map(|w| w / sum * effective).collect();
    let own = if sample.dim <= FREE_UP_TO { sample.dim } else { 1 };
    // Fewer components than the fit has: with as many they are narrow, and leave gaps at the ends of arms.
    let count = (mixture.components().len() / 2).max(1);
    fit(&sample, Start::Clusters(count, rng), own, ITERATIONS)
}
