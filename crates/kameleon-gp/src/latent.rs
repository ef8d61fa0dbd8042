//! The normal approximation q(f|y,θ) = N(m, (K⁻¹ + W)⁻¹), m = K a, of both Laplace and EP.
//!
//! Everything is computed from B = I + W^½ K W^½, whose eigenvalues are at least one: K is never inverted.

use crate::linalg::{Cholesky, dot, multiply};

/// W is kept above this, so that W^−½ exists. The effect on q is negligible (the prior precision of f is far larger), and q
/// is used consistently, so no estimate is biased.
pub(crate) const LEAST_W: f64 = 1e-10;

/// Dense work done, in units that do not depend on the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Cholesky factors of an n × n matrix.
    pub factors: usize,
    /// Products of an n × n matrix with a vector, or pairs of triangular solves.
    pub products: usize,
    /// Triangular solves with n right-hand sides.
    pub wide_solves: usize,
}

impl Work {
    /// Floating-point operations for n rows.
    pub fn flops(&self, n: usize) -> f64 {
        let n = n as f64;
        n * n * (n * (self.factors as f64 / 3.0 + self.wide_solves as f64) + 2.0 * self.products as f64)
    }
}

/// q(f|y,θ) and its working memory.
#[derive(Clone)]
pub struct Latent {
    /// a = K⁻¹m
    pub a: Vec<f64>,
    /// m, the mean.
    pub m: Vec<f64>,
    /// W, a diagonal.
    pub w: Vec<f64>,
    pub(crate) sqrt_w: Vec<f64>,
    /// The factor C of B = CCᵀ.
    pub(crate) b: Cholesky,
    pub(crate) work: Work,
    scratch: Vec<f64>,
}

impl Latent {
    /// Memory for `n` rows.
    pub fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self {
            a: zeros(),
            m: zeros(),
            w: zeros(),
            sqrt_w: zeros(),
            b: Cholesky::new(n),
            work: Work::default(),
            scratch: zeros(),
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.a.len()
    }

    /// Factors B for the current `w`; false if K is too large for that.
    pub(crate) fn factor(&mut self, k: &[f64]) -> bool {
        let n = self.rows();
        self.w.iter_mut().for_each(|w| *w = w.max(LEAST_W));
        self.sqrt_w.iter_mut().zip(&self.w).for_each(|(root, w)| *root = w.sqrt());
        let columns = self.b.entries.chunks_exact_mut(n).zip(k.chunks_exact(n));
        for (j, (b, k)) in columns.enumerate() {
            let factor = self.sqrt_w[j];
            for ((b, k), root) in b[j..].iter_mut().zip(&k[j..]).zip(&self.sqrt_w[j..]) {
                *b = factor * root * k;
            }
            b[j] += 1.0;
        }
        self.work.factors += 1;
        self.b.factor()
    }

    /// x ← (I + W K)⁻¹ x, given `kx` = K x.
    pub(crate) fn solve(&mut self, x: &mut [f64], kx: &[f64]) {
        self.weigh(kx);
        x.iter_mut().zip(&self.scratch).zip(&self.sqrt_w).for_each(|((x, s), root)| *x -= root * s);
    }

    /// Centres q where the normal terms exp(νᵀf − ½ fᵀWf) put it: a = (I + W K)⁻¹ ν, given `k_nu` = K ν.
    pub(crate) fn centre(&mut self, k: &[f64], nu: &[f64], k_nu: &[f64]) {
        self.weigh(k_nu);
        let terms = nu.iter().zip(&self.scratch).zip(&self.sqrt_w);
        self.a.iter_mut().zip(terms).for_each(|(a, ((nu, s), root))| *a = nu - root * s);
        self.refresh_mean(k);
    }

    /// B⁻¹W^½v, in the scratch memory.
    fn weigh(&mut self, v: &[f64]) {
        let s = &mut self.scratch;
        s.iter_mut().zip(v).zip(&self.sqrt_w).for_each(|((s, v), root)| *s = root * v);
        self.b.solve_lower(s);
        self.b.solve_upper(s);
        self.work.products += 1;
    }

    /// m ← K a
    pub(crate) fn refresh_mean(&mut self, k: &[f64]) {
        multiply(k, &self.a, &mut self.m, self.a.len());
        self.work.products += 1;
    }

    /// −½ aᵀm − ½ log |B|: the contribution of q and of the prior of f to a marginal likelihood.
    pub fn log_normaliser(&self) -> f64 {
        -0.5 * dot(&self.a, &self.m) - self.b.half_log_det()
    }

    /// The variance of a latent value whose covariances with the training rows are `cross`, and whose own is `prior`.
    /// `cross` is overwritten.
    pub(crate) fn variance(&self, cross: &mut [f64], prior: f64) -> f64 {
        cross.iter_mut().zip(&self.sqrt_w).for_each(|(c, root)| *c *= root);
        self.b.solve_lower(cross);
        (prior - dot(cross, cross)).max(0.0)
    }
}
