//! Neal's funnel: a scale that is itself unknown.

use super::{DIM, Evaluation, Known, Noise, Target, chi_squared_level};
use crate::registry::{POSITIVE, Settings, SettingsError};
use crate::{Rng, settings};
use rand::RngExt;
use rand_distr::StandardNormal;

settings! {
    /// The settings of [`Funnel`].
    pub struct FunnelSettings {
        /// The standard deviation of the log variance.
        s: f64 = 3.0, POSITIVE;
    }
}

/// x₁ ~ N(0, s²) and x₂, …, x_d ~ N(0, e^x₁).
#[derive(Clone, Debug)]
pub struct Funnel {
    dim: usize,
    s: f64,
}

impl Funnel {
    /// The funnel in `dim` ≥ 2 dimensions, with standard deviation `s` of the log variance (Neal's: 3).
    pub fn new(dim: usize, s: f64) -> Result<Self, SettingsError> {
        DIM.check("dim", &dim)?;
        FunnelSettings { s }.check()?;
        Ok(Self { dim, s })
    }

    /// |x|² with every coordinate in units of its own standard deviation: χ²_d.
    fn squared_radius(&self, x: &[f64]) -> f64 {
        (x[0] / self.s).powi(2) + libm::exp(-x[0]) * x[1..].iter().map(|x| x * x).sum::<f64>()
    }
}

impl Target for Funnel {
    fn dim(&self) -> Option<usize> {
        Some(self.dim)
    }

    fn log_density(&mut self, x: &[f64], _noise: Noise<'_>) -> Evaluation {
        Ok(-0.5 * self.squared_radius(x) - 0.5 * (self.dim - 1) as f64 * x[0])
    }

    fn has_gradient(&self) -> bool {
        true
    }

    fn gradient(&mut self, x: &[f64], noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        let precision = libm::exp(-x[0]);
        let squares = x[1..].iter().map(|x| x * x).sum::<f64>();
        gradient.iter_mut().zip(x).for_each(|(g, x)| *g = -precision * x);
        gradient[0] = -x[0] / (self.s * self.s) + 0.5 * precision * squares - 0.5 * (self.dim - 1) as f64;
        self.log_density(x, noise)
    }

    fn known(&self) -> Option<&dyn Known> {
        Some(self)
    }
}

impl Known for Funnel {
    fn sample(&self, rng: &mut Rng, x: &mut [f64]) {
        x.iter_mut().for_each(|x| *x = rng.sample(StandardNormal));
        x[0] *= self.s;
        let sd = libm::exp(0.5 * x[0]);
        x[1..].iter_mut().for_each(|x| *x *= sd);
    }

    fn total_variance(&self) -> f64 {
        self.s * self.s + (self.dim - 1) as f64 * libm::exp(0.5 * self.s * self.s)
    }

    fn level(&self, x: &[f64]) -> f64 {
        chi_squared_level(self.dim, self.squared_radius(x))
    }
}
