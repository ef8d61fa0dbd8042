//! Student's t: tails heavier than those of any Gaussian proposal.

use super::{DIM, Evaluation, Known, Noise, Target};
use crate::registry::{Range, Settings, SettingsError};
use crate::{Rng, settings};
use rand::RngExt;
use rand_distr::{ChiSquared, StandardNormal};
use spec_math::Beta;

settings! {
    /// The settings of [`StudentT`].
    pub struct StudentTSettings {
        /// The degrees of freedom ν, above 2 so that there is a variance.
        freedom: f64 = 3.0, Range::between(2.0, f64::INFINITY);
    }
}

/// t_ν with unit scale in d dimensions.
#[derive(Clone, Debug)]
pub struct StudentT {
    dim: usize,
    freedom: f64,
}

impl StudentT {
    /// In `dim` ≥ 2 dimensions, with more than two degrees of freedom so that it has a variance.
    pub fn new(dim: usize, freedom: f64) -> Result<Self, SettingsError> {
        DIM.check("dim", &dim)?;
        StudentTSettings { freedom }.check()?;
        Ok(Self { dim, freedom })
    }
}

fn squared(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

impl Target for StudentT {
    fn dim(&self) -> Option<usize> {
        Some(self.dim)
    }

    fn log_density(&mut self, x: &[f64], _noise: Noise<'_>) -> Evaluation {
        Ok(-0.5 * (self.freedom + self.dim as f64) * libm::log1p(squared(x) / self.freedom))
    }

    fn has_gradient(&self) -> bool {
        true
    }

    fn gradient(&mut self, x: &[f64], noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        let pull = -(self.freedom + self.dim as f64) / (self.freedom + squared(x));
        gradient.iter_mut().zip(x).for_each(|(g, x)| *g = pull * x);
        self.log_density(x, noise)
    }

    fn known(&self) -> Option<&dyn Known> {
        Some(self)
    }
}

impl Known for StudentT {
    fn sample(&self, rng: &mut Rng, x: &mut [f64]) {
        let chi2 = ChiSquared::new(self.freedom).expect("the degrees of freedom are positive");
        let stretch = (self.freedom / rng.sample(chi2)).sqrt();
        x.iter_mut().for_each(|x| *x = stretch * rng.sample::<f64, _>(StandardNormal));
    }

    fn total_variance(&self) -> f64 {
        self.dim as f64 * self.freedom / (self.freedom - 2.0)
    }

    /// |x|²/d has an F distribution.
    fn level(&self, x: &[f64]) -> f64 {
        let r2 = squared(x);
        (r2 / (r2 + self.freedom)).ibeta(0.5 * self.dim as f64, 0.5 * self.freedom)
    }
}
