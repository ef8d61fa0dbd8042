//! A niche: a top of the posterior, and how wide it is there.
//!
//! Niches say where components of a mixture are needed, never what they weigh: how high a top is, or seems to be by a lucky
//! estimate, says little about the mass around it. Draws settle that.

use super::Prior;
use crate::linalg::solve_lower;
use crate::mixture::{Component, Mixture};
use serde::{Deserialize, Serialize};

/// The variance of the component of a niche over that of the mode, and its degrees of freedom.
const WIDER: f64 = 1.5;
const FREEDOM: f64 = 5.0;
/// The step by which the slopes of a scale are found.
const SLOPE_STEP: f64 = 1e-4;

/// A top of the posterior.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Niche {
    /// Where it is.
    pub top: Vec<f64>,
    /// The log posterior there, or its estimate.
    pub log_density: f64,
    /// L with LLᵀ the covariance of the mode, as far as its surroundings tell.
    pub factor: Vec<f64>,
    /// Where its component is: at the top, or where a Laplace approximation says.
    pub centre: Vec<f64>,
}

impl Niche {
    /// Of this top and factor.
    pub fn new(top: Vec<f64>, log_density: f64, factor: Vec<f64>) -> Self {
        Self { centre: top.clone(), top, log_density, factor }
    }

    /// The same on the scale on which modes are most like Gaussians.
    pub(super) fn on_gaussian_scale(&self, prior: &dyn Prior) -> Self {
        let d = self.top.len();
        let moved = |by: f64| {
            let mut x: Vec<f64> = self.top.iter().map(|m| m + by).collect();
            let larger = prior.to_gaussian_scale(&mut x);
            (x, larger)
        };
        let ((top, larger), (ahead, _), (behind, _)) = (moved(0.0), moved(SLOPE_STEP), moved(-SLOPE_STEP));
        let slope = |i: usize| ((ahead[i] - behind[i]) / (2.0 * SLOPE_STEP)).max(f64::MIN_POSITIVE);
        let factor = self.factor.iter().enumerate().map(|(k, l)| slope(k / d) * l).collect();
        Self::new(top, self.log_density - larger, factor)
    }

    /// The squared distance of a point from its top, in standard deviations of the mode.
    pub fn squared_distance(&self, x: &[f64]) -> f64 {
        let mut u: Vec<f64> = x.iter().zip(&self.top).map(|(x, m)| x - m).collect();
        solve_lower(&self.factor, &mut u);
        u.iter().map(|u| u * u).sum()
    }

    /// ln of its mass by a Laplace approximation, but for a constant that all niches share.
    pub(super) fn log_mass(&self) -> f64 {
        let d = self.top.len();
        self.log_density + (0..d).map(|i| libm::log(self.factor[i * d + i])).sum::<f64>()
    }

    /// Whether what was read from elsewhere is a niche in `dim` dimensions.
    pub(super) fn fits(&self, dim: usize) -> bool {
        self.component().is_some_and(|component| component.dim() == dim) && self.top.len() == dim
    }

    fn component(&self) -> Option<Mixture> {
        mixture(std::slice::from_ref(self))
    }
}

/// A mixture with one component for each niche, all of the same weight; none without a usable one.
pub(super) fn mixture(niches: &[Niche]) -> Option<Mixture> {
    let component = |niche: &Niche| Component {
        weight: 1.0,
        centre: niche.centre.clone(),
        factor: niche.factor.iter().map(|l| WIDER.sqrt() * l).collect(),
        freedom: FREEDOM,
    };
    Mixture::new(niches.iter().map(component).collect())
}
