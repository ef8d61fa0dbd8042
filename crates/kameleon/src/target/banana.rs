//! The twisted Gaussian of Haario et al. (1999), B(b, v).

use super::{DIM, Evaluation, Known, Noise, Target, chi_squared_level};
use crate::registry::{ANY, POSITIVE, Settings, SettingsError};
use crate::{Rng, settings};
use rand::RngExt;
use rand_distr::StandardNormal;

settings! {
    /// The settings of [`Banana`].
    pub struct BananaSettings {
        /// The strength of the twist.
        b: f64 = 0.1, ANY;
        /// The variance of the first coordinate.
        v: f64 = 100.0, POSITIVE;
    }
}

/// N(0, diag(v, 1, …, 1)) with the second coordinate moved by b(x₁² − v).
#[derive(Clone, Debug)]
pub struct Banana {
    dim: usize,
    b: f64,
    v: f64,
}

impl Banana {
    /// B(b, v) in `dim` ≥ 2 dimensions.
    pub fn new(dim: usize, b: f64, v: f64) -> Result<Self, SettingsError> {
        DIM.check("dim", &dim)?;
        BananaSettings { b, v }.check()?;
        Ok(Self { dim, b, v })
    }

    fn twist(&self, x1: f64) -> f64 {
        self.b * (x1 * x1 - self.v)
    }

    /// |x|² once the twist is undone and the first coordinate scaled: χ²_d.
    fn squared_radius(&self, x: &[f64]) -> f64 {
        let straight = x[1] - self.twist(x[0]);
        x[0] * x[0] / self.v + straight * straight + x[2..].iter().map(|x| x * x).sum::<f64>()
    }
}

impl Target for Banana {
    fn dim(&self) -> Option<usize> {
        Some(self.dim)
    }

    fn log_density(&mut self, x: &[f64], _noise: Noise<'_>) -> Evaluation {
        Ok(-0.5 * self.squared_radius(x))
    }

    fn has_gradient(&self) -> bool {
        true
    }

    fn gradient(&mut self, x: &[f64], _noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        let straight = x[1] - self.twist(x[0]);
        gradient.iter_mut().zip(x).for_each(|(g, x)| *g = -x);
        gradient[0] = -x[0] / self.v + 2.0 * self.b * x[0] * straight;
        gradient[1] = -straight;
        Ok(-0.5 * self.squared_radius(x))
    }

    fn known(&self) -> Option<&dyn Known> {
        Some(self)
    }
}

impl Known for Banana {
    fn sample(&self, rng: &mut Rng, x: &mut [f64]) {
        for x in x.iter_mut() {
            *x = rng.sample(StandardNormal);
        }
        x[0] *= self.v.sqrt();
        x[1] += self.twist(x[0]);
    }

    fn total_variance(&self) -> f64 {
        // Var[b x₁²] = 2 b² v²
        self.v + (self.dim - 1) as f64 + 2.0 * (self.b * self.v).powi(2)
    }

    /// Out to two standard deviations of the first coordinate on either side.
    fn ridge(&self, share: f64) -> Option<[f64; 2]> {
        let x1 = 2.0 * self.v.sqrt() * (2.0 * share - 1.0);
        Some([x1, self.b * (x1 * x1 - self.v)])
    }

    fn level(&self, x: &[f64]) -> f64 {
        chi_squared_level(self.dim, self.squared_radius(x))
    }
}
