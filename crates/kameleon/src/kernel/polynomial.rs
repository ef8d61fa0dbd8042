//! The polynomial kernel (1 + ⟨x, x'⟩)^p.

use super::{KernelError, Profile, error};
use crate::simd::power;
use serde::{Deserialize, Serialize};

/// (1 + ⟨x, x'⟩)^degree
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Polynomial {
    /// p, at least 1.
    pub degree: u32,
}

impl Profile for Polynomial {
    fn value(&self, inner: f64) -> f64 {
        power(1.0 + inner, self.degree)
    }

    fn weight(&self, inner: f64) -> f64 {
        f64::from(self.degree) * power(1.0 + inner, self.degree.saturating_sub(1))
    }

    fn check(&self) -> Result<(), KernelError> {
        match self.degree {
            1..=16 => Ok(()),
            degree => Err(error("polynomial", format!("the degree must be from 1 to 16, not {degree}"))),
        }
    }
}
