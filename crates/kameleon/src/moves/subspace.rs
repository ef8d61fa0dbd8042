//! The directions in which subspace moves are made.
//!
//! With u = A⁻¹(x − m) the white coordinates and E orthonormal rows, s = Eu are the coordinates that a move changes; the
//! others, at right angles to them in the white frame, stay as they are.

use super::frame::Frame;
use crate::linalg::{are_orthonormal, dot, multiply_lower, orthonormal_rows, solve_lower};
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

    /// The directions of these rows in the white frame, made orthonormal; none if none is left. A row that depends on those
    /// before it, or is not finite, is left out: moves are exact only while the rows are orthonormal.
    pub(crate) fn new(frame: Frame, rows: &[f64]) -> Option<Self> {
        let rows = orthonormal_rows(rows, frame.dim());
        (!rows.is_empty()).then_some(Self { frame, rows })
    }

    /// The same directions in another white frame, in which what is at right angles to them is another; fewer, or none, if
    /// they can hardly be told apart there.
    pub fn in_frame(&self, metric: &Frame) -> Option<Self> {
        let mut rows = self.rows.clone();
        for row in rows.chunks_exact_mut(metric.dim()) {
            multiply_lower(&self.frame.factor, row);
            solve_lower(&metric.factor, row);
        }
        Self::new(metric.clone(), &rows)
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
            && are_orthonormal(&self.rows, dim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame in which the white directions of the first two coordinates are nearly parallel by the target's units.
    fn skewed(by: f64) -> Frame {
        Frame { origin: vec![0.0; 3], factor: vec![1.0, 0.0, 0.0, by, 1.0, 0.0, 0.3 * by, 0.3, 1.0] }
    }

    #[test]
    fn in_another_frame_the_rows_are_orthonormal_or_left_out() {
        let other = Frame::raw(vec![0.0; 3]);
        for by in [1.0, 1e3, 1e6, 3e7, 1e9, 1e12, 1e15, 1e18] {
            let subspace = Subspace::new(skewed(by), &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0]).unwrap();
            let moved = subspace.in_frame(&other).unwrap();
            assert!(are_orthonormal(moved.rows(), 3), "{by}: {:?}", moved.rows());
            assert_eq!(moved.dim(), if by < 1e9 { 2 } else { 1 }, "{by}");
        }
    }

    #[test]
    fn a_subspace_whose_rows_are_not_orthonormal_is_refused() {
        let frame = Frame::raw(vec![0.0; 3]);
        let with = |rows: &[f64]| Subspace { frame: frame.clone(), rows: rows.to_vec() }.fits(3);
        assert!(with(&[0.6, 0.8, 0.0, 0.8, -0.6, 0.0]));
        for rows in [[0.6, 0.8, 0.0, 0.8, -0.6, 1e-3], [1.0, 0.0, 0.0, 1.0, 0.0, 0.0], [f64::NAN; 6], [0.0; 6]] {
            assert!(!with(&rows), "{rows:?}");
        }
    }

    #[test]
    fn directions_that_are_not_finite_leave_no_subspace() {
        assert!(Subspace::new(Frame::raw(vec![0.0; 2]), &[f64::NAN, 1.0]).is_none());
        assert!(Subspace::new(Frame::raw(vec![0.0; 2]), &[0.0, 0.0]).is_none());
    }
}
