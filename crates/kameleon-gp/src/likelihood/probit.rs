//! p(y|f) = Φ(y f), by the complementary error function and, in the far tail, by its asymptotic series.

use super::Tilted;
use spec_math::Erf;
use std::f64::consts::{FRAC_1_SQRT_2, TAU};

/// The series is used below this, where its first omitted term is 10395/z¹² < 2e-14.
const FAR: f64 = -30.0;

/// log Φ(z)
pub(super) fn log_cdf(z: f64) -> f64 {
    if z < FAR {
        return -0.5 * (z * z + TAU.ln()) - (-z).ln() + series(z).ln();
    }
    if z > 5.0 {
        return (-cdf(-z)).ln_1p();
    }
    cdf(z).ln()
}

/// N(z; 0, 1)/Φ(z)
pub(super) fn hazard(z: f64) -> f64 {
    if z < FAR {
        return -z / series(z);
    }
    (-0.5 * z * z).exp() / TAU.sqrt() / cdf(z)
}

/// Φ(z)
fn cdf(z: f64) -> f64 {
    0.5 * Erf::erfc(&(-z * FRAC_1_SQRT_2))
}

/// Φ(z)·(−z)/N(z; 0, 1) for z far below zero.
fn series(z: f64) -> f64 {
    let s = 1.0 / (z * z);
    1.0 - s * (1.0 - 3.0 * s * (1.0 - 5.0 * s * (1.0 - 7.0 * s * (1.0 - 9.0 * s))))
}

pub(super) fn tilted(y: f64, mean: f64, variance: f64) -> Tilted {
    let width = (1.0 + variance).sqrt();
    let z = y * mean / width;
    let ratio = hazard(z);
    // The share of the variance that the term removes lies in (0, variance/(1 + variance)).
    let removed = (variance / (1.0 + variance) * ratio * (z + ratio)).clamp(0.0, variance / (1.0 + variance));
    Tilted { log_z: log_cdf(z), mean: mean + y * variance * ratio / width, variance: variance * (1.0 - removed) }
}
