//! SM, standard Metropolis: N(y, ν²I) with a fixed scale.

use super::Proposal;
use crate::Rng;
use crate::registry::{POSITIVE, Settings, SettingsError};
use crate::settings;
use crate::step::Step;
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

/// The scale 2.38/√d, best for a Gaussian target in many dimensions (Gelman et al. 1996).
pub fn gelman_scale(dim: usize) -> f64 {
    2.38 / (dim as f64).sqrt()
}

settings! {
    /// The settings of [`RandomWalk`].
    pub struct RandomWalkSettings {
        /// The scale ν of a step; 2.38/√d if not given.
        nu: Option<f64> = None, POSITIVE;
    }
}

/// N(y, ν²I)
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RandomWalk {
    nu: f64,
}

impl RandomWalk {
    /// A walk in `dim` dimensions.
    pub fn new(settings: &RandomWalkSettings, dim: usize) -> Result<Self, SettingsError> {
        settings.check()?;
        Ok(Self { nu: settings.nu.unwrap_or(gelman_scale(dim)) })
    }
}

impl Proposal for RandomWalk {
    type Local = ();

    fn allocate(&self, _dim: usize) {}

    fn draw(&self, x: &[f64], _at: &mut (), rng: &mut Rng, y: &mut [f64]) -> usize {
        for (y, x) in y.iter_mut().zip(x) {
            *y = x + self.nu * rng.sample::<f64, _>(StandardNormal);
        }
        0
    }

    fn adapt(&mut self, _x: &[f64], _at: &mut (), _step: &Step, _rng: &mut Rng) {}

    fn covariance(&self, x: &[f64], _at: &()) -> Option<Vec<f64>> {
        let d = x.len();
        Some((0..d * d).map(|k| if k % (d + 1) == 0 { self.nu * self.nu } else { 0.0 }).collect())
    }

    fn scale(&self) -> f64 {
        self.nu
    }
}
