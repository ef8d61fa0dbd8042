//! Score matching (Hyvärinen 2005): f is fitted to each half of the history, and bandwidth and regularisation are those that are best on the
//! other halves. The halves are earlier and later, since states that follow each other are alike.

use super::basis::{Basis, Objective};
use crate::linalg::{add_to_diagonal, cholesky, dot, solve_lower, solve_lower_transpose};

/// The bandwidths that are tried, in units of √d, the typical distance of two points from each other over √2.
const BANDWIDTHS: [f64; 4] = [0.5, 0.8, 1.3, 2.1];
/// The regularisations λ that are tried.
const LAMBDAS: [f64; 5] = [1.0, 1e-1, 1e-2, 1e-4, 1e-6];
/// Added to the diagonal, relative to its mean: two past states may be the same.
const RIDGE: f64 = 1e-10;

/// What was chosen and fitted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fit {
    pub sigma: f64,
    pub lambda: f64,
    pub theta: Vec<f64>,
    /// The mean of the objectives on the halves, each of the fit to the other half; negative if f is better than none.
    pub held_out: f64,
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

    /// The mean of two.
    fn with(mut self, other: &Self) -> Self {
        let mean = |(a, b): (&mut f64, &f64)| *a = 0.5 * (*a + b);
        self.c.iter_mut().zip(&other.c).for_each(mean);
        self.b.iter_mut().zip(&other.b).for_each(mean);
        self
    }
}

/// The best fit to points in ℝᵈ, one after another, over a base density of the score −su; none if f is better left out.
pub(super) fn fit(basis: &Basis, points: &[f64], precision: f64) -> Option<Fit> {
    let d = basis.dim();
    let half = points.len() / d / 2 * d;
    let tables = [&points[..half], &points[half..]].map(|points| basis.table(points, precision));
    let mut best: Option<Fit> = None;
    for factor in BANDWIDTHS {
        let sigma = factor * (d as f64).sqrt();
        let [a, b] = [0, 1].map(|half: usize| basis.objective(&tables[half], sigma));
        let norm = basis.norm(sigma);
        let held_out = |lambda: f64| {
            let [from_a, from_b] = [&a, &b].map(|half| half.minimum(&norm, lambda));
            Some(0.5 * (b.at(&from_a?) + a.at(&from_b?)))
        };
        let least = best.as_ref().map_or(0.0, |best| best.held_out);
        let tried = LAMBDAS.iter().filter_map(|lambda| Some((*lambda, held_out(*lambda)?)));
        let found = tried.filter(|(_, held_out)| *held_out < least).min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((lambda, held_out)) = found
            && let Some(theta) = a.with(&b).minimum(&norm, lambda)
        {
            best = Some(Fit { sigma, lambda, theta, held_out });
        }
    }
    best
}
