//! The directions in which subspace moves are made.
//!
//! With u = A⁻¹(x − m) the white coordinates and E orthonormal rows, s = Eu are the coordinates that a move changes; the
//! others, at right angles to them in the white frame, stay as they are.

use super::frame::Frame;
use crate::linalg::{dot, multiply_lower, solve_lower};
use serde::{Deserialize, Serialize};

/// k of d directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Subspace {
    frame: Frame,
    /// E, row by row.
    rows: Vec<f64>,
}

impl Subspace {
    /// The most directions there are.
    pub const LARGEST: usize = 8;

    /// The directions with these orthonormal rows in the white frame.
    pub(crate) fn new(frame: Frame, rows: Vec<f64>) -> Self {
        Self { frame, rows }
    }

    /// The same directions in another white frame, in which what is at right angles to them is another.
    pub fn in_frame(&self, metric: &Frame) -> Self {
        let d = metric.dim();
        let mut rows: Vec<f64> = Vec::with_capacity(self.rows.len());
        for row in self.rows.chunks_exact(d) {
            let mut row = row.to_vec();
            multiply_lower(&self.frame.factor, &mut row);
            solve_lower(&metric.factor, &mut row);
            for done in rows.chunks_exact(d) {
                let along = dot(done, &row);
                row.iter_mut().zip(done).for_each(|(e, done)| *e -= along * done);
            }
            let length = dot(&row, &row).sqrt();
            rows.extend(row.iter().map(|e| e / length));
        }
        Self { frame: metric.clone(), rows }
    }

    /// E, row by row.
    pub fn rows(&self) -> &[f64] {
        &self.rows
    }

    /// k
    pub fn dim(&self) -> usize {
        self.rows.len() / self.frame.dim()
    }

    /// Writes the coordinates s of x; `u` is room for the white ones.
    pub fn coordinates(&self, x: &[f64], u: &mut [f64], s: &mut [f64]) {
        self.frame.coordinates(x, u);
        s.iter_mut().zip(self.rows.chunks_exact(u.len())).for_each(|(s, row)| *s = dot(row, u));
    }

    /// Writes the difference of points that belongs to a difference of s.
    pub fn direction(&self, s: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for (s, row) in s.iter().zip(self.rows.chunks_exact(y.len())) {
            y.iter_mut().zip(row).for_each(|(y, e)| *y += s * e);
        }
        multiply_lower(&self.frame.factor, y);
    }

    /// The metric there: its coordinates are white.
    pub fn metric(&self) -> Frame {
        Frame::raw(vec![0.0; self.dim()])
    }

    /// Whether what was read from elsewhere is a subspace of `dim` dimensions.
    pub fn fits(&self, dim: usize) -> bool {
        self.frame.fits(dim)
            && (1..=Self::LARGEST.min(dim)).contains(&self.dim())
            && self.rows.len().is_multiple_of(dim)
            && self.rows.iter().all(|e| e.is_finite())
    }
}
