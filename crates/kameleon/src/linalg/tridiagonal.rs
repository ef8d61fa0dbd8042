//! Eigenpairs of a large symmetric matrix: Householder's reduction to a tridiagonal one, then QL steps with implicit shifts
//! (Golub & Van Loan, Matrix Computations, 8.3). All loops run along rows, so they vectorise.

use crate::simd;
use multiversion::multiversion;

/// QL steps for one eigenvalue; two or three are usual.
const MOST_STEPS: usize = 60;

/// Leaves the eigenvalues of `a` on its diagonal and the unit eigenvectors in the rows of `vectors`, which is the identity
/// before.
pub fn tridiagonal_ql(a: &mut [f64], vectors: &mut [f64], d: usize) {
    let mut off = vec![0.0; d];
    reduce(a, vectors, &mut off, d);
    let mut diagonal: Vec<f64> = a.iter().step_by(d + 1).copied().collect();
    for first in 0..d {
        for _step in 0..MOST_STEPS {
            let last = block_end(&diagonal, &off, first);
            if last == first {
                break;
            }
            ql_step(&mut diagonal, &mut off, vectors, first, last);
        }
    }
    a.iter_mut().step_by(d + 1).zip(diagonal).for_each(|(a, value)| *a = value);
}

/// Householder's reduction: the tridiagonal matrix QᵀAQ on the diagonal of `a` and in `off`, Qᵀ in `vectors`.
#[multiversion(targets("x86_64+avx2+fma"))]
fn reduce(a: &mut [f64], vectors: &mut [f64], off: &mut [f64], d: usize) {
    let mut v = vec![0.0; d];
    let mut p = vec![0.0; d];
    let mut betas = vec![0.0; d];
    for k in 0..d.saturating_sub(1) {
        let n = d - k - 1;
        let (v, p) = (&mut v[..n], &mut p[..n]);
        v.copy_from_slice(&a[k * d + k + 1..(k + 1) * d]);
        let rest = simd::dot(&v[1..], &v[1..]);
        if rest == 0.0 {
            off[k] = v[0];
            continue;
        }
        let length = (rest + v[0] * v[0]).sqrt();
        off[k] = if v[0] > 0.0 { -length } else { length };
        v[0] -= off[k];
        let beta = 2.0 / (rest + v[0] * v[0]);
        for (p, row) in p.iter_mut().zip(a[(k + 1) * d..].chunks_exact(d)) {
            *p = beta * simd::dot(&row[k + 1..], v);
        }
        let along = 0.5 * beta * simd::dot(p, v);
        p.iter_mut().zip(v.iter()).for_each(|(p, v)| *p -= along * v);
        for (i, row) in a[(k + 1) * d..].chunks_exact_mut(d).enumerate() {
            let (vi, pi) = (v[i], p[i]);
            for ((a, v), p) in row[k + 1..].iter_mut().zip(v.iter()).zip(p.iter()) {
                *a -= vi * p + pi * v;
            }
        }
        a[k * d + k + 1..(k + 1) * d].copy_from_slice(v);
        betas[k] = beta;
    }
    // Qᵀ = H_{d−2}…H_0, from the last: the rows up to k are then still those of the identity.
    for k in (0..d.saturating_sub(1)).rev().filter(|k| betas[*k] > 0.0) {
        let v = &a[k * d + k + 1..(k + 1) * d];
        for row in vectors[(k + 1) * d..].chunks_exact_mut(d) {
            let along = betas[k] * simd::dot(&row[k + 1..], v);
            row[k + 1..].iter_mut().zip(v).for_each(|(row, v)| *row -= along * v);
        }
    }
}

/// The last row of the block that starts at `first`: behind it, the element off the diagonal is negligible.
fn block_end(diagonal: &[f64], off: &[f64], first: usize) -> usize {
    let negligible = |i: &usize| off[*i].abs() <= f64::EPSILON * (diagonal[*i].abs() + diagonal[*i + 1].abs());
    (first..diagonal.len() - 1).find(negligible).unwrap_or(diagonal.len() - 1)
}

/// One QL step with implicit shift on the block from `first` to `last`.
fn ql_step(diagonal: &mut [f64], off: &mut [f64], vectors: &mut [f64], first: usize, last: usize) {
    let d = diagonal.len();
    let half = (diagonal[first + 1] - diagonal[first]) / (2.0 * off[first]);
    let root = libm::hypot(half, 1.0);
    let shift = off[first] / (half + if half < 0.0 { -root } else { root });
    let mut g = diagonal[last] - diagonal[first] + shift;
    let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
    for i in (first..last).rev() {
        let (f, b) = (s * off[i], c * off[i]);
        let r = libm::hypot(f, g);
        off[i + 1] = r;
        if r == 0.0 {
            // The matrix has come apart here.
            diagonal[i + 1] -= p;
            off[last] = 0.0;
            return;
        }
        (s, c) = (f / r, g / r);
        g = diagonal[i + 1] - p;
        let t = (diagonal[i] - g) * s + 2.0 * c * b;
        p = s * t;
        diagonal[i + 1] = g + p;
        g = c * t - b;
        let (upper, lower) = vectors[i * d..(i + 2) * d].split_at_mut(d);
        rotate(upper, lower, c, s);
    }
    diagonal[first] -= p;
    off[first] = g;
    off[last] = 0.0;
}

/// Turns two rows in their plane.
#[multiversion(targets("x86_64+avx2+fma"))]
fn rotate(upper: &mut [f64], lower: &mut [f64], c: f64, s: f64) {
    for (u, l) in upper.iter_mut().zip(lower) {
        (*u, *l) = (c * *u - s * *l, s * *u + c * *l);
    }
}
