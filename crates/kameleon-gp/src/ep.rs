//! Expectation propagation: each likelihood term is replaced by a normal term that matches its moments in context
//! (Rasmussen & Williams, Section 3.6, with the B of Algorithm 3.5).
//!
//! All terms are updated in parallel and B is factored anew each time. The fixed point is that of sequential updates, at the
//! cost of a few factorisations instead of n rank-one updates per sweep, and rounding errors do not accumulate. Updates
//! that overshoot are damped.

use crate::Likelihood;
use crate::laplace::Accuracy;
use crate::latent::{LEAST_W, Latent};
use crate::linalg::{dot, multiply};
use crate::quadrature::Quadrature;

/// A loose fit that has not converged by then is still good enough to draw from.
const MOST_LOOSE_SWEEPS: usize = 20;
const MOST_SWEEPS: usize = 200;
/// Convergence: the largest change of a marginal mean, in its standard deviations.
const LOOSE: f64 = 0.01;
const EXACT: f64 = 1e-8;

/// Runs EP; owns its memory and the fixed point that every run starts from.
#[derive(Clone)]
pub struct Ep {
    likelihood: Likelihood,
    quadrature: Quadrature,
    reference: Sites,
    sites: Sites,
    /// K ν
    k_nu: Vec<f64>,
    variances: Vec<f64>,
    /// W^½ K, then C⁻¹ W^½ K: its squared column norms are the reductions of the prior variances by the data.
    explained: Vec<f64>,
    /// The approximate log marginal likelihood of a converged fit.
    pub log_marginal: f64,
}

/// The normal terms exp(ν f − ½ τ f²).
#[derive(Clone)]
struct Sites {
    tau: Vec<f64>,
    nu: Vec<f64>,
}

impl Ep {
    /// For `n` rows; runs start from flat terms until [`Ep::set_reference`].
    pub fn new(likelihood: Likelihood, n: usize) -> Self {
        let zeros = || vec![0.0; n];
        let sites = Sites { tau: vec![LEAST_W; n], nu: zeros() };
        Self {
            likelihood,
            quadrature: Quadrature::new(),
            reference: sites.clone(),
            sites,
            k_nu: zeros(),
            variances: zeros(),
            explained: vec![0.0; n * n],
            log_marginal: f64::NAN,
        }
    }

    /// Starts all later runs from the terms of the last fit.
    pub fn set_reference(&mut self) {
        self.reference = self.sites.clone();
    }

    /// Puts EP's q under covariance `k` into `q`; false if it cannot be found, or has not converged although it must.
    pub fn fit(&mut self, k: &[f64], y: &[f64], accuracy: Accuracy, q: &mut Latent) -> bool {
        self.sites.tau.copy_from_slice(&self.reference.tau);
        self.sites.nu.copy_from_slice(&self.reference.nu);
        let (tolerance, most) = match accuracy {
            Accuracy::Loose => (LOOSE, MOST_LOOSE_SWEEPS),
            Accuracy::Converged => (EXACT, MOST_SWEEPS),
        };
        let (mut damping, mut last) = (1.0, f64::INFINITY);
        for _ in 0..most {
            if !self.marginals(k, q) {
                return false;
            }
            let change = self.update(y, damping, q);
            if !change.is_finite() {
                return false;
            }
            if change < tolerance {
                // The terms have just been improved; use them unless q must agree with log Z.
                return accuracy == Accuracy::Converged || self.normal(k, q);
            }
            damping = if change > last { f64::max(0.5 * damping, 0.05) } else { f64::min(1.2 * damping, 1.0) };
            last = change;
        }
        accuracy == Accuracy::Loose
    }

    /// q for the current terms.
    fn normal(&mut self, k: &[f64], q: &mut Latent) -> bool {
        q.w.copy_from_slice(&self.sites.tau);
        if !q.factor(k) {
            return false;
        }
        q.work.products += 1;
        multiply(k, &self.sites.nu, &mut self.k_nu, q.rows());
        q.centre(k, &self.sites.nu, &self.k_nu);
        true
    }

    /// q and its marginals for the current terms.
    fn marginals(&mut self, k: &[f64], q: &mut Latent) -> bool {
        let n = q.rows();
        if !self.normal(k, q) {
            return false;
        }
        for (explained, k) in self.explained.chunks_exact_mut(n).zip(k.chunks_exact(n)) {
            explained.iter_mut().zip(k).zip(&q.sqrt_w).for_each(|((v, k), root)| *v = root * k);
        }
        q.b.solve_lower(&mut self.explained);
        q.work.wide_solves += 1;
        for (i, v) in self.explained.chunks_exact(n).enumerate() {
            self.variances[i] = k[i * n + i] - dot(v, v);
        }
        self.variances.iter().all(|&v| v > 0.0)
    }

    /// Matches the moments of every term in its cavity, and sums up log Z. Returns the largest change of a marginal, in
    /// standard deviations.
    fn update(&mut self, y: &[f64], damping: f64, q: &Latent) -> f64 {
        let mut log_z = 0.5 * dot(&self.sites.nu, &q.m) - q.b.half_log_det();
        let mut largest = 0.0f64;
        for (i, &y) in y.iter().enumerate() {
            let (mean, variance) = (q.m[i], self.variances[i]);
            let (tau, nu) = (q.w[i], self.sites.nu[i]);
            // The cavity: the marginal without this term.
            let remaining = (1.0 - tau * variance).max(1e-12);
            let cavity_variance = variance / remaining;
            let cavity_mean = (mean - variance * nu) / remaining;
            let tilted = self.likelihood.tilted(y, cavity_mean, cavity_variance, &self.quadrature);
            log_z += tilted.log_z + log_scale(tau, nu, cavity_mean, cavity_variance);
            let new_tau = (1.0 / tilted.variance - 1.0 / cavity_variance).max(LEAST_W);
            let new_nu = tilted.mean * (new_tau + 1.0 / cavity_variance) - cavity_mean / cavity_variance;
            let moved = (tilted.mean - mean).abs() / variance.sqrt();
            largest = largest.max(moved).max((tilted.variance / variance - 1.0).abs());
            self.sites.tau[i] = tau + damping * (new_tau - tau);
            self.sites.nu[i] = nu + damping * (new_nu - nu);
        }
        self.log_marginal = log_z;
        largest
    }
}

/// −log ∫ exp(ν f − ½ τ f²) N(f; mean, variance) df: the scale of a term in Z.
fn log_scale(tau: f64, nu: f64, mean: f64, variance: f64) -> f64 {
    let widened = 1.0 + tau * variance;
    0.5 * widened.ln() - 0.5 * (2.0 * mean * nu + nu * nu * variance - tau * mean * mean) / widened
}
