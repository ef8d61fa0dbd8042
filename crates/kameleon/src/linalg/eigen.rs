//! Eigenpairs of symmetric matrices: all of a small one, the largest few of a large one.

use super::dot;
use super::orthonormal::remove_components;
use super::tridiagonal::tridiagonal_ql;

/// Up to this dimension Jacobi's method is used, which is as accurate as can be; beyond it, one that is many times faster.
const SMALL: usize = 32;

/// Leaves the eigenvalues of the symmetric `a` on its diagonal, and its unit eigenvectors in the rows of `vectors`: O(d³).
/// Of a matrix that is not finite, the diagonal and the identity.
pub fn eigen(a: &mut [f64], vectors: &mut [f64], d: usize) {
    vectors.fill(0.0);
    vectors.iter_mut().step_by(d + 1).for_each(|v| *v = 1.0);
    if d <= SMALL {
        jacobi(a, vectors, d);
    } else if a.iter().all(|a| a.is_finite()) {
        tridiagonal_ql(a, vectors, d);
    }
}

/// Jacobi's method, from the identity in `vectors`.
fn jacobi(a: &mut [f64], vectors: &mut [f64], d: usize) {
    let total: f64 = a.iter().map(|a| a * a).sum();
    for _sweep in 0..50 {
        let off: f64 = (0..d * d).filter(|k| k / d != k % d).map(|k| a[k] * a[k]).sum();
        if off <= 1e-30 * total || !off.is_finite() {
            return;
        }
        for p in 0..d {
            for q in p + 1..d {
                rotate(a, vectors, d, p, q);
            }
        }
    }
}

/// One Jacobi rotation: makes a_pq zero.
fn rotate(a: &mut [f64], vectors: &mut [f64], d: usize, p: usize, q: usize) {
    let apq = a[p * d + q];
    if apq == 0.0 {
        return;
    }
    let theta = (a[q * d + q] - a[p * d + p]) / (2.0 * apq);
    let t = theta.signum() / (theta.abs() + libm::hypot(theta, 1.0));
    let c = libm::hypot(t, 1.0).recip();
    let s = t * c;
    for k in 0..d {
        let (akp, akq) = (a[k * d + p], a[k * d + q]);
        (a[k * d + p], a[k * d + q]) = (c * akp - s * akq, s * akp + c * akq);
    }
    for k in 0..d {
        let (apk, aqk) = (a[p * d + k], a[q * d + k]);
        (a[p * d + k], a[q * d + k]) = (c * apk - s * aqk, s * apk + c * aqk);
        let (vp, vq) = (vectors[p * d + k], vectors[q * d + k]);
        (vectors[p * d + k], vectors[q * d + k]) = (c * vp - s * vq, s * vp + c * vq);
    }
}

/// The largest eigenvalues of the symmetric positive semi-definite `a` (n × n) and unit eigenvectors in the rows of
/// `basis` (m × n), by subspace iteration from what `basis` holds. Close to converged is enough for a proposal.
pub fn leading_eigenpairs(a: &[f64], n: usize, basis: &mut [f64], values: &mut [f64], work: &mut LeadingScratch) {
    let m = values.len();
    values.fill(0.0);
    for _round in 0..30 {
        orthonormalise(basis, n);
        for (image, vector) in work.image[..m * n].chunks_mut(n).zip(basis.chunks(n)) {
            for (image, row) in image.iter_mut().zip(a.chunks(n)) {
                *image = dot(row, vector);
            }
        }
        for i in 0..m {
            for j in 0..m {
                work.small[i * m + j] = dot(&basis[i * n..(i + 1) * n], &work.image[j * n..(j + 1) * n]);
            }
        }
        eigen(&mut work.small, &mut work.rotation, m);
        work.sort_descending(m);
        // The rotated images are the next basis; the rotated basis itself is the answer once this has settled.
        let settled = (0..m).all(|j| (work.sorted[j].0 - values[j]).abs() <= 1e-9 * work.sorted[0].0.abs());
        for (j, value) in values.iter_mut().enumerate() {
            *value = work.sorted[j].0;
        }
        let source = if settled { &*basis } else { &work.image };
        for (j, next) in work.next[..m * n].chunks_mut(n).enumerate() {
            let rotation = &work.rotation[work.sorted[j].1 * m..(work.sorted[j].1 + 1) * m];
            next.fill(0.0);
            for (weight, vector) in rotation.iter().zip(source.chunks(n)) {
                next.iter_mut().zip(vector).for_each(|(next, v)| *next += weight * v);
            }
        }
        basis.copy_from_slice(&work.next[..m * n]);
        if settled {
            break;
        }
    }
    orthonormalise(basis, n);
}

/// Room for [`leading_eigenpairs`].
#[derive(Clone, Debug, Default)]
pub struct LeadingScratch {
    image: Vec<f64>,
    next: Vec<f64>,
    small: Vec<f64>,
    rotation: Vec<f64>,
    sorted: Vec<(f64, usize)>,
}

impl LeadingScratch {
    /// For m eigenpairs of a matrix of at most n × n.
    pub fn new(n: usize, m: usize) -> Self {
        Self {
            image: vec![0.0; m * n],
            next: vec![0.0; m * n],
            small: vec![0.0; m * m],
            rotation: vec![0.0; m * m],
            sorted: vec![(0.0, 0); m],
        }
    }

    fn sort_descending(&mut self, m: usize) {
        for (j, slot) in self.sorted.iter_mut().enumerate() {
            *slot = (self.small[j * m + j], j);
        }
        self.sorted.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    }
}

/// Gram-Schmidt on the rows of `basis`, twice for accuracy. A row that vanishes stays zero.
fn orthonormalise(basis: &mut [f64], n: usize) {
    for i in 0..basis.len() / n {
        let (before, rest) = basis.split_at_mut(i * n);
        let row = &mut rest[..n];
        remove_components(row, before);
        remove_components(row, before);
        let norm = dot(row, row).sqrt();
        let scale = if norm > 1e-300 { norm.recip() } else { 0.0 };
        row.iter_mut().for_each(|r| *r *= scale);
    }
}
