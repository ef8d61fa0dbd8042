//! The log densities of the priors: what depends on x, and the constant that normalises it.

use super::Family;
use libm::{lgamma, log, log1p};
use std::f64::consts::PI;

/// What does not depend on x.
pub fn log_constant(family: Family, [a, b]: [f64; 2]) -> f64 {
    match family {
        Family::Normal | Family::LogNormal => -log(b) - 0.5 * log(2.0 * PI),
        Family::Uniform => -log(b - a),
        Family::Gamma => a * log(b) - lgamma(a),
        Family::Beta => lgamma(a + b) - lgamma(a) - lgamma(b),
        Family::HalfCauchy => log(2.0 / PI) - log(a),
    }
}

/// What depends on x, for an x in the support.
pub fn log_kernel(family: Family, [a, b]: [f64; 2], x: f64) -> f64 {
    match family {
        Family::Normal => -0.5 * square((x - a) / b),
        Family::Uniform => 0.0,
        Family::Gamma => (a - 1.0) * log(x) - b * x,
        Family::Beta => (a - 1.0) * log(x) + (b - 1.0) * log1p(-x),
        Family::HalfCauchy => -log1p_square(x / a),
        Family::LogNormal => -log(x) - 0.5 * square((log(x) - a) / b),
    }
}

fn square(x: f64) -> f64 {
    x * x
}

/// log(1 + x²), also where x² is beyond the largest number.
fn log1p_square(x: f64) -> f64 {
    if x < 1e100 { log1p(x * x) } else { 2.0 * log(x) }
}
