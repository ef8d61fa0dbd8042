//! A point by which a likelihood is known again: the best one so far, with the number of its evaluation, from which its noise follows.

use serde::{Deserialize, Serialize};

/// A point that was evaluated, with what was found there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    /// The point.
    pub point: Vec<f64>,
    /// The number of its evaluation: an [`Evaluator`](super::Evaluator) makes the same estimate from it.
    pub evaluation: u64,
    /// The log density of the prior.
    pub log_prior: f64,
    /// The log likelihood, or its estimate.
    pub log_likelihood: f64,
}

impl Witness {
    /// Whether this value is better than that of the witness so far.
    pub(super) fn is_beaten(so_far: Option<&Self>, log_likelihood: f64) -> bool {
        log_likelihood.is_finite() && so_far.is_none_or(|best| log_likelihood > best.log_likelihood)
    }

    /// ln of the posterior there, up to ln Z.
    pub fn log_posterior(&self) -> f64 {
        self.log_prior + self.log_likelihood
    }

    /// Whether what was read from elsewhere is a point in `dim` dimensions.
    pub(super) fn fits(&self, dim: usize) -> bool {
        self.point.len() == dim && self.point.iter().all(|x| x.is_finite())
    }
}
