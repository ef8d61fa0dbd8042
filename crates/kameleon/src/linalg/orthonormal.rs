//! Rows of unit length at right angles to each other.

use super::dot;

/// A row depends on those before it if no more than this share of its length is at right angles to them.
const DEPENDENT: f64 = 1e-8;
/// What is called orthonormal, as the largest error of an inner product.
const TOLERANCE: f64 = 1e-10;

/// An orthonormal basis of the rows of length `d` (Gram-Schmidt in two passes: after one, what is left of a nearly dependent
/// row is not at right angles to the others). Rows that depend on those before them, or are not finite, are left out.
pub fn orthonormal_rows(rows: &[f64], d: usize) -> Vec<f64> {
    let mut basis: Vec<f64> = Vec::with_capacity(rows.len());
    for row in rows.chunks_exact(d) {
        let mut row = row.to_vec();
        let whole = normalise(&mut row) > 0.0 && {
            remove_components(&mut row, &basis);
            normalise(&mut row) > DEPENDENT
        };
        if whole {
            remove_components(&mut row, &basis);
            normalise(&mut row);
            basis.extend_from_slice(&row);
        }
    }
    basis
}

/// Whether the rows of length `d` are orthonormal, up to rounding.
pub fn are_orthonormal(rows: &[f64], d: usize) -> bool {
    rows.chunks_exact(d).enumerate().all(|(i, a)| {
        let expected = |j: usize| if i == j { 1.0 } else { 0.0 };
        rows.chunks_exact(d).enumerate().all(|(j, b)| (dot(a, b) - expected(j)).abs() <= TOLERANCE)
    })
}

/// Takes from a row its components along the rows of an orthonormal basis, one after another.
pub(super) fn remove_components(row: &mut [f64], basis: &[f64]) {
    for other in basis.chunks_exact(row.len()) {
        let overlap = dot(other, row);
        row.iter_mut().zip(other).for_each(|(r, o)| *r -= overlap * o);
    }
}

/// Brings a row to unit length, if it is finite, and tells the length it had; zero if it is not finite.
fn normalise(row: &mut [f64]) -> f64 {
    let length = dot(row, row).sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return 0.0;
    }
    row.iter_mut().for_each(|e| *e /= length);
    length
}
