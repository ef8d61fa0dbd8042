//! The inverse multiquadric kernel, whose weights fall off slowly.

use super::Profile;
use crate::registry::USUAL_SIZE;
use crate::settings;
use crate::simd::power;

settings! {
    /// (1 + ‖x − x'‖²/c²)^−½
    #[derive(Copy)]
    pub struct InverseMultiquadric {
        /// The length scale c.
        length: f64 = 1.0, USUAL_SIZE;
    }
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
}
