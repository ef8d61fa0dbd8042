//! The score matching objective (Hyvärinen 2005) of f = Σ θ_j φ_j: a quadratic function of θ, and its minimum.

use crate::linalg::{add_to_diagonal, cholesky, dot, solve_lower, solve_lower_transpose};
use crate::simd;
use multiversion::multiversion;

/// Added to the diagonal, relative to its mean: two past states may be the same.
const RIDGE: f64 = 1e-10;

/// J(θ) = ½θᵀCθ + bᵀθ: the score matching objective of f on some points, up to what does not depend on θ.
#[derive(Clone, Debug)]
pub(super) struct Objective {
    /// C, the mean of Σ_l ∂_lφ_i ∂_lφ_j over the points; its lower triangle.
    pub c: Vec<f64>,
    /// b, the mean of Δφ_i + ⟨∇φ_i, s⟩ with the score s of the base density.
    pub b: Vec<f64>,
}

/// What is the same for all bandwidths, for each φ_j and each point, one φ after another.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// The number of points.
    pub count: usize,
    /// |z_j − x|², or ⟨ω_j, x⟩ of bandwidth 1.
    pub argument: Vec<f64>,
    /// ⟨z_j − x, s(x)⟩, or ⟨ω_j, s(x)⟩ of bandwidth 1.
    pub along_score: Vec<f64>,
}

impl Objective {
    /// J(θ)
    pub fn at(&self, theta: &[f64]) -> f64 {
        let n = theta.len();
        let row = |(i, theta_i): (usize, &f64)| {
            let row = &self.c[i * n..i * n + i + 1];
            theta_i * (dot(&row[..i], &theta[..i]) + 0.5 * row[i] * theta_i + self.b[i])
        };
        theta.iter().enumerate().map(row).sum()
    }

    /// The minimum of J(θ) + ½λ‖f‖², if the sum is positive definite.
    pub fn minimum(&self, norm: &[f64], lambda: f64) -> Option<Vec<f64>> {
        let n = self.b.len();
        let mut matrix: Vec<f64> = self.c.iter().zip(norm).map(|(c, norm)| c + lambda * norm).collect();
        let mean = matrix.iter().step_by(n + 1).sum::<f64>() / n as f64;
        add_to_diagonal(&mut matrix, n, RIDGE * mean);
        let mut theta: Vec<f64> = self.b.iter().map(|b| -b).collect();
        cholesky(&mut matrix, n).then(|| {
            solve_lower(&matrix, &mut theta);
            solve_lower_transpose(&matrix, &mut theta);
        })?;
        theta.iter().all(|theta| theta.is_finite()).then_some(theta)
    }
}

/// The lower triangle of the n × n products ⟨a_i, b_j⟩ + ⟨a_j, b_i⟩ and ⟨b_i, b_j⟩ of rows, each made into one number.
#[multiversion(targets("x86_64+avx2+fma"))]
pub(super) fn products(a: &[f64], b: &[f64], n: usize, value: &dyn Fn(usize, usize, f64, f64) -> f64) -> Vec<f64> {
    let count = b.len() / n;
    let mut c = vec![0.0; n * n];
    for i in 0..n {
        let (a_i, b_i) = (&a[i * count..(i + 1) * count], &b[i * count..(i + 1) * count]);
        for j in 0..=i {
            let (a_j, b_j) = (&a[j * count..(j + 1) * count], &b[j * count..(j + 1) * count]);
            // Three sums side by side, since one alone would wait for each of its additions.
            let (ij, ji, both) = (simd::dot(a_i, b_j), simd::dot(a_j, b_i), simd::dot(b_i, b_j));
            c[i * n + j] = value(i, j, ij + ji, both);
        }
    }
    c
}
