//! The mean and covariance of a chain, learned point by point.

use crate::linalg;
use serde::{Deserialize, Serialize};

/// Running mean and covariance Σ; Σ is held as its Cholesky factor, so it is positive definite by construction.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LearnedCovariance {
    /// Empty before the first point.
    mean: Vec<f64>,
    /// L with LLᵀ = Σ, row by row.
    factor: Vec<f64>,
    #[serde(skip)]
    scratch: Vec<f64>,
}

impl LearnedCovariance {
    /// Starts at the given diagonal covariance, with mean zero or none yet.
    pub fn new(variances: &[f64], mean_from_zero: bool) -> Self {
        let d = variances.len();
        let mut factor = vec![0.0; d * d];
        for (i, variance) in variances.iter().enumerate() {
            factor[i * d + i] = variance.sqrt();
        }
        let mut mean = Vec::with_capacity(d);
        mean.resize(if mean_from_zero { d } else { 0 }, 0.0);
        Self { mean, factor, scratch: vec![0.0; d] }
    }

    /// What is wrong with a covariance that was read from elsewhere.
    pub fn problem(&self, dim: usize) -> Option<&'static str> {
        let fits = self.factor.len() == dim * dim && (self.mean.is_empty() || self.mean.len() == dim);
        (!fits).then_some("its covariance does not fit its dimension")
    }

    /// L
    pub fn factor(&self) -> &[f64] {
        &self.factor
    }

    /// Σ ← (1 − λ)Σ + λ(x − mean)(x − mean)ᵀ, then mean ← mean + λ(x − mean), with 0 < λ < 1.
    /// Without a mean yet, the first point is taken for it, and no more: where a chain starts says nothing of how far it spreads.
    pub fn learn(&mut self, x: &[f64], rate: f64) {
        if self.mean.is_empty() {
            self.mean.extend_from_slice(x);
            return;
        }
        self.scratch.resize(x.len(), 0.0);
        let (shrink, weight) = ((1.0 - rate).sqrt(), rate.sqrt());
        self.factor.iter_mut().for_each(|l| *l *= shrink);
        for ((s, x), mean) in self.scratch.iter_mut().zip(x).zip(&mut self.mean) {
            let deviation = x - *mean;
            *s = weight * deviation;
            *mean += rate * deviation;
        }
        linalg::cholesky_add(&mut self.factor, &mut self.scratch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_follows_the_recursion_on_the_covariance() {
        let d = 3;
        let mut learned = LearnedCovariance::new(&[1.0, 4.0, 0.5], false);
        let mut sigma = [1.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.5];
        let mut mean = [0.5, -1.0, 2.0];
        learned.learn(&mean, 1.0);
        for t in 1..200 {
            let x = [f64::from(t).sin(), (f64::from(t) * 1.7).cos() * 3.0, f64::from(t).sin() * 0.9 + 0.1];
            let rate = 1.0 / f64::from(t + 1);
            learned.learn(&x, rate);
            for i in 0..d {
                for j in 0..d {
                    sigma[i * d + j] = (1.0 - rate) * sigma[i * d + j] + rate * (x[i] - mean[i]) * (x[j] - mean[j]);
                }
            }
            (0..d).for_each(|i| mean[i] += rate * (x[i] - mean[i]));
        }
        for i in 0..d {
            assert!((learned.mean[i] - mean[i]).abs() < 1e-12);
            for j in 0..d {
                let product = linalg::dot(&learned.factor()[i * d..(i + 1) * d], &learned.factor()[j * d..(j + 1) * d]);
                assert!((product - sigma[i * d + j]).abs() < 1e-12, "{i} {j}");
            }
        }
    }
}
