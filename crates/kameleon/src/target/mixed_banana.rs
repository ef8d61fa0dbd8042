//! A banana in coordinates that are mixtures of its own, in very different units.

use super::{Banana, BananaSettings, DIM, Evaluation, Known, Noise, Target};
use crate::Rng;
use crate::linalg::{dot, multiply_lower, solve_lower, solve_lower_transpose};
use crate::random::{Purpose, stream};
use crate::registry::SettingsError;
use rand::RngExt;

/// Units are powers of ten with exponents within this of zero.
const UNITS: f64 = 1.5;
/// The share of a coordinate in a later one, over the unit of that, is within this of zero.
const MIXED: f64 = 0.5;

/// x = Ly with y the coordinates of a banana in reverse order, the bent one divided by √v, and a lower triangular L of fixed random
/// units and shares.
#[derive(Clone, Debug)]
pub struct MixedBanana {
    banana: Banana,
    v: f64,
    b: f64,
    /// L, row by row.
    factor: Vec<f64>,
    y: Vec<f64>,
}

impl MixedBanana {
    /// Of B(b, v) in `dim` dimensions.
    pub fn new(dim: usize, BananaSettings { b, v }: BananaSettings) -> Result<Self, SettingsError> {
        DIM.check("dim", &dim)?;
        let mut rng = stream(7, 0, Purpose::Start);
        let mut factor = vec![0.0; dim * dim];
        for i in 0..dim {
            let unit = libm::pow(10.0, rng.random_range(-UNITS..UNITS));
            (0..i).for_each(|j| factor[i * dim + j] = unit * rng.random_range(-MIXED..MIXED));
            factor[i * dim + i] = unit;
        }
        Ok(Self { banana: Banana::new(dim, b, v)?, v, b, factor, y: vec![0.0; dim] })
    }

    /// The banana's coordinates, from x.
    fn back(&self, y: &mut [f64]) {
        solve_lower(&self.factor, y);
        y.reverse();
        y[0] *= self.v.sqrt();
    }
}

impl Target for MixedBanana {
    fn dim(&self) -> Option<usize> {
        self.banana.dim()
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        let mut y = std::mem::take(&mut self.y);
        y.copy_from_slice(x);
        self.back(&mut y);
        let value = self.banana.log_density(&y, noise);
        self.y = y;
        value
    }

    fn has_gradient(&self) -> bool {
        true
    }

    fn gradient(&mut self, x: &[f64], noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        let mut y = std::mem::take(&mut self.y);
        y.copy_from_slice(x);
        self.back(&mut y);
        let value = self.banana.gradient(&y, noise, gradient);
        gradient[0] *= self.v.sqrt();
        gradient.reverse();
        solve_lower_transpose(&self.factor, gradient);
        self.y = y;
        value
    }

    fn known(&self) -> Option<&dyn Known> {
        Some(self)
    }
}

impl Known for MixedBanana {
    fn sample(&self, rng: &mut Rng, x: &mut [f64]) {
        self.banana.sample(rng, x);
        x[0] /= self.v.sqrt();
        x.reverse();
        multiply_lower(&self.factor, x);
    }

    fn total_variance(&self) -> f64 {
        let d = self.y.len();
        // All coordinates are uncorrelated and have variance one, but for the bent one, the last but one here.
        let bent = 2.0 * self.b * self.b * self.v * self.v;
        let column: f64 = (0..d).map(|i| self.factor[i * d + d - 2].powi(2)).sum();
        dot(&self.factor, &self.factor) + bent * column
    }

    fn level(&self, x: &[f64]) -> f64 {
        let mut y = x.to_vec();
        self.back(&mut y);
        self.banana.level(&y)
    }
}
