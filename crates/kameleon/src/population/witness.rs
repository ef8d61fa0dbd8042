//! The evaluated point of highest likelihood, by which a resumed run checks that the model is still the same, with the number of its
//! evaluation, from which its noise follows.

use super::Batch;
use crate::circles::Circles;
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
    fn is_beaten(so_far: Option<&Self>, log_likelihood: f64) -> bool {
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

impl Batch {
    /// Keeps the best of all points so far, of which the next of this batch are told; the first of these is evaluation number `first`.
    /// Its priors are seen from the cuts of circles, the points that are evaluated are not.
    pub(super) fn note_best(&self, best: &mut Option<Witness>, values: &[f64], first: u64, circles: &Circles) {
        let log_priors = self.proposed.log_prior.iter().filter(|log| log.is_finite());
        let points = self.inside.chunks_exact(self.proposed.dim());
        let next = points.zip(log_priors).skip(self.values.len()).zip(values).zip(first..);
        for (((point, log_prior), value), evaluation) in next {
            if Witness::is_beaten(best.as_ref(), *value) {
                let log_prior = log_prior + circles.turn(&mut point.to_vec());
                let (point, log_likelihood) = (point.to_vec(), *value);
                *best = Some(Witness { point, evaluation, log_prior, log_likelihood });
            }
        }
    }
}
