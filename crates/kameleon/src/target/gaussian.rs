//! A Gaussian with a given mean and covariance.

use super::{Evaluation, Known, Noise, Target, TargetError, chi_squared_level, demand, demand_plane};
use crate::{Rng, linalg};
use rand::RngExt;
use rand_distr::StandardNormal;

/// N(mean, covariance).
#[derive(Clone, Debug)]
pub struct Gaussian {
    mean: Vec<f64>,
    /// L with LLᵀ the covariance, row by row.
    factor: Vec<f64>,
    total_variance: f64,
    whitened: Vec<f64>,
}

impl Gaussian {
    /// The covariance is given row by row, d × d for a mean of length d ≥ 2.
    pub fn new(mean: &[f64], covariance: &[f64]) -> Result<Self, TargetError> {
        let name = "gaussian";
        let d = mean.len();
        demand_plane(name, d)?;
        demand(name, covariance.len() == d * d, || {
            format!("the covariance must have {d} × {d} entries, not {}", covariance.len())
        })?;
        demand(name, mean.iter().chain(covariance).all(|v| v.is_finite()), || "all entries must be finite".into())?;
        let symmetric = (0..d * d).all(|k| covariance[k] == covariance[(k % d) * d + k / d]);
        demand(name, symmetric, || "the covariance must be symmetric".into())?;
        let mut factor = covariance.to_vec();
        demand(name, linalg::cholesky(&mut factor, d), || "the covariance must be positive definite".into())?;
        let total_variance = (0..d).map(|i| covariance[i * d + i]).sum();
        Ok(Self { mean: mean.to_vec(), factor, total_variance, whitened: vec![0.0; d] })
    }

    /// Mean zero and independent coordinates of the given variances.
    pub fn diagonal(variances: &[f64]) -> Result<Self, TargetError> {
        let d = variances.len();
        let covariance: Vec<f64> = (0..d * d).map(|k| if k % d == k / d { variances[k / d] } else { 0.0 }).collect();
        Self::new(&vec![0.0; d], &covariance)
    }

    fn squared_radius(&self, x: &[f64], whitened: &mut [f64]) -> f64 {
        for ((w, x), m) in whitened.iter_mut().zip(x).zip(&self.mean) {
            *w = x - m;
        }
        linalg::solve_lower(&self.factor, whitened);
        whitened.iter().map(|w| w * w).sum()
    }
}

impl Target for Gaussian {
    fn dim(&self) -> Option<usize> {
        Some(self.mean.len())
    }

    fn log_density(&mut self, x: &[f64], _noise: Noise<'_>) -> Evaluation {
        let mut whitened = std::mem::take(&mut self.whitened);
        let radius = self.squared_radius(x, &mut whitened);
        self.whitened = whitened;
        Ok(-0.5 * radius)
    }
}

impl Known for Gaussian {
    fn sample(&self, rng: &mut Rng, x: &mut [f64]) {
        for x in x.iter_mut() {
            *x = rng.sample(StandardNormal);
        }
        linalg::multiply_lower(&self.factor, x);
        for (x, m) in x.iter_mut().zip(&self.mean) {
            *x += m;
        }
    }

    fn mean(&self) -> Vec<f64> {
        self.mean.clone()
    }

    fn total_variance(&self) -> f64 {
        self.total_variance
    }

    fn level(&self, x: &[f64]) -> f64 {
        let mut whitened = vec![0.0; x.len()];
        chi_squared_level(x.len(), self.squared_radius(x, &mut whitened))
    }
}
