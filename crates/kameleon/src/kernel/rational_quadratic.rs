//! The rational quadratic kernel: a mixture of Gaussian kernels of all bandwidths.

use super::{KernelError, Profile, positive};
use serde::{Deserialize, Serialize};

/// (1 + ‖x − x'‖²/2αℓ²)^−α
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RationalQuadratic {
    /// α: the smaller, the heavier the tail.
    pub alpha: f64,
    /// ℓ, the length scale.
    pub length: f64,
}

impl RationalQuadratic {
    fn base(&self, r2: f64) -> f64 {
        1.0 + r2 / (2.0 * self.alpha * self.length * self.length)
    }
}

impl Profile for RationalQuadratic {
    fn value(&self, r2: f64) -> f64 {
        libm::pow(self.base(r2), -self.alpha)
    }

    fn weight(&self, r2: f64) -> f64 {
        libm::pow(self.base(r2), -self.alpha - 1.0) / (self.length * self.length)
    }

    fn bandwidth(&self) -> Option<f64> {
        Some(self.length)
    }

    fn set_bandwidth(&mut self, sigma: f64) {
        self.length = sigma;
    }

    fn check(&self) -> Result<(), KernelError> {
        positive("rational-quadratic", "alpha", self.alpha)?;
        positive("rational-quadratic", "length", self.length)
    }
}
