//! The density that is fitted to the history and stands in for the target between two of its evaluations: exp f(u), or that times N(0, I/s),
//! in the frame of the history.

use super::basis::Basis;
use super::features::Features;
use super::fit::fit;
use super::frame::Frame;
use super::kernels::Kernels;
use crate::linalg::dot;
use crate::simd::Block;
use serde::{Deserialize, Serialize};

/// The fitted density.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Surrogate {
    pub frame: Frame,
    /// s, where it is N(0, I/s) times exp f; zero if it is exp f.
    precision: f64,
    /// f, unless it is better left out.
    correction: Option<Correction>,
}

/// f = Σ θ_j φ_j
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Correction {
    basis: Basis,
    sigma: f64,
    lambda: f64,
    theta: Vec<f64>,
}

impl Surrogate {
    /// Fits it to past states, one after another, with `n` kernels or features.
    pub fn new(frame: Frame, past: &[f64], n: usize, finite: bool, gaussian: bool) -> Self {
        let d = frame.dim();
        let mut points = vec![0.0; past.len()];
        points.chunks_mut(d).zip(past.chunks(d)).for_each(|(u, x)| frame.enter(x, u));
        let basis = match finite {
            true => Basis::Features(Features::new(n, d)),
            false => Basis::Kernels(Kernels::at_some(&points, d, n)),
        };
        let precision = if gaussian { frame.precision } else { 0.0 };
        let found = fit(&basis, &points, precision);
        let correction = found.map(|fit| Correction { basis, sigma: fit.sigma, lambda: fit.lambda, theta: fit.theta });
        Self { frame, precision, correction }
    }

    /// Its log density at u, up to a constant.
    pub fn log_density(&self, u: &[f64]) -> f64 {
        -0.5 * self.precision * dot(u, u)
            + self.correction.as_ref().map_or(0.0, |f| f.basis.value(f.sigma, &f.theta, u))
    }

    /// Writes the gradient of its log density at u, with room for the weights of a block.
    pub fn gradient(&self, u: &[f64], weights: &mut Block, gradient: &mut [f64]) {
        gradient.iter_mut().zip(u).for_each(|(g, u)| *g = -self.precision * u);
        if let Some(f) = &self.correction {
            f.basis.add_gradient(f.sigma, &f.theta, u, weights, gradient);
        }
    }

    /// σ and λ of f, where there is one.
    pub fn chosen(&self) -> Option<(f64, f64)> {
        self.correction.as_ref().map(|f| (f.sigma, f.lambda))
    }

    /// Whether what was read from elsewhere fits together.
    pub fn fits(&self, dim: usize) -> bool {
        let sized = |f: &Correction| f.basis.dim() == dim && f.basis.len() == f.theta.len() && f.sigma > 0.0;
        self.frame.fits(dim) && self.correction.as_ref().is_none_or(sized)
    }
}
