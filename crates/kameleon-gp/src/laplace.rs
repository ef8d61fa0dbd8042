//! Laplace's approximation: the mode of p(f|y,θ) and its curvature (Rasmussen & Williams, Algorithm 3.1).
//!
//! Newton's method, written for the increment of a = K⁻¹f: with the residual r = ∇ log p(y|f) − a, the step is
//! (I + W K)⁻¹ r. Far from the mode it is found by conjugate gradients on B, which take a few products with K instead of
//! a factorisation of B; only the last steps, and log |B|, use the factor.

use crate::Likelihood;
use crate::latent::Latent;
use crate::linalg::{add_scaled, dot, multiply};

/// The accuracy of an approximation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accuracy {
    /// Enough to draw from: the estimate is unbiased for any q that is a function of θ alone.
    Loose,
    /// Enough for the approximate log marginal likelihood.
    Converged,
}

/// The expected gain λ²/2 in log p(f|y,θ) below which conjugate gradients stop.
const LOOSE_GAIN: f64 = 0.05;
/// λ² below which the mode is exact up to rounding.
const EXACT: f64 = 1e-18;
/// The factor by which conjugate gradients reduce the residual of one Newton step.
const FORCING: f64 = 0.1;
const MOST_STEPS: usize = 60;

/// Finds the mode; owns its memory and the fixed point that every search starts from.
#[derive(Clone)]
pub struct Laplace {
    likelihood: Likelihood,
    /// a at the reference mode.
    reference: Vec<f64>,
    a: Vec<f64>,
    f: Vec<f64>,
    objective: f64,
    gradient: Vec<f64>,
    residual: Vec<f64>,
    /// K times the residual.
    k_residual: Vec<f64>,
    step: Vec<f64>,
    /// K times the step.
    k_step: Vec<f64>,
    conjugate: ConjugateGradients,
}

impl Laplace {
    /// For `n` rows; the search starts from f = 0 until [`Laplace::set_reference`].
    pub fn new(likelihood: Likelihood, n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self {
            likelihood,
            reference: zeros(),
            a: zeros(),
            f: zeros(),
            objective: 0.0,
            gradient: zeros(),
            residual: zeros(),
            k_residual: zeros(),
            step: zeros(),
            k_step: zeros(),
            conjugate: ConjugateGradients::new(n),
        }
    }

    /// Starts all later searches from `latent`'s a.
    pub fn set_reference(&mut self, latent: &Latent) {
        self.reference.copy_from_slice(&latent.a);
    }

    /// Puts the mode and its curvature under covariance `k` into `q`; false if it cannot be found.
    pub fn fit(&mut self, k: &[f64], y: &[f64], accuracy: Accuracy, q: &mut Latent) -> bool {
        self.start(k, y, q);
        for _ in 0..MOST_STEPS {
            self.residual(k, y, q);
            self.newton_step_by_products(k, q);
            let gain = self.gain();
            if !self.advance(y) {
                return false;
            }
            if gain < LOOSE_GAIN {
                break;
            }
        }
        if !self.polish(k, y, q) {
            return false;
        }
        if accuracy == Accuracy::Converged && !self.converge(k, y, q) {
            return false;
        }
        q.a.copy_from_slice(&self.a);
        q.refresh_mean(k);
        q.m.iter().all(|m| m.is_finite())
    }

    /// The approximate log marginal likelihood of a converged fit.
    pub fn log_marginal(&self, y: &[f64], q: &Latent) -> f64 {
        self.likelihood.log_likelihood(y, &q.m) + q.log_normaliser()
    }

    /// The reference a under this K, or f = 0 if that is better.
    fn start(&mut self, k: &[f64], y: &[f64], q: &mut Latent) {
        self.a.copy_from_slice(&self.reference);
        multiply(k, &self.a, &mut self.f, y.len());
        q.work.products += 1;
        self.objective = self.objective_at_present(y);
        self.k_step.fill(0.0);
        let cold = self.likelihood.log_likelihood(y, &self.k_step);
        if self.objective.is_nan() || self.objective < cold {
            self.a.fill(0.0);
            self.f.fill(0.0);
            self.objective = cold;
        }
    }

    /// log p(y|f) − ½ fᵀK⁻¹f
    fn objective_at_present(&self, y: &[f64]) -> f64 {
        self.likelihood.log_likelihood(y, &self.f) - 0.5 * dot(&self.a, &self.f)
    }

    /// r and K r at the current f, and W in `q`.
    fn residual(&mut self, k: &[f64], y: &[f64], q: &mut Latent) {
        self.likelihood.derivatives(y, &self.f, &mut self.gradient, &mut q.w);
        for ((r, g), a) in self.residual.iter_mut().zip(&self.gradient).zip(&self.a) {
            *r = g - a;
        }
        multiply(k, &self.residual, &mut self.k_residual, y.len());
        q.work.products += 1;
    }

    fn newton_step_by_products(&mut self, k: &[f64], q: &mut Latent) {
        q.sqrt_w.iter_mut().zip(&q.w).for_each(|(root, w)| *root = w.sqrt());
        let iterations = self.conjugate.solve(k, &q.sqrt_w, &self.k_residual);
        q.work.products += iterations;
        for i in 0..self.step.len() {
            self.step[i] = self.residual[i] - q.sqrt_w[i] * self.conjugate.x[i];
            self.k_step[i] = self.k_residual[i] - self.conjugate.kx[i];
        }
    }

    fn newton_step_by_factor(&mut self, k: &[f64], q: &mut Latent) -> bool {
        if !q.factor(k) {
            return false;
        }
        self.step.copy_from_slice(&self.residual);
        q.solve(&mut self.step, &self.k_residual);
        multiply(k, &self.step, &mut self.k_step, self.step.len());
        q.work.products += 1;
        true
    }

    /// λ²/2: the gain of the full step if the objective were quadratic.
    fn gain(&self) -> f64 {
        0.5 * dot(&self.residual, &self.k_step)
    }

    /// Takes the step, shortened until the objective does not fall; false if no step remains.
    fn advance(&mut self, y: &[f64]) -> bool {
        let before = self.objective;
        let mut moved = 0.0;
        let mut length = 1.0;
        // At the mode, rounding alone may lower the objective slightly.
        let slack = 1e-10 * (1.0 + before.abs());
        for _ in 0..40 {
            add_scaled(&mut self.a, length - moved, &self.step);
            add_scaled(&mut self.f, length - moved, &self.k_step);
            moved = length;
            self.objective = self.objective_at_present(y);
            if self.objective >= before - slack {
                return true;
            }
            length *= 0.5;
        }
        false
    }

    /// One step with the factor of B; W and B are then those of the previous point.
    fn polish(&mut self, k: &[f64], y: &[f64], q: &mut Latent) -> bool {
        self.residual(k, y, q);
        self.newton_step_by_factor(k, q) && self.advance(y)
    }

    /// Steps until convergence; W and B are then those of the mode.
    fn converge(&mut self, k: &[f64], y: &[f64], q: &mut Latent) -> bool {
        for _ in 0..MOST_STEPS {
            if !self.polish(k, y, q) {
                return false;
            }
            if 2.0 * self.gain() < EXACT {
                return true;
            }
        }
        false
    }
}

/// Solves B x = W^½ v for B = I + W^½ K W^½ to a fixed relative accuracy.
#[derive(Clone)]
struct ConjugateGradients {
    x: Vec<f64>,
    /// K W^½ x
    kx: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    weighted: Vec<f64>,
    /// K W^½ times the direction.
    k_direction: Vec<f64>,
}

impl ConjugateGradients {
    fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self { x: zeros(), kx: zeros(), residual: zeros(), direction: zeros(), weighted: zeros(), k_direction: zeros() }
    }

    /// Returns the number of products with K.
    fn solve(&mut self, k: &[f64], sqrt_w: &[f64], v: &[f64]) -> usize {
        let n = v.len();
        self.x.fill(0.0);
        self.kx.fill(0.0);
        self.residual.iter_mut().zip(v).zip(sqrt_w).for_each(|((r, v), root)| *r = root * v);
        self.direction.copy_from_slice(&self.residual);
        let mut size = dot(&self.residual, &self.residual);
        let enough = FORCING * FORCING * size;
        let mut products = 0;
        while size > enough && products < n {
            self.weighted.iter_mut().zip(&self.direction).zip(sqrt_w).for_each(|((s, p), root)| *s = root * p);
            multiply(k, &self.weighted, &mut self.k_direction, n);
            products += 1;
            let curvature = dot(&self.direction, &self.direction) + dot(&self.weighted, &self.k_direction);
            let length = size / curvature;
            add_scaled(&mut self.x, length, &self.direction);
            add_scaled(&mut self.kx, length, &self.k_direction);
            add_scaled(&mut self.residual, -length, &self.direction);
            for ((r, kp), root) in self.residual.iter_mut().zip(&self.k_direction).zip(sqrt_w) {
                *r -= length * root * kp;
            }
            let before = std::mem::replace(&mut size, dot(&self.residual, &self.residual));
            let ratio = size / before;
            self.direction.iter_mut().zip(&self.residual).for_each(|(p, r)| *p = r + ratio * *p);
        }
        products
    }
}
