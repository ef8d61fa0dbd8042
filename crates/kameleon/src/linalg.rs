//! Small dense linear algebra in place, on row-by-row slices: what one step of a chain needs, without allocating.

mod eigen;
mod orthonormal;
mod rows;
mod tridiagonal;

pub use eigen::{LeadingScratch, eigen, leading_eigenpairs};
pub use orthonormal::{are_orthonormal, orthonormal_rows};
pub use rows::{multiply_rows, solve_lower_rows, squared_rows};

use crate::simd;
use multiversion::multiversion;

/// Replaces the symmetric `a` by its lower Cholesky factor, the upper part by zeros.
/// False, with `a` in an unspecified state, if `a` is not positive definite (or not finite).
#[must_use]
#[multiversion(targets("x86_64+avx2+fma"))]
pub fn cholesky(a: &mut [f64], d: usize) -> bool {
    for i in 0..d {
        let (above, row) = a.split_at_mut(i * d);
        for j in 0..i {
            let sum = simd::dot(&row[..j], &above[j * d..j * d + j]);
            row[j] = (row[j] - sum) / above[j * d + j];
        }
        let pivot = row[i] - simd::dot(&row[..i], &row[..i]);
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        row[i] = pivot.sqrt();
        row[i + 1..d].fill(0.0);
    }
    true
}

/// ⟨a, b⟩
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Replaces x by L⁻¹x.
#[multiversion(targets("x86_64+avx2+fma"))]
pub fn solve_lower(factor: &[f64], x: &mut [f64]) {
    let d = x.len();
    for i in 0..d {
        let row = &factor[i * d..(i + 1) * d];
        x[i] = (x[i] - simd::dot(&row[..i], &x[..i])) / row[i];
    }
}

/// Replaces x by L⁻ᵀx.
pub fn solve_lower_transpose(factor: &[f64], x: &mut [f64]) {
    let d = x.len();
    for i in (0..d).rev() {
        let row = &factor[i * d..(i + 1) * d];
        x[i] /= row[i];
        let found = x[i];
        x[..i].iter_mut().zip(row).for_each(|(x, l)| *x -= found * l);
    }
}

/// Replaces x by Lᵀx.
pub fn multiply_lower_transpose(factor: &[f64], x: &mut [f64]) {
    let d = x.len();
    for i in 0..d {
        let row = &factor[i * d..(i + 1) * d];
        let below = x[i];
        x[i] = below * row[i];
        x[..i].iter_mut().zip(row).for_each(|(x, l)| *x += below * l);
    }
}

/// Replaces x by Lx.
#[multiversion(targets("x86_64+avx2+fma"))]
pub fn multiply_lower(factor: &[f64], x: &mut [f64]) {
    let d = x.len();
    for i in (0..d).rev() {
        x[i] = simd::dot(&factor[i * d..i * d + i + 1], &x[..=i]);
    }
}

/// Writes LLᵀ to `product`.
pub fn times_transpose(factor: &[f64], d: usize, product: &mut [f64]) {
    for (k, p) in product.iter_mut().enumerate() {
        let (i, j) = (k / d, k % d);
        *p = dot(&factor[i * d..(i + 1) * d], &factor[j * d..(j + 1) * d]);
    }
}

/// Adds `value` to every number on the diagonal of `a`.
pub fn add_to_diagonal(a: &mut [f64], d: usize, value: f64) {
    a.iter_mut().step_by(d + 1).for_each(|a| *a += value);
}

/// Copies the lower triangle to the upper.
pub fn mirror(a: &mut [f64], d: usize) {
    for i in 0..d {
        for j in 0..i {
            a[j * d + i] = a[i * d + j];
        }
    }
}

/// ln |L|: half the log determinant of LLᵀ.
pub fn log_diagonal(factor: &[f64], d: usize) -> f64 {
    (0..d).map(|i| libm::log(factor[i * d + i])).sum()
}

/// Where row `r` of a packed lower triangle starts; of the row past the last, how many entries it has.
#[inline(always)]
pub fn packed_row(r: usize) -> usize {
    r * (r + 1) / 2
}

/// Writes the packed inverse of the lower triangular `factor`, d × d.
pub fn invert_lower(factor: &[f64], inverse: &mut [f64], d: usize) {
    for r in 0..d {
        let pivot = 1.0 / factor[r * d + r];
        for c in 0..r {
            let sum: f64 = (c..r).map(|k| factor[r * d + k] * inverse[packed_row(k) + c]).sum();
            inverse[packed_row(r) + c] = -sum * pivot;
        }
        inverse[packed_row(r) + r] = pivot;
    }
}

/// Turns L with LLᵀ = A into that of A + vvᵀ by plane rotations; `v` is used up.
pub fn cholesky_add(factor: &mut [f64], v: &mut [f64]) {
    let d = v.len();
    for k in 0..d {
        let pivot = factor[k * d + k];
        let r = libm::hypot(pivot, v[k]);
        if r == 0.0 {
            continue;
        }
        let (cosine, sine) = (pivot / r, v[k] / r);
        factor[k * d + k] = r;
        for i in k + 1..d {
            let (l, w) = (factor[i * d + k], v[i]);
            factor[i * d + k] = cosine * l + sine * w;
            v[i] = cosine * w - sine * l;
        }
    }
}
