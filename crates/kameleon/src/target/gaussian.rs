//! A Gaussian with a given mean and covariance.

use super::{DIM, Evaluation, Known, Noise, Target, chi_squared_level};
use crate::registry::{AT_LEAST_ONE, POSITIVE, Range, Settings, SettingsError};
use crate::{Rng, linalg, settings};
use rand::RngExt;
use rand_distr::StandardNormal;

settings! {
    /// The settings of a [`Gaussian`] of mean zero.
    pub struct GaussianSettings {
        /// The variances fall in equal ratios from 1 to 1/condition.
        condition: f64 = 1.0, AT_LEAST_ONE;
        /// The correlation of every pair of coordinates.
        correlation: f64 = 0.0, Range::between(-1.0, 1.0);
        /// The variances themselves, in place of the condition.
        variances: Option<Vec<f64>> = None, POSITIVE;
    }
}

/// The largest dimension: the d × d factor must fit into memory.
const LARGEST_DIM: usize = 4096;

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
    pub fn new(mean: &[f64], covariance: &[f64]) -> Result<Self, SettingsError> {
        let d = mean.len();
        DIM.check("dim", &d)?;
        let demand = |ok, what: &str| SettingsError::demand("covariance", ok, what);
        demand(covariance.len() == d * d, &format!("must have {d} × {d} entries, not {}", covariance.len()))?;
        demand(mean.iter().chain(covariance).all(|v| v.is_finite()), "and the mean must have finite entries only")?;
        let symmetric = (0..d * d).all(|k| covariance[k] == covariance[(k % d) * d + k / d]);
        demand(symmetric, "must be symmetric")?;
        let mut factor = covariance.to_vec();
        demand(linalg::cholesky(&mut factor, d), "must be positive definite")?;
        let total_variance = (0..d).map(|i| covariance[i * d + i]).sum();
        Ok(Self { mean: mean.to_vec(), factor, total_variance, whitened: vec![0.0; d] })
    }

    /// Mean zero, with variances and correlations as the settings say.
    pub fn of(dim: usize, settings: &GaussianSettings) -> Result<Self, SettingsError> {
        settings.check()?;
        Range::within(2.0, LARGEST_DIM as f64).check("dim", &dim)?;
        let sd: Vec<f64> = match &settings.variances {
            Some(variances) => variances.iter().map(|v| v.sqrt()).collect(),
            None => (0..dim).map(|i| settings.condition.powf(-0.5 * i as f64 / (dim - 1) as f64)).collect(),
        };
        SettingsError::length("variances", sd.len(), dim)?;
        let entry = |i: usize, j: usize| match &settings.variances {
            Some(variances) if i == j => variances[i],
            _ => sd[i] * sd[j] * if i == j { 1.0 } else { settings.correlation },
        };
        // From the same pair on either side of the diagonal, so that it is symmetric to the last bit.
        let covariance: Vec<f64> =
            (0..dim * dim).map(|k| entry((k / dim).min(k % dim), (k / dim).max(k % dim))).collect();
        Self::new(&vec![0.0; dim], &covariance)
    }

    /// Mean zero and independent coordinates of the given variances.
    pub fn diagonal(variances: &[f64]) -> Result<Self, SettingsError> {
        Self::of(variances.len(), &GaussianSettings { variances: Some(variances.to_vec()), ..Default::default() })
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

    fn has_gradient(&self) -> bool {
        true
    }

    fn gradient(&mut self, x: &[f64], _noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        let radius = self.squared_radius(x, gradient);
        linalg::solve_lower_transpose(&self.factor, gradient);
        gradient.iter_mut().for_each(|g| *g = -*g);
        Ok(-0.5 * radius)
    }

    fn known(&self) -> Option<&dyn Known> {
        Some(self)
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
