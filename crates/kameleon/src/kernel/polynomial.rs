//! The polynomial kernel (1 + ⟨x, x'⟩)^p.

use super::Profile;
use crate::registry::Range;
use crate::settings;
use crate::simd::power;

settings! {
    /// (1 + ⟨x, x'⟩)^degree
    #[derive(Copy)]
    pub struct Polynomial {
        /// The power p.
        degree: u32 = 2, Range::within(1.0, 16.0);
    }
}

impl Profile for Polynomial {
    fn value(&self, inner: f64) -> f64 {
        power(1.0 + inner, self.degree)
    }

    fn weight(&self, inner: f64) -> f64 {
        f64::from(self.degree) * power(1.0 + inner, self.degree.saturating_sub(1))
    }
}
