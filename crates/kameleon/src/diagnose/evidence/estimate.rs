//! What weighted draws from a density say of the constant Z.

use super::{number, pareto_k};
use serde::{Deserialize, Serialize};

/// What weighted draws from a density say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// ln of the mean weight, which is ln Z.
    #[serde(deserialize_with = "number")]
    pub log_z: f64,
    /// Its standard error.
    #[serde(deserialize_with = "number")]
    pub error: f64,
    /// Pareto k̂ of the weights.
    #[serde(deserialize_with = "number")]
    pub pareto_k: f64,
    /// The effective share of the draws.
    #[serde(deserialize_with = "number")]
    pub efficiency: f64,
}

impl Estimate {
    /// From ln of the weights, of which there is at least one.
    pub fn new(log_weights: &[f64]) -> Self {
        let n = log_weights.len() as f64;
        let efficiency = effective_number(log_weights) / n;
        Self {
            log_z: log_sum_exp(log_weights.iter().copied()) - libm::log(n),
            error: ((1.0 / efficiency - 1.0).max(0.0) / n).sqrt(),
            pareto_k: pareto_k(log_weights),
            efficiency,
        }
    }
}

/// (Σ w)²/Σ w²
pub(crate) fn effective_number(log_weights: &[f64]) -> f64 {
    let total = log_sum_exp(log_weights.iter().copied());
    let squares = log_sum_exp(log_weights.iter().map(|log| 2.0 * log));
    if total.is_finite() { libm::exp(2.0 * total - squares) } else { 0.0 }
}

/// ln Σ exp
pub(crate) fn log_sum_exp(terms: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = terms.clone().fold(f64::NEG_INFINITY, f64::max);
    if !largest.is_finite() {
        return largest;
    }
    largest + libm::log(terms.map(|term| libm::exp(term - largest)).sum())
}
