//! The linear kernel ⟨x, x'⟩, with which the Kameleon proposal is that of adaptive Metropolis.

use super::Profile;
use serde::{Deserialize, Serialize};

/// ⟨x, x'⟩
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Linear;

impl Profile for Linear {
    fn value(&self, inner: f64) -> f64 {
        inner
    }

    fn weight(&self, _inner: f64) -> f64 {
        1.0
    }
}
