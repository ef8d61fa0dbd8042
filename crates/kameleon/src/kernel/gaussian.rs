//! The Gaussian kernel exp(−‖x − x'‖²/2σ²).

use super::{Block, Profile};
use crate::registry::USUAL_SIZE;
use crate::{settings, simd};
use multiversion::multiversion;

settings! {
    /// exp(−‖x − x'‖²/2σ²)
    #[derive(Copy)]
    pub struct Gaussian {
        /// The bandwidth σ.
        sigma: f64 = 1.0, USUAL_SIZE;
    }
}

impl Profile for Gaussian {
    fn value(&self, r2: f64) -> f64 {
        libm::exp(-0.5 * r2 / (self.sigma * self.sigma))
    }

    fn weight(&self, r2: f64) -> f64 {
        self.value(r2) / (self.sigma * self.sigma)
    }

    fn weights(&self, r2: &mut Block) {
        let precision = 1.0 / (self.sigma * self.sigma);
        weights(r2, precision);
    }

    fn bandwidth(&self) -> Option<f64> {
        Some(self.sigma)
    }

    fn set_bandwidth(&mut self, sigma: f64) {
        self.sigma = sigma;
    }
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn weights(r2: &mut Block, precision: f64) {
    for r2 in r2.iter_mut() {
        *r2 = precision * simd::exp(-0.5 * precision * *r2);
    }
}
