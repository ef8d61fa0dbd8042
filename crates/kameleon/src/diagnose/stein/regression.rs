//! Least squares on many columns, with a constant, for several right-hand sides.

use crate::linalg::{add_to_diagonal, cholesky, mirror, solve_lower};

/// The rows, standardised, and the factor of their correlation matrix.
pub struct Regression {
    /// The rows in units of their columns' standard deviations around their means, one after another.
    rows: Vec<f64>,
    width: usize,
    scales: Vec<f64>,
    factor: Vec<f64>,
}

impl Regression {
    /// On these rows; `ridge` is added to the diagonal of the correlation matrix. None if it cannot be inverted.
    pub fn new<'a>(rows: impl Iterator<Item = &'a [f64]>, ridge: f64) -> Option<Self> {
        let mut rows = rows.peekable();
        let width = rows.peek()?.len();
        let mut rows: Vec<f64> = rows.flatten().copied().collect();
        let count = (rows.len() / width) as f64;
        let column = |rows: &[f64], of: &dyn Fn(f64, usize) -> f64| {
            let mut sums = vec![0.0; width];
            rows.chunks_exact(width).for_each(|row| (0..width).for_each(|i| sums[i] += of(row[i], i) / count));
            sums
        };
        let means = column(&rows, &|v, _| v);
        let scales: Vec<f64> = column(&rows, &|v, i| (v - means[i]).powi(2)).iter().map(|v| v.sqrt()).collect();
        for row in rows.chunks_exact_mut(width) {
            // A column that is constant says nothing.
            (0..width).for_each(|i| row[i] = if scales[i] > 0.0 { (row[i] - means[i]) / scales[i] } else { 0.0 });
        }
        let mut factor = gram(&rows, width);
        factor.iter_mut().for_each(|entry| *entry /= count);
        add_to_diagonal(&mut factor, width, ridge);
        cholesky(&mut factor, width).then_some(Self { rows, width, scales, factor })
    }

    /// The coefficients of the columns for these values, one for each row.
    pub fn coefficients(&self, values: &[f64]) -> Vec<f64> {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let mut right = vec![0.0; self.width];
        for (row, value) in self.rows.chunks_exact(self.width).zip(values) {
            let value = (value - mean) / values.len() as f64;
            right.iter_mut().zip(row).for_each(|(right, entry)| *right += entry * value);
        }
        solve_lower(&self.factor, &mut right);
        solve_transposed(&self.factor, &mut right);
        right.iter_mut().zip(&self.scales).for_each(|(c, scale)| *c = if *scale > 0.0 { *c / scale } else { 0.0 });
        right
    }
}

/// The products of all pairs of columns, summed over rows.
fn gram(rows: &[f64], width: usize) -> Vec<f64> {
    let mut products = vec![0.0; width * width];
    for row in rows.chunks_exact(width) {
        for (i, value) in row.iter().enumerate() {
            let line = &mut products[i * width..=i * width + i];
            line.iter_mut().zip(row).for_each(|(product, other)| *product += value * other);
        }
    }
    mirror(&mut products, width);
    products
}

/// Replaces x by L⁻ᵀx.
fn solve_transposed(factor: &[f64], x: &mut [f64]) {
    let d = x.len();
    for i in (0..d).rev() {
        x[i] /= factor[i * d + i];
        let (before, at) = x.split_at_mut(i);
        before.iter_mut().zip(&factor[i * d..i * d + i]).for_each(|(x, entry)| *x -= entry * at[0]);
    }
}
