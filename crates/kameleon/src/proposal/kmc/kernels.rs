//! f(x) = Σ θ_j exp(−|z_j − x|²/2σ²), the sum of KMC (lite): Gaussian kernels centred at past states. Far from all of them its gradient is zero.

use super::objective::{Objective, Table, products};
use crate::gradient_covariance::squared_distances;
use crate::points::Points;
use crate::simd::{self, BLOCK, Block};
use multiversion::multiversion;
use serde::{Deserialize, Serialize};

/// The centres z.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Kernels {
    pub centres: Points,
}

impl Kernels {
    /// At `n` of the points, evenly spaced, or at half of them if that is less.
    pub fn at_some(points: &[f64], d: usize, n: usize) -> Self {
        let count = points.len() / d;
        let n = n.min(count / 2);
        let centres: Vec<f64> = (0..n).flat_map(|k| &points[k * count / n * d..][..d]).copied().collect();
        Self { centres: Points::from_rows(&centres, d) }
    }

    /// Those at the earlier centres and those at the later ones. The middle one of an odd number is in both.
    pub fn halves(&self) -> [Self; 2] {
        let n = self.centres.len();
        let mut z = vec![0.0; self.centres.dim()];
        [0..n.div_ceil(2), n / 2..n].map(|some| {
            let mut centres = Points::new(z.len(), some.len());
            some.for_each(|j| {
                self.centres.get(j, &mut z);
                centres.push(&z);
            });
            Self { centres }
        })
    }

    /// C_ij is the mean over the points x of k_i k_j ⟨z_i − x, z_j − x⟩/σ⁴, where the inner product is half of
    /// |z_i − x|² + |z_j − x|² − |z_i − z_j|²: so it costs n² for each point whatever the dimension.
    pub fn objective(&self, table: &Table, sigma: f64) -> Objective {
        let (n, d, precision) = (self.centres.len(), self.centres.dim() as f64, 1.0 / (sigma * sigma));
        let mut k = table.argument.clone();
        exponentials(&mut k, -0.5 * precision);
        let weighted: Vec<f64> = k.iter().zip(&table.argument).map(|(k, r2)| k * r2).collect();
        let b = |j: usize| {
            let row = j * table.count..(j + 1) * table.count;
            let (r2, along) = (&table.argument[row.clone()], &table.along_score[row.clone()]);
            let terms = k[row].iter().zip(r2).zip(along);
            terms.map(|((k, r2), along)| k * (r2 * precision - d + along)).sum::<f64>() * precision / table.count as f64
        };
        let r2 = self.squared_distances();
        let factor = 0.5 * precision * precision / table.count as f64;
        let c = products(&weighted, &k, n, &|i, j, mixed, k| factor * (mixed - r2[i * n + j] * k));
        Objective { c, b: (0..n).map(b).collect() }
    }

    /// |z_i − z_j|²; the lower triangle.
    fn squared_distances(&self) -> Vec<f64> {
        let (n, d) = (self.centres.len(), self.centres.dim());
        let mut rows = vec![0.0; n * d];
        rows.chunks_mut(d).enumerate().for_each(|(j, row)| self.centres.get(j, row));
        let mut r2 = vec![0.0; n * n];
        for (i, z) in rows.chunks(d).enumerate() {
            for (j, other) in rows.chunks(d).enumerate().take(i) {
                r2[i * n + j] = z.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum();
            }
        }
        r2
    }

    /// k(z_i, z_j); the lower triangle.
    pub fn gram(&self, sigma: f64) -> Vec<f64> {
        let mut k = self.squared_distances();
        exponentials(&mut k, -0.5 / (sigma * sigma));
        k
    }

    pub fn value(&self, sigma: f64, theta: &[f64], u: &[f64]) -> f64 {
        let mut z = vec![0.0; u.len()];
        let mut term = |(j, theta): (usize, &f64)| {
            self.centres.get(j, &mut z);
            let r2: f64 = z.iter().zip(u).map(|(z, u)| (z - u) * (z - u)).sum();
            theta * libm::exp(-0.5 * r2 / (sigma * sigma))
        };
        theta.iter().enumerate().map(&mut term).sum()
    }

    /// ∇f(u) = Σ θ_j k_j (z_j − u)/σ²
    pub fn add_gradient(&self, sigma: f64, theta: &[f64], u: &[f64], weights: &mut Block, gradient: &mut [f64]) {
        let precision = 1.0 / (sigma * sigma);
        for start in (0..theta.len()).step_by(BLOCK) {
            let z = self.centres.block(start);
            squared_distances(z, u, weights);
            let sum = weigh(weights, &theta[start..theta.len().min(start + BLOCK)], precision);
            add_weighted(z, weights, gradient);
            gradient.iter_mut().zip(u).for_each(|(g, u)| *g -= sum * u);
        }
    }
}

/// Replaces each number by the exponential of its multiple.
#[multiversion(targets("x86_64+avx2+fma"))]
fn exponentials(values: &mut [f64], factor: f64) {
    values.iter_mut().for_each(|value| *value = simd::exp(factor * *value));
}

/// Replaces squared distances by θ_j k_j/σ², zero past the last; tells their sum.
#[multiversion(targets("x86_64+avx2+fma"))]
fn weigh(r2: &mut Block, theta: &[f64], precision: f64) -> f64 {
    r2.iter_mut().for_each(|r2| *r2 = precision * simd::exp(-0.5 * precision * *r2));
    r2.iter_mut().zip(theta).for_each(|(w, theta)| *w *= theta);
    r2[theta.len()..].fill(0.0);
    simd::dot(&r2.0, &[1.0; BLOCK])
}

/// Adds the weighted sum of the block's points.
#[multiversion(targets("x86_64+avx2+fma"))]
pub(super) fn add_weighted(z: &[Block], weights: &Block, sum: &mut [f64]) {
    sum.iter_mut().zip(z).for_each(|(sum, z)| *sum += simd::dot(&weights.0, &z.0));
}
