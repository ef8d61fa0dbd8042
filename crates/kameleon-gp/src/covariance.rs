//! Covariance functions with a length scale per column, and the matrix K they give over the training rows.

use crate::Inputs;
use kameleon::simd;
use multiversion::multiversion;
use serde::{Deserialize, Serialize};

/// The shape of the covariance as a function of r² = Σ (x_d − x'_d)²/ℓ_d².
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Covariance {
    /// exp(−r²/2)
    #[default]
    Gaussian,
    /// (1 + √3 r) exp(−√3 r)
    Matern32,
    /// (1 + √5 r + 5r²/3) exp(−√5 r)
    Matern52,
}

/// The covariance at one θ.
#[derive(Clone, Debug, PartialEq)]
pub struct Hyper {
    /// 1/ℓ_d
    pub inverse_scales: Vec<f64>,
    /// The variance of the latent function.
    pub amplitude2: f64,
}

/// The training rows and their scaled copy.
#[derive(Clone)]
pub struct CovarianceMatrix {
    shape: Covariance,
    rows: usize,
    x: Vec<f64>,
    /// x_d/ℓ_d, column after column.
    scaled: Vec<f64>,
    largest: f64,
}

impl CovarianceMatrix {
    /// Over the (already standardised) rows of `inputs`.
    pub fn new(shape: Covariance, inputs: &Inputs) -> Self {
        let x = inputs.values().to_vec();
        let largest = x.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        Self { shape, rows: inputs.rows(), scaled: x.clone(), x, largest }
    }

    /// Fills all of the symmetric `k` with K + `jitter` I; false if distances overflow.
    pub fn fill(&mut self, hyper: &Hyper, jitter: f64, k: &mut [f64]) -> bool {
        let sound = |s: &f64| (s * self.largest).is_finite();
        if !hyper.inverse_scales.iter().all(sound) || !hyper.amplitude2.is_finite() {
            return false;
        }
        for (d, s) in hyper.inverse_scales.iter().enumerate() {
            let column = d * self.rows..(d + 1) * self.rows;
            self.scaled[column.clone()].iter_mut().zip(&self.x[column]).for_each(|(scaled, x)| *scaled = s * x);
        }
        fill_lower(self.shape, &self.scaled, self.rows, hyper.amplitude2, k);
        mirror(k, self.rows);
        k.iter_mut().step_by(self.rows + 1).for_each(|diagonal| *diagonal = hyper.amplitude2 + jitter);
        true
    }

    /// The covariances of a new row with the training rows, under the same θ as the last [`CovarianceMatrix::fill`].
    pub fn cross(&self, hyper: &Hyper, row: &[f64], out: &mut [f64]) {
        fill_cross(self.shape, &self.scaled, hyper, row, out);
    }
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn fill_cross(shape: Covariance, scaled: &[f64], hyper: &Hyper, row: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for ((x, s), column) in row.iter().zip(&hyper.inverse_scales).zip(scaled.chunks_exact(out.len())) {
        add_squared_distances(column, s * x, out);
    }
    apply_shape(shape, hyper.amplitude2, out);
}

/// The lower triangle, column by column: distances from row j to the rows below it, then the shape.
#[multiversion(targets("x86_64+avx2+fma"))]
fn fill_lower(shape: Covariance, scaled: &[f64], n: usize, amplitude2: f64, k: &mut [f64]) {
    for (j, column) in k.chunks_exact_mut(n).enumerate() {
        let below = &mut column[j..];
        below.fill(0.0);
        for x in scaled.chunks_exact(n) {
            add_squared_distances(&x[j..], x[j], below);
        }
        apply_shape(shape, amplitude2, below);
    }
}

#[inline(always)]
fn add_squared_distances(x: &[f64], at: f64, r2: &mut [f64]) {
    for (r2, x) in r2.iter_mut().zip(x) {
        let difference = x - at;
        *r2 = difference.mul_add(difference, *r2);
    }
}

#[inline(always)]
fn apply_shape(shape: Covariance, amplitude2: f64, r2: &mut [f64]) {
    match shape {
        Covariance::Gaussian => r2.iter_mut().for_each(|r2| *r2 = amplitude2 * simd::exp(-0.5 * *r2)),
        Covariance::Matern32 => {
            for r2 in r2 {
                // A distance that overflows would give ∞ · 0.
                let s = (3.0 * *r2).sqrt().min(1e3);
                *r2 = amplitude2 * (1.0 + s) * simd::exp(-s);
            }
        }
        Covariance::Matern52 => {
            for r2 in r2 {
                let s = (5.0 * *r2).sqrt().min(1e3);
                *r2 = amplitude2 * (s * s).mul_add(1.0 / 3.0, 1.0 + s) * simd::exp(-s);
            }
        }
    }
}

/// Copies the lower triangle to the upper one, in tiles that stay in the fastest cache.
fn mirror(k: &mut [f64], n: usize) {
    const TILE: usize = 16;
    for left in (0..n).step_by(TILE) {
        for top in (left..n).step_by(TILE) {
            for j in left..(left + TILE).min(n) {
                for i in top.max(j + 1)..(top + TILE).min(n) {
                    k[i * n + j] = k[j * n + i];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(shape: Covariance, r2: f64) -> f64 {
        let r = r2.sqrt();
        match shape {
            Covariance::Gaussian => (-0.5 * r2).exp(),
            Covariance::Matern32 => (1.0 + 3f64.sqrt() * r) * (-(3f64.sqrt()) * r).exp(),
            Covariance::Matern52 => (1.0 + 5f64.sqrt() * r + 5.0 * r2 / 3.0) * (-(5f64.sqrt()) * r).exp(),
        }
    }

    #[test]
    fn every_entry_is_the_formula_and_new_rows_agree_with_old_ones() {
        let n = 41;
        let values: Vec<f64> = (0..2 * n).map(|i| (i as f64 * 1.7).sin() * 3.0).collect();
        let inputs = Inputs::new(vec!["a".into(), "b".into()], values.clone()).unwrap();
        let hyper = Hyper { inverse_scales: vec![0.5, 2.0], amplitude2: 1.5 };
        for shape in [Covariance::Gaussian, Covariance::Matern32, Covariance::Matern52] {
            let mut matrix = CovarianceMatrix::new(shape, &inputs);
            let mut k = vec![0.0; n * n];
            assert!(matrix.fill(&hyper, 0.25, &mut k));
            let mut cross = vec![0.0; n];
            for i in 0..n {
                matrix.cross(&hyper, &[values[i], values[n + i]], &mut cross);
                for j in 0..n {
                    let (u, v) = (0.5 * (values[i] - values[j]), 2.0 * (values[n + i] - values[n + j]));
                    let expected = 1.5 * naive(shape, u * u + v * v);
                    let jitter = if i == j { 0.25 } else { 0.0 };
                    assert!((k[i * n + j] - expected - jitter).abs() < 1e-13, "{shape:?} {i} {j}");
                    assert!((cross[j] - expected).abs() < 1e-13, "{shape:?} {i} {j}");
                }
            }
        }
    }

    #[test]
    fn scales_that_overflow_give_no_matrix_and_vanishing_ones_give_ones() {
        let inputs = Inputs::new(vec!["a".into()], vec![0.0, 1.0, 3.0]).unwrap();
        let mut matrix = CovarianceMatrix::new(Covariance::Matern52, &inputs);
        let mut k = vec![0.0; 9];
        for s in [f64::INFINITY, f64::NAN, 1e308] {
            assert!(!matrix.fill(&Hyper { inverse_scales: vec![s], amplitude2: 1.0 }, 0.0, &mut k));
        }
        assert!(matrix.fill(&Hyper { inverse_scales: vec![0.0], amplitude2: 1.0 }, 0.0, &mut k));
        assert!(k.iter().all(|&k| k == 1.0));
        assert!(matrix.fill(&Hyper { inverse_scales: vec![1e200], amplitude2: 1.0 }, 0.0, &mut k));
        assert!(k[1] < 1e-300);
    }
}
