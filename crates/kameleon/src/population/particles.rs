//! Points with the log prior and the log likelihood, or its estimate, that were found there.
//!
//! An estimate travels with its point from then on, and is never made anew: so a noisy likelihood is that of a target on a
//! larger space, and everything stays right.

use super::Prior;
use crate::warmup::{Evaluated, where_there_is_one};
use serde::{Deserialize, Serialize};

/// Points with what is known there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Particles {
    /// One point after another.
    pub points: Vec<f64>,
    /// The log density of the prior at each; −∞ outside its support.
    #[serde(with = "where_there_is_one")]
    pub log_prior: Vec<f64>,
    /// The log likelihood, or its estimate, at each; −∞ where it is zero or of no use.
    #[serde(with = "where_there_is_one")]
    pub log_likelihood: Vec<f64>,
}

impl Particles {
    /// Points without their likelihood, which is −∞ until it is told.
    pub(super) fn proposed(points: Vec<f64>, prior: &dyn Prior) -> Self {
        let usable = |(x, log): (&[f64], f64)| {
            if log.is_finite() && x.iter().all(|x| x.is_finite()) { log } else { f64::NEG_INFINITY }
        };
        let log_prior: Vec<f64> =
            points.chunks_exact(prior.dim()).zip(prior.log_densities(&points)).map(usable).collect();
        let log_likelihood = vec![f64::NEG_INFINITY; log_prior.len()];
        Self { points, log_prior, log_likelihood }
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.log_prior.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.log_prior.is_empty()
    }

    /// d, where there are points.
    pub(super) fn dim(&self) -> usize {
        self.points.len() / self.len().max(1)
    }

    /// One point.
    pub fn point(&self, i: usize) -> &[f64] {
        let d = self.dim();
        &self.points[i * d..(i + 1) * d]
    }

    /// The same points on the scale on which modes are most like Gaussians.
    pub(super) fn on_gaussian_scale(&self, prior: &dyn Prior) -> Self {
        let mut on_scale = self.clone();
        for (x, log) in on_scale.points.chunks_exact_mut(self.dim().max(1)).zip(&mut on_scale.log_prior) {
            *log -= prior.to_gaussian_scale(x);
        }
        on_scale
    }

    /// Prior and likelihood: ln of the posterior at a point, up to ln Z.
    pub fn log_posterior(&self, i: usize) -> f64 {
        self.log_prior[i] + self.log_likelihood[i]
    }

    /// Adds the point `i` of others, with what is known there.
    pub(super) fn push(&mut self, other: &Self, i: usize) {
        self.points.extend_from_slice(other.point(i));
        self.log_prior.push(other.log_prior[i]);
        self.log_likelihood.push(other.log_likelihood[i]);
    }

    /// Replaces point `i` by point `j` of others.
    pub(super) fn replace(&mut self, i: usize, other: &Self, j: usize) {
        let d = self.dim();
        self.points[i * d..(i + 1) * d].copy_from_slice(other.point(j));
        self.log_prior[i] = other.log_prior[j];
        self.log_likelihood[i] = other.log_likelihood[j];
    }

    /// These of the points, in this order.
    pub(super) fn chosen(&self, indices: impl IntoIterator<Item = usize>) -> Self {
        let mut chosen = Self::default();
        indices.into_iter().for_each(|i| chosen.push(self, i));
        chosen
    }

    /// Adds all points where the posterior is positive.
    pub(super) fn extend_possible(&mut self, other: &Self) {
        (0..other.len()).filter(|i| other.log_posterior(*i).is_finite()).for_each(|i| self.push(other, i));
    }

    /// The points with their log posteriors.
    pub(super) fn evaluated(&self) -> Evaluated {
        let log_density = (0..self.len()).map(|i| self.log_posterior(i)).collect();
        Evaluated { points: self.points.clone(), log_density }
    }

    /// Whether what was read from elsewhere are points in `dim` dimensions.
    pub(super) fn fits(&self, dim: usize) -> bool {
        self.points.len() == self.len() * dim
            && self.log_likelihood.len() == self.len()
            && self.points.iter().all(|x| x.is_finite())
    }
}
