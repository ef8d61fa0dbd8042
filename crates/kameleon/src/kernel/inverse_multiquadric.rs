//! The inverse multiquadric kernel, whose weights fall off slowly.

use super::{KernelError, Profile, positive};
use crate::simd::power;
use serde::{Deserialize, Serialize};

/// (1 + ‖x − x'‖²/c²)^−½
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct InverseMultiquadric {
    /// c, the length scale.
    pub length: f64,
}

impl Profile for InverseMultiquadric {
    fn value(&self, r2: f64) -> f64 {
        (1.0 + r2 / (self.length * self.length)).sqrt().recip()
    }

    fn weight(&self, r2: f64) -> f64 {
        power(self.value(r2), 3) / (self.length * self.length)
    }

    fn bandwidth(&self) -> Option<f64> {
        Some(self.length)
    }

    fn set_bandwidth(&mut self, sigma: f64) {
        self.length = sigma;
    }

    fn check(&self) -> Result<(), KernelError> {
        positive("inverse-multiquadric", "length", self.length)
    }
}
