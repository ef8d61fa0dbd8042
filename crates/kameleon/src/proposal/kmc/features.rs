//! f(x) = Σ θ_j √(2/m) cos(⟨ω_j, x⟩/σ + b_j), the sum of KMC-finite: random Fourier features of the Gaussian kernel (Rahimi and Recht 2007).
//! Unlike kernels, they do not fade out far from the past.

use super::kernels::add_weighted;
use super::objective::{Objective, Table};
use crate::gradient_covariance::inner_products;
use crate::points::Points;
use crate::random::{Purpose, stream};
use crate::simd::{self, BLOCK, Block};
use multiversion::multiversion;
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

/// The seed of the stream that frequencies are drawn from, the same for all chains, so that they need not be stored.
const SEED: u64 = 2015;

/// ω and b, for a bandwidth of 1.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Size", into = "Size")]
pub(super) struct Features {
    frequencies: Points,
    phases: Vec<f64>,
}

/// What frequencies and phases follow from.
#[derive(Serialize, Deserialize)]
struct Size {
    m: usize,
    dim: usize,
}

impl Features {
    /// m of them in ℝᵈ.
    pub fn new(m: usize, dim: usize) -> Self {
        let mut rng = stream(SEED, 0, Purpose::Learn);
        let (mut frequencies, mut frequency) = (Points::new(dim, m), vec![0.0; dim]);
        for _ in 0..m {
            frequency.iter_mut().for_each(|w| *w = rng.sample(StandardNormal));
            frequencies.push(&frequency);
        }
        let phases = (0..m).map(|_| rng.random_range(0.0..std::f64::consts::TAU)).collect();
        Self { frequencies, phases }
    }

    /// m
    pub fn len(&self) -> usize {
        self.frequencies.len()
    }

    /// d
    pub fn dim(&self) -> usize {
        self.frequencies.dim()
    }

    /// Writes ω_j.
    pub fn direction(&self, j: usize, omega: &mut [f64]) {
        self.frequencies.get(j, omega);
    }

    /// C_ij is ⟨∇φ_i, ∇φ_j⟩ = (2/m)⟨ω_i, ω_j⟩ sin_i sin_j/σ², b_j is Δφ_j + ⟨∇φ_j, s⟩, in the mean over the points.
    pub fn objective(&self, table: &Table, sigma: f64) -> Objective {
        let (n, d, count) = (self.len(), self.dim(), table.count);
        let mut rows = vec![0.0; n * d];
        rows.chunks_mut(d).enumerate().for_each(|(j, row)| self.direction(j, row));
        let amplitude = (2.0 / n as f64).sqrt();
        let (mut sines, mut b) = (table.argument.clone(), vec![0.0; n]);
        let mut cosines = vec![0.0; count];
        for (j, sines) in sines.chunks_mut(count).enumerate() {
            waves(sines, &mut cosines, 1.0 / sigma, self.phases[j]);
            let row = &rows[j * d..(j + 1) * d];
            let length2 = simd::dot(row, row) / (sigma * sigma);
            let along = &table.along_score[j * count..(j + 1) * count];
            let terms = sines.iter().zip(&cosines).zip(along).map(|((s, c), along)| c * length2 + s * along / sigma);
            b[j] = -amplitude * terms.sum::<f64>() / count as f64;
        }
        let factor = amplitude * amplitude / (sigma * sigma * count as f64);
        let (mut c, directions) = (gram(&sines, n), gram(&rows, n));
        c.iter_mut().zip(&directions).for_each(|(c, product)| *c *= factor * product);
        Objective { c, b }
    }

    pub fn value(&self, sigma: f64, theta: &[f64], u: &[f64]) -> f64 {
        let mut omega = vec![0.0; u.len()];
        let mut term = |(j, theta): (usize, &f64)| {
            self.direction(j, &mut omega);
            let along: f64 = omega.iter().zip(u).map(|(w, u)| w * u).sum();
            theta * libm::cos(along / sigma + self.phases[j])
        };
        (2.0 / theta.len() as f64).sqrt() * theta.iter().enumerate().map(&mut term).sum::<f64>()
    }

    /// ∇f(u) = −√(2/m) Σ θ_j sin(⟨ω_j, u⟩/σ + b_j) ω_j/σ
    pub fn add_gradient(&self, sigma: f64, theta: &[f64], u: &[f64], weights: &mut Block, gradient: &mut [f64]) {
        let factor = -(2.0 / theta.len() as f64).sqrt() / sigma;
        for start in (0..theta.len()).step_by(BLOCK) {
            let (omega, end) = (self.frequencies.block(start), theta.len().min(start + BLOCK));
            inner_products(omega, u, weights);
            weigh(weights, &theta[start..end], &self.phases[start..end], 1.0 / sigma, factor);
            add_weighted(omega, weights, gradient);
        }
    }
}

impl From<Features> for Size {
    fn from(features: Features) -> Self {
        Self { m: features.len(), dim: features.dim() }
    }
}

impl TryFrom<Size> for Features {
    type Error = &'static str;

    fn try_from(Size { m, dim }: Size) -> Result<Self, Self::Error> {
        let possible = dim > 0 && m.checked_mul(dim).is_some_and(|size| size <= 1 << 26);
        if possible { Ok(Self::new(m, dim)) } else { Err("features of no dimension, or too many") }
    }
}

/// The products of all pairs of n rows; the lower triangle.
#[multiversion(targets("x86_64+avx2+fma"))]
fn gram(rows: &[f64], n: usize) -> Vec<f64> {
    let length = rows.len() / n;
    let mut products = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            products[i * n + j] = simd::dot(&rows[i * length..(i + 1) * length], &rows[j * length..(j + 1) * length]);
        }
    }
    products
}

/// Replaces each t by sin(factor t + phase), and writes the cosines.
#[multiversion(targets("x86_64+avx2+fma"))]
fn waves(t: &mut [f64], cosines: &mut [f64], factor: f64, phase: f64) {
    t.iter_mut().zip(cosines).for_each(|(t, cosine)| (*t, *cosine) = simd::sin_cos(t.mul_add(factor, phase)));
}

/// Replaces each ⟨ω_j, u⟩ by its factor of ω_j in the gradient, zero past the last.
#[multiversion(targets("x86_64+avx2+fma"))]
fn weigh(along: &mut Block, theta: &[f64], phases: &[f64], precision: f64, factor: f64) {
    for ((along, theta), phase) in along.iter_mut().zip(theta).zip(phases) {
        *along = factor * theta * simd::sin_cos(along.mul_add(precision, *phase)).0;
    }
    along[theta.len()..].fill(0.0);
}
