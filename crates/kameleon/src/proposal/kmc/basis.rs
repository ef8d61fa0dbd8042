//! The functions that f = Σ θ_j φ_j is a sum of: kernels at past states (KMC) or random Fourier features (KMC-finite).

use super::features::Features;
use super::kernels::Kernels;
use super::objective::{Objective, Table};
use crate::simd::Block;
use serde::{Deserialize, Serialize};

/// φ_1, …, φ_n
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Basis {
    Kernels(Kernels),
    Features(Features),
}

impl Basis {
    /// n
    pub fn len(&self) -> usize {
        match self {
            Self::Kernels(kernels) => kernels.centres.len(),
            Self::Features(features) => features.len(),
        }
    }

    /// d
    pub fn dim(&self) -> usize {
        match self {
            Self::Kernels(kernels) => kernels.centres.dim(),
            Self::Features(features) => features.dim(),
        }
    }

    /// The functions that may be fitted to the earlier half of the past, and to the later one: each half knows its own centres only.
    pub fn halves(&self) -> [Self; 2] {
        match self {
            Self::Kernels(kernels) => kernels.halves().map(Self::Kernels),
            Self::Features(features) => [0, 1].map(|_| Self::Features(features.clone())),
        }
    }

    /// What is the same for all bandwidths at these points, one after another, where the base density has the score −su.
    pub fn table(&self, points: &[f64], precision: f64) -> Table {
        let (d, count) = (self.dim(), points.len() / self.dim());
        let (mut argument, mut along_score) = (Vec::with_capacity(self.len() * count), Vec::new());
        let mut centre = vec![0.0; d];
        for j in 0..self.len() {
            match self {
                Self::Kernels(kernels) => {
                    kernels.centres.get(j, &mut centre);
                    for x in points.chunks(d) {
                        argument.push(centre.iter().zip(x).map(|(z, x)| (z - x) * (z - x)).sum());
                        along_score.push(centre.iter().zip(x).map(|(z, x)| (x - z) * x).sum());
                    }
                }
                Self::Features(features) => {
                    features.direction(j, &mut centre);
                    for x in points.chunks(d) {
                        let along: f64 = centre.iter().zip(x).map(|(w, x)| w * x).sum();
                        argument.push(along);
                        along_score.push(-along);
                    }
                }
            }
        }
        along_score.iter_mut().for_each(|along| *along *= precision);
        Table { count, argument, along_score }
    }

    /// The objective on the points of the table.
    pub fn objective(&self, table: &Table, sigma: f64) -> Objective {
        match self {
            Self::Kernels(kernels) => kernels.objective(table, sigma),
            Self::Features(features) => features.objective(table, sigma),
        }
    }

    /// The matrix of ‖f‖² in the kernel's space; its lower triangle.
    pub fn norm(&self, sigma: f64) -> Vec<f64> {
        match self {
            Self::Kernels(kernels) => kernels.gram(sigma),
            Self::Features(features) => {
                let n = features.len();
                (0..n * n).map(|k| f64::from(u8::from(k / n == k % n))).collect()
            }
        }
    }

    /// f(u)
    pub fn value(&self, sigma: f64, theta: &[f64], u: &[f64]) -> f64 {
        match self {
            Self::Kernels(kernels) => kernels.value(sigma, theta, u),
            Self::Features(features) => features.value(sigma, theta, u),
        }
    }

    /// Adds ∇f(u) to `gradient`.
    pub fn add_gradient(&self, sigma: f64, theta: &[f64], u: &[f64], weights: &mut Block, gradient: &mut [f64]) {
        match self {
            Self::Kernels(kernels) => kernels.add_gradient(sigma, theta, u, weights, gradient),
            Self::Features(features) => features.add_gradient(sigma, theta, u, weights, gradient),
        }
    }
}
