//! Means by importance weights, to stand next to those of the chains.

use super::pareto_k;
use serde::{Deserialize, Serialize};

/// What weighted points say of the mean of each parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weighted {
    /// Σwx/Σw
    pub mean: Vec<f64>,
    /// Its standard error.
    pub error: Vec<f64>,
    /// The effective number of points, (Σw)²/Σw².
    pub ess: f64,
    /// Pareto k̂ of the weights.
    pub pareto_k: f64,
}

impl Weighted {
    /// The distance of each mean from another estimate with standard errors of its own, such as the means of the chains: in
    /// standard errors, as if both were independent. Zero where they are the same.
    pub fn distance_from(&self, means: &[f64], errors: &[f64]) -> Vec<f64> {
        let own = self.mean.iter().zip(&self.error);
        let distance =
            |((a, e), (b, f)): ((&f64, &f64), (&f64, &f64))| if a == b { 0.0 } else { (a - b) / e.hypot(*f) };
        own.zip(means.iter().zip(errors)).map(distance).collect()
    }
}

/// Means of points of `dim` numbers, one after another, by self-normalised weights, which are given by their logarithms up to a
/// common constant. Points of weight zero (−∞; NaN and +∞ count as that) may have any coordinates. The points may come from
/// several densities, if each has its weight by its own: everything is NaN if no weight is positive.
pub fn weighted_means(points: &[f64], dim: usize, log_weights: &[f64]) -> Weighted {
    assert!(dim > 0 && points.len() == dim * log_weights.len(), "one weight for each point");
    let usable: Vec<f64> =
        log_weights.iter().map(|log| if *log < f64::INFINITY { *log } else { f64::NEG_INFINITY }).collect();
    let largest = usable.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = usable.iter().map(|log| (log - largest).exp()).collect();
    let total: f64 = weights.iter().sum();
    let weighted = || points.chunks_exact(dim).zip(&weights).filter(|(_, w)| **w > 0.0).map(|(x, w)| (x, w / total));
    let mean: Vec<f64> = (0..dim).map(|i| weighted().map(|(x, w)| w * x[i]).sum()).collect();
    let error = |i: usize| weighted().map(|(x, w)| (w * (x[i] - mean[i])).powi(2)).sum::<f64>().sqrt();
    let (error, ess) = ((0..dim).map(error).collect(), 1.0 / weighted().map(|(_, w)| w * w).sum::<f64>());
    if total > 0.0 {
        Weighted { mean, error, ess, pareto_k: pareto_k(&usable) }
    } else {
        Weighted { mean: vec![f64::NAN; dim], error: vec![f64::NAN; dim], ess: 0.0, pareto_k: f64::NAN }
    }
}
