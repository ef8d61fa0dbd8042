//! Settles the weights of a jump density's components, so that the target is nowhere many times the density.
//!
//! A fit by likelihood hardly sees the ends of arms, which have little mass; a chain that gets there stays until a jump leads away.
//! How long it stays is what the second moment of target over density counts: E_π[π/Q], convex in the weights of Q's
//! components, so that a few multiplicative steps bring it down.

use super::missed::Met;
use crate::mixture::{Component, Mixture};
use crate::moves::{JumpDensity, Parts};

const STEPS: usize = 30;
/// Points have at most this ratio of target to density.
const MOST_RATIO: f64 = 100.0;

fn env(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// The jump density with other weights.
pub fn balanced(mut density: JumpDensity, met: &Met<'_>) -> JumpDensity {
    let power = env("BPOWER", 1.0);
    let floor = env("BFLOOR", 0.2);
    let steps = env("BSTEPS", STEPS as f64) as usize;
    let first: Vec<f64> = density.parts().mixture.components().iter().map(|c| c.weight).collect();
    let mut u = vec![0.0; density.parts().frame.dim()];
    let mut terms = vec![0.0; first.len()];
    // Density of each component at each point, over that of the wide part and rest.
    let count = first.len();
    let mut table = Vec::with_capacity(count * met.points.len());
    let (mut wide, mut target, mut mass) = (Vec::new(), Vec::new(), Vec::new());
    for ((x, log_density), m) in met.points.iter().zip(&met.log_density).zip(&met.mass) {
        if *m < 1e-9 {
            continue;
        }
        let log_wide = density.log_components(x, &mut u, &mut terms);
        // All over the target.
        table.extend(terms.iter().zip(&first).map(|(t, _)| libm::exp(t - log_density)));
        wide.push(libm::exp(log_wide - log_density));
        target.push(*log_density);
        mass.push(*m);
    }
    if mass.is_empty() {
        return density;
    }
    let mut weights = first.clone();
    for _ in 0..steps {
        let mut gains = vec![0.0; count];
        for ((row, wide), m) in table.chunks_exact(count).zip(&wide).zip(&mass) {
            let q = row.iter().zip(&weights).map(|(t, w)| t * w).sum::<f64>() + wide;
            let ratio = (1.0 / q).min(MOST_RATIO);
            let factor = m * libm::pow(ratio, power) / q;
            gains.iter_mut().zip(row).for_each(|(g, t)| *g += factor * t);
        }
        let sum: f64 = weights.iter().zip(&gains).map(|(w, g)| w * g).sum();
        weights.iter_mut().zip(&gains).for_each(|(w, g)| *w *= g / sum);
        let low = |w: &mut f64, first: &f64| *w = w.max(floor * first);
        weights.iter_mut().zip(&first).for_each(|(w, f)| low(w, f));
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|w| *w /= total);
    }
    let Parts { frame, few, mixture, wide } = density.parts().clone();
    let components =
        mixture.components().iter().zip(weights).map(|(c, weight)| Component { weight, ..c.clone() }).collect();
    if let Some(mixture) = Mixture::new(components) {
        density = Parts { frame, few, mixture, wide }.into();
    }
    density
}
