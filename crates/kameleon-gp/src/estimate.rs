//! The unbiased estimate of p(y|θ): importance sampling of the latent values from q(f|y,θ), in log space.
//!
//! With f = m + e, e ~ N(0, (K⁻¹ + W)⁻¹), the weight p(y|f) N(f; 0, K)/q(f) is
//! `log w = Σ log p(y|f) − ½ aᵀm − aᵀe + ½ eᵀWe − ½ log |B|`, for any a and any W > 0: q need not be converged.
//!
//! A draw of e takes two vectors of standard normals. With K = LLᵀ, a draw f₀ = L u₁ from the prior of f is corrected by
//! pseudo-data W^½ f₀ + u₂, whose covariance is B: `e = f₀ − K W^½ B⁻¹(W^½ f₀ + u₂)` has the required covariance, and
//! since K W^½ = W^−½(B − I) it equals `W^−½ (B⁻¹(W^½ f₀ + u₂) − u₂)`. So the factors of K and of B
//! suffice; a third one (of I + LᵀWL, for e = L C⁻ᵀu) is not needed. For fixed u the estimate is continuous in θ, except for
//! steps of a few thousandths at most where the search for q takes one iteration more or less.

use crate::latent::Latent;
use crate::linalg::{Cholesky, dot};
use crate::{Likelihood, Settings};

/// Importance samples and their memory.
#[derive(Clone)]
pub(crate) struct Estimator {
    likelihood: Likelihood,
    n: usize,
    n_imp: usize,
    antithetic: bool,
    /// The draws e of the last estimate, one after the other.
    pub(crate) draws: Vec<f64>,
    /// The log weights of the last estimate: m + e, m − e of the first draw, and so on.
    pub(crate) log_weights: Vec<f64>,
}

impl Estimator {
    /// For `n` rows; antithetic samples come in pairs m ± e (with an odd number, the last is single).
    pub(crate) fn new(settings: &Settings, n: usize) -> Self {
        let Settings { likelihood, n_imp, antithetic, .. } = *settings;
        let count = if antithetic { n_imp.div_ceil(2) } else { n_imp };
        Self { likelihood, n, n_imp, antithetic, draws: vec![0.0; n * count], log_weights: vec![0.0; n_imp] }
    }

    /// The number of standard normals in one estimate: 2n for each draw of e.
    pub(crate) fn normals(&self) -> usize {
        2 * self.draws.len()
    }

    /// log p̂(y|θ) for q, the factor of K, and `normals` in the order u₁, u₂ of the first draw, of the second, …
    pub(crate) fn log_estimate(&mut self, y: &[f64], k: &Cholesky, q: &Latent, normals: &[f64]) -> f64 {
        self.draw(k, q, normals);
        self.weigh(y, q);
        log_mean_exp(&self.log_weights)
    }

    /// Operations per estimate beyond those that find q; an exponential counts as 20 and a normal as 10.
    pub(crate) fn flops(&self) -> f64 {
        let (n, draws) = (self.n as f64, (self.draws.len() / self.n) as f64);
        draws * n * (3.0 * n + 30.0) + 25.0 * n * self.n_imp as f64
    }

    fn draw(&mut self, k: &Cholesky, q: &Latent, normals: &[f64]) {
        let n = self.n;
        k.multiply_lower(normals, 2 * n, &mut self.draws);
        for (e, u) in self.draws.chunks_exact_mut(n).zip(normals.chunks_exact(2 * n)) {
            e.iter_mut().zip(&q.sqrt_w).zip(&u[n..]).for_each(|((e, root), u)| *e = *e * root + u);
        }
        q.b.solve_lower(&mut self.draws);
        q.b.solve_upper(&mut self.draws);
        for (e, u) in self.draws.chunks_exact_mut(n).zip(normals.chunks_exact(2 * n)) {
            e.iter_mut().zip(&q.sqrt_w).zip(&u[n..]).for_each(|((e, root), u)| *e = (*e - u) / root);
        }
    }

    fn weigh(&mut self, y: &[f64], q: &Latent) {
        let base = q.log_normaliser();
        let per_draw = if self.antithetic { 2 } else { 1 };
        for (weights, e) in self.log_weights.chunks_mut(per_draw).zip(self.draws.chunks_exact(self.n)) {
            let (slope, curvature) = (dot(&q.a, e), weighted_square(&q.w, e));
            let (plus, minus) = self.likelihood.log_likelihood_pair(y, &q.m, e);
            weights[0] = plus + base - slope + 0.5 * curvature;
            if let Some(mirror) = weights.get_mut(1) {
                *mirror = minus + base + slope + 0.5 * curvature;
            }
        }
    }
}

/// eᵀWe
fn weighted_square(w: &[f64], e: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (ws, es) = (w.chunks_exact(LANES), e.chunks_exact(LANES));
    let rest: f64 = ws.remainder().iter().zip(es.remainder()).map(|(w, e)| w * e * e).sum();
    for (w, e) in ws.zip(es) {
        for lane in 0..LANES {
            sums[lane] += w[lane] * e[lane] * e[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// log of the mean of e^x, without overflow.
pub(crate) fn log_mean_exp(x: &[f64]) -> f64 {
    let largest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !largest.is_finite() {
        return largest;
    }
    let sum: f64 = x.iter().map(|x| (x - largest).exp()).sum();
    largest + (sum / x.len() as f64).ln()
}
