//! The functions that f = Σ θ_j φ_j is a sum of: kernels at past states (KMC) or random Fourier features (KMC-finite).

use super::features::Features;
use super::kernels::Kernels;
use crate::simd::{self, Block};
use multiversion::multiversion;
use serde::{Deserialize, Serialize};

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
