//! The rational quadratic kernel: a mixture of Gaussian kernels of all bandwidths.

use super::{Block, Profile};
use crate::registry::USUAL_SIZE;
use crate::settings;
use crate::simd::power;

settings! {
    /// (1 + ‖x − x'‖²/2αℓ²)^−α
    #[derive(Copy)]
    pub struct RationalQuadratic {
        /// α: the smaller, the heavier the tail.
        alpha: f64 = 1.0, USUAL_SIZE;
        /// The length scale ℓ.
        length: f64 = 1.0, USUAL_SIZE;
    }
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

    fn weights(&self, r2: &mut Block) {
        // A small whole α, as it mostly is, needs no general power.
        let whole = self.alpha.fract() == 0.0 && self.alpha <= 16.0;
        for r2 in r2.iter_mut() {
            *r2 = if whole {
                1.0 / (power(self.base(*r2), self.alpha as u32 + 1) * self.length * self.length)
            } else {
                self.weight(*r2)
            };
        }
    }

    fn bandwidth(&self) -> Option<f64> {
        Some(self.length)
    }

    fn set_bandwidth(&mut self, sigma: f64) {
        self.length = sigma;
    }
}
