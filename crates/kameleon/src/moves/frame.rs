//! Coordinates in which distances mean something: u = A⁻¹(x − m).

use crate::linalg::{log_diagonal, multiply_lower, solve_lower, solve_lower_rows};
use crate::simd::Row;
use serde::{Deserialize, Serialize};

/// The origin m and the lower triangular A. With AAᵀ = Σ the target is white in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    pub(crate) origin: Vec<f64>,
    pub(crate) factor: Vec<f64>,
}

impl Frame {
    /// The coordinates as they are, but for the origin.
    pub fn raw(origin: Vec<f64>) -> Self {
        let d = origin.len();
        let factor = (0..d * d).map(|k| if k % d == k / d { 1.0 } else { 0.0 }).collect();
        Self { origin, factor }
    }

    /// d
    pub fn dim(&self) -> usize {
        self.origin.len()
    }

    /// ln |A|
    pub fn log_volume(&self) -> f64 {
        log_diagonal(&self.factor, self.dim())
    }

    /// Writes the coordinates of x to u.
    pub fn coordinates(&self, x: &[f64], u: &mut [f64]) {
        u.iter_mut().zip(x).zip(&self.origin).for_each(|((u, x), m)| *u = x - m);
        solve_lower(&self.factor, u);
    }

    /// Replaces points that lie side by side by their coordinates.
    pub fn coordinates_of_rows(&self, rows: &mut [Row]) {
        rows.iter_mut().zip(&self.origin).for_each(|(row, m)| row.0.iter_mut().for_each(|x| *x -= m));
        solve_lower_rows(&self.factor, rows);
    }

    /// Replaces coordinates by their point.
    pub fn point(&self, u: &mut [f64]) {
        self.direction(u);
        u.iter_mut().zip(&self.origin).for_each(|(u, m)| *u += m);
    }

    /// Replaces a difference of coordinates by that of points.
    pub fn direction(&self, u: &mut [f64]) {
        multiply_lower(&self.factor, u);
    }

    /// Whether what was read from elsewhere is a frame in `dim` dimensions.
    pub fn fits(&self, dim: usize) -> bool {
        self.origin.len() == dim
            && self.factor.len() == dim * dim
            && self.origin.iter().chain(&self.factor).all(|v| v.is_finite())
            && (0..dim).all(|i| self.factor[i * dim + i] > 0.0)
    }
}
