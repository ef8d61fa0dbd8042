//! The local covariances of a cloud of points: around each, the second moments of its neighbours.

use crate::gradient_covariance::{Scratch, weighted_moments};
use crate::linalg::cholesky;
use crate::points::Points;
use crate::simd::{BLOCK, Block};

/// The smallest share of the mean variance that a direction keeps.
const RIDGE: f64 = 1e-3;

/// The number of entries of a lower triangle.
pub fn packed(d: usize) -> usize {
    d * (d + 1) / 2
}

/// Where row `r` of a packed lower triangle starts.
#[inline(always)]
pub fn row(r: usize) -> usize {
    r * (r + 1) / 2
}

/// The inverse Cholesky factor of every point's local covariance.
pub struct LocalFactors {
    dim: usize,
    /// One packed lower triangle after another.
    inverses: Vec<f64>,
    /// ln |L_i⁻¹|
    pub log_volumes: Vec<f64>,
}

impl LocalFactors {
    /// Around z_i with weights exp(−|z_j − z_i|²/σ²), drawn towards the mean of all by d observations.
    pub fn new(z: &Points, sigma: f64) -> Self {
        let (d, n) = (z.dim(), z.len());
        let (mut scratch, mut x) = (Scratch::new(d), vec![0.0; d]);
        let mut moments = vec![0.0; n * d * d];
        let mut sizes = Vec::with_capacity(n);
        let mut mean = vec![0.0; d * d];
        for (i, moments) in moments.chunks_mut(d * d).enumerate() {
            z.get(i, &mut x);
            sizes.push(weighted_moments(sigma, z, &x, &mut scratch, moments));
            moments.iter().zip(&mut mean).for_each(|(c, mean)| *mean += c / n as f64);
        }
        let ridge = RIDGE * (0..d).map(|k| mean[k * d + k]).sum::<f64>() / d as f64;
        let mut factors = Self { dim: d, inverses: vec![0.0; n * packed(d)], log_volumes: Vec::with_capacity(n) };
        for (i, moments) in moments.chunks_mut(d * d).enumerate() {
            let size = sizes[i];
            let shrunk = |c: f64, mean: f64| (size * c + d as f64 * mean) / (size + d as f64);
            moments.iter_mut().zip(&mean).for_each(|(c, mean)| *c = shrunk(*c, *mean));
            (0..d).for_each(|k| moments[k * d + k] += ridge);
            factors.put(i, moments, ridge);
        }
        factors
    }

    fn put(&mut self, i: usize, covariance: &mut [f64], ridge: f64) {
        let d = self.dim;
        if !cholesky(covariance, d) {
            // Rounding alone can bring this about: a small ball is as good as any shape then.
            covariance.fill(0.0);
            (0..d).for_each(|k| covariance[k * d + k] = ridge.max(f64::MIN_POSITIVE).sqrt());
        }
        let inverse = &mut self.inverses[i * packed(d)..(i + 1) * packed(d)];
        invert_lower(covariance, inverse, d);
        self.log_volumes.push((0..d).map(|r| libm::log(inverse[row(r) + r])).sum());
    }

    /// The triangles times `by`, entry by entry for a block of points at a time.
    pub fn scaled_blocks(&self, by: f64) -> Vec<Block> {
        let entries = packed(self.dim);
        let n = self.log_volumes.len();
        let mut blocks = vec![Block::ZERO; n.div_ceil(BLOCK) * entries];
        for (i, inverse) in self.inverses.chunks(entries).enumerate() {
            let first = i / BLOCK * entries;
            for (block, value) in blocks[first..].iter_mut().zip(inverse) {
                block[i % BLOCK] = by * value;
            }
        }
        blocks
    }
}

/// Writes the packed inverse of the lower triangular `factor`, d × d.
pub fn invert_lower(factor: &[f64], inverse: &mut [f64], d: usize) {
    for r in 0..d {
        let pivot = 1.0 / factor[r * d + r];
        for c in 0..r {
            let sum: f64 = (c..r).map(|k| factor[r * d + k] * inverse[row(k) + c]).sum();
            inverse[row(r) + c] = -sum * pivot;
        }
        inverse[row(r) + r] = pivot;
    }
}
