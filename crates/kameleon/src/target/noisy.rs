//! A target made noisy on purpose, to exercise pseudo-marginal chains.

use super::{Evaluation, Known, Noise, Target};
use crate::registry::{NOT_NEGATIVE, SettingsError};

/// Multiplies the density by exp(s e − s²/2), e ~ N(0, 1): noise of mean one, so the estimate is unbiased.
#[derive(Clone, Debug)]
pub struct Noisy<T> {
    target: T,
    s: f64,
}

impl<T: Target> Noisy<T> {
    /// `s` is the standard deviation of the log estimate.
    pub fn new(target: T, s: f64) -> Result<Self, SettingsError> {
        NOT_NEGATIVE.check("noise", &s)?;
        Ok(Self { target, s })
    }

    fn with_noise(&self, exact: f64, e: f64) -> f64 {
        exact + self.s * e - 0.5 * self.s * self.s
    }
}

impl<T: Target> Target for Noisy<T> {
    fn inner(&self) -> Option<&dyn Target> {
        Some(&self.target)
    }

    fn normals(&self) -> usize {
        1 + self.target.normals()
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        let (e, normals) = (noise.normals[0], &noise.normals[1..]);
        let exact = self.target.log_density(x, Noise { rng: noise.rng, normals })?;
        Ok(self.with_noise(exact, e))
    }

    fn has_gradient(&self) -> bool {
        self.target.has_gradient()
    }

    /// The noise is the same at every point, so the gradient is that of the target.
    fn gradient(&mut self, x: &[f64], noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        let (e, normals) = (noise.normals[0], &noise.normals[1..]);
        let exact = self.target.gradient(x, Noise { rng: noise.rng, normals }, gradient)?;
        Ok(self.with_noise(exact, e))
    }

    /// The noise has mean one, so the truth is that of the target without it.
    fn known(&self) -> Option<&dyn Known> {
        self.target.known()
    }
}
