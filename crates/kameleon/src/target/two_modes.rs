//! Two Gaussian modes, which local moves do not pass between.

use super::{DIM, Evaluation, Known, Noise, Target, chi_squared_level};
use crate::registry::{POSITIVE, Range, Settings, SettingsError};
use crate::{Rng, settings};
use rand::RngExt;
use rand_distr::StandardNormal;

settings! {
    /// The settings of [`TwoModes`].
    pub struct TwoModesSettings {
        /// The distance of the modes along the first axis.
        distance: f64 = 6.0, POSITIVE;
        /// The weight of the mode on the negative side.
        weight: f64 = 0.5, Range::between(0.0, 1.0);
    }
}

/// w N(−a/2, I) + (1 − w) N(a/2, I), the centres at distance a along the first axis.
#[derive(Clone, Debug)]
pub struct TwoModes {
    dim: usize,
    distance: f64,
    weight: f64,
}

impl TwoModes {
    /// In `dim` ≥ 2 dimensions, with the weight of the mode on the negative side.
    pub fn new(dim: usize, distance: f64, weight: f64) -> Result<Self, SettingsError> {
        DIM.check("dim", &dim)?;
        TwoModesSettings { distance, weight }.check()?;
        Ok(Self { dim, distance, weight })
    }

    /// The squared distances to the two centres.
    fn squared_radii(&self, x: &[f64]) -> (f64, f64) {
        let rest = x[1..].iter().map(|x| x * x).sum::<f64>();
        let half = 0.5 * self.distance;
        ((x[0] + half).powi(2) + rest, (x[0] - half).powi(2) + rest)
    }
}

impl Target for TwoModes {
    fn dim(&self) -> Option<usize> {
        Some(self.dim)
    }

    fn log_density(&mut self, x: &[f64], _noise: Noise<'_>) -> Evaluation {
        let (left, right) = self.squared_radii(x);
        let (left, right) = (libm::log(self.weight) - 0.5 * left, libm::log(1.0 - self.weight) - 0.5 * right);
        let high = left.max(right);
        Ok(high + libm::log1p(libm::exp(left.min(right) - high)))
    }

    fn has_gradient(&self) -> bool {
        true
    }

    fn gradient(&mut self, x: &[f64], noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        let (left, right) = self.squared_radii(x);
        // The share of the mode on the negative side in the density here.
        let odds = libm::log(1.0 - self.weight) - 0.5 * right - libm::log(self.weight) + 0.5 * left;
        let share = 1.0 / (1.0 + libm::exp(odds));
        gradient.iter_mut().zip(x).for_each(|(g, x)| *g = -x);
        gradient[0] += (0.5 - share) * self.distance;
        self.log_density(x, noise)
    }

    fn known(&self) -> Option<&dyn Known> {
        Some(self)
    }
}

impl Known for TwoModes {
    fn sample(&self, rng: &mut Rng, x: &mut [f64]) {
        let side = if rng.random::<f64>() < self.weight { -0.5 } else { 0.5 };
        x.iter_mut().for_each(|x| *x = rng.sample(StandardNormal));
        x[0] += side * self.distance;
    }

    fn mean(&self) -> Vec<f64> {
        let mut mean = vec![0.0; self.dim];
        mean[0] = (0.5 - self.weight) * self.distance;
        mean
    }

    fn total_variance(&self) -> f64 {
        self.dim as f64 + self.weight * (1.0 - self.weight) * self.distance * self.distance
    }

    /// The regions are balls once the first coordinate is turned into a standard normal by its exact distribution.
    fn level(&self, x: &[f64]) -> f64 {
        use spec_math::NormDist;
        let half = 0.5 * self.distance;
        let first = self.weight * (x[0] + half).norm_cdf() + (1.0 - self.weight) * (x[0] - half).norm_cdf();
        let score = first.clamp(1e-300, 1.0 - 1e-16).norm_cdf_inv();
        chi_squared_level(self.dim, score * score + x[1..].iter().map(|x| x * x).sum::<f64>())
    }
}
