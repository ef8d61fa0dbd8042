//! The dense linear algebra needed here, by `faer` on one thread in preallocated memory.
//!
//! Matrices are stored by columns. `faer` allocates a packing buffer per thread at its first product; nothing here
//! allocates after that.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor as llt;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::{matmul, triangular_solve};
use faer::{Accum, MatMut, MatRef, Par};

fn view(a: &[f64], rows: usize) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(a, rows, a.len() / rows)
}

fn view_mut(a: &mut [f64], rows: usize) -> MatMut<'_, f64> {
    let columns = a.len() / rows;
    MatMut::from_column_major_slice_mut(a, rows, columns)
}

/// out = A x for a square A; x and out may have several columns.
pub(crate) fn multiply(a: &[f64], x: &[f64], out: &mut [f64], n: usize) {
    matmul::matmul(view_mut(out, n), Accum::Replace, view(a, n), view(x, n), 1.0, Par::Seq);
}

/// xᵀz, summed in lanes so that it compiles to vector instructions.
pub(crate) fn dot(x: &[f64], z: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (xs, zs) = (x.chunks_exact(LANES), z.chunks_exact(LANES));
    let rest: f64 = xs.remainder().iter().zip(zs.remainder()).map(|(x, z)| x * z).sum();
    for (x, z) in xs.zip(zs) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * z[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// x += s z
pub(crate) fn add_scaled(x: &mut [f64], s: f64, z: &[f64]) {
    x.iter_mut().zip(z).for_each(|(x, z)| *x += s * z);
}

/// A square matrix and, once factored, the lower L of A = LLᵀ in its place.
pub(crate) struct Cholesky {
    n: usize,
    /// To be filled in before [`Cholesky::factor`]; only the lower triangle is used.
    pub(crate) entries: Vec<f64>,
    scratch: MemBuffer,
}

impl Cholesky {
    pub(crate) fn new(n: usize) -> Self {
        let request = llt::cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default());
        Self { n, entries: vec![0.0; n * n], scratch: MemBuffer::new(request) }
    }

    /// Factors in place; false if the matrix is not positive definite.
    pub(crate) fn factor(&mut self) -> bool {
        let matrix = MatMut::from_column_major_slice_mut(&mut self.entries, self.n, self.n);
        let stack = MemStack::new(&mut self.scratch);
        llt::cholesky_in_place(matrix, Default::default(), Par::Seq, stack, Default::default()).is_ok()
    }

    /// ½ log |A|
    pub(crate) fn half_log_det(&self) -> f64 {
        self.entries.iter().step_by(self.n + 1).map(|d| d.ln()).sum()
    }

    /// x ← L⁻¹x
    pub(crate) fn solve_lower(&self, x: &mut [f64]) {
        triangular_solve::solve_lower_triangular_in_place(view(&self.entries, self.n), view_mut(x, self.n), Par::Seq);
    }

    /// x ← L⁻ᵀx
    pub(crate) fn solve_upper(&self, x: &mut [f64]) {
        let upper = view(&self.entries, self.n).transpose();
        triangular_solve::solve_upper_triangular_in_place(upper, view_mut(x, self.n), Par::Seq);
    }

    /// out = L U, where the columns of U are n numbers each, `stride` apart.
    pub(crate) fn multiply_lower(&self, u: &[f64], stride: usize, out: &mut [f64]) {
        let columns = out.len() / self.n;
        let u = MatRef::from_column_major_slice_with_stride(u, self.n, columns, stride);
        let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        let l = view(&self.entries, self.n);
        triangular::matmul(view_mut(out, self.n), full, Accum::Replace, l, lower, u, full, 1.0, Par::Seq);
    }
}

impl Clone for Cholesky {
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone(), ..Self::new(self.n) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factor_solves_and_products_agree() {
        let n = 37;
        let mut factor = Cholesky::new(n);
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                a[j * n + i] = (-0.1 * (i as f64 - j as f64).powi(2)).exp() + if i == j { 0.5 } else { 0.0 };
            }
        }
        factor.entries.copy_from_slice(&a);
        assert!(factor.factor());
        let u: Vec<f64> = (0..2 * n).map(|i| (i as f64).sin()).collect();
        let (mut back, mut product) = (u.clone(), vec![0.0; 2 * n]);
        factor.solve_lower(&mut back);
        factor.solve_upper(&mut back);
        multiply(&a, &back, &mut product, n);
        let mut lower = vec![0.0; 2 * n];
        factor.multiply_lower(&u, n, &mut lower);
        factor.solve_lower(&mut lower);
        for i in 0..2 * n {
            assert!((product[i] - u[i]).abs() < 1e-12);
            assert!((lower[i] - u[i]).abs() < 1e-12);
        }
    }

    #[test]
    fn an_indefinite_or_undefined_matrix_has_no_factor() {
        for entry in [-1.0, f64::NAN, f64::INFINITY] {
            let mut factor = Cholesky::new(2);
            factor.entries.copy_from_slice(&[1.0, 0.0, 0.0, entry]);
            assert!(!factor.factor(), "{entry}");
        }
    }
}
