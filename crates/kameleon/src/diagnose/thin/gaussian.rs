//! The kernel exp(−‖x − y‖²) between points and all candidates, a block of them at once.

use super::scale::{Scaled, Weighted};
use super::single::{self, LANES, Lanes, Rows, single};
use crate::points::Points;
use crate::simd::{self, BLOCK, Block};
use multiversion::multiversion;

/// How many candidates are worked on in registers.
const GROUP: usize = 16;

/// The draws that may be kept.
pub(super) struct Candidates {
    points: Points,
}

impl Candidates {
    /// Some of the draws.
    pub fn new(draws: &Scaled, slots: &[usize]) -> Self {
        let mut points = Points::new(draws.dim, slots.len());
        slots.iter().for_each(|slot| points.push(draws.row(*slot)));
        Self { points }
    }

    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Where a candidate is.
    pub fn place(&self, slot: usize) -> Vec<f64> {
        let mut x = vec![0.0; self.points.dim()];
        self.points.get(slot, &mut x);
        x
    }

    /// The same candidates in another order, or fewer of them.
    pub fn select(&self, slots: &[usize]) -> Self {
        let mut points = Points::new(self.points.dim(), slots.len());
        slots.iter().for_each(|slot| points.push(&self.place(*slot)));
        Self { points }
    }

    /// Σ_j w_j k(x_j, c) at every candidate c: the mean feature of the rows, in single precision.
    pub fn means(&self, of: &Weighted) -> Vec<f64> {
        let dim = self.points.dim();
        let rows = Rows::new(of, dim);
        let mut means = Vec::with_capacity(self.len().next_multiple_of(LANES));
        let mut block = vec![Lanes::ZERO; dim];
        for start in (0..self.len()).step_by(LANES) {
            for l in 0..LANES.min(self.len() - start) {
                block.iter_mut().zip(&self.place(start + l)).for_each(|(lanes, c)| lanes.0[l] = single(c));
            }
            means.extend_from_slice(&sum_rows(&block, &rows));
        }
        means.truncate(self.len());
        means
    }

    /// k(x, c) at the first candidates c, as many as there is room for.
    pub fn column(&self, x: &[f64], values: &mut [f64]) {
        for (k, values) in values.chunks_mut(BLOCK).enumerate() {
            let mut block = Block::ZERO;
            kernels(self.points.block(k * BLOCK), x, &mut block);
            values.copy_from_slice(&block[..values.len()]);
        }
    }
}

/// Σ_j w_j exp(−‖x_j − c‖²) for each candidate c of a block, of which there is a coordinate after another.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
fn sum_rows(block: &[Lanes], rows: &Rows) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    for (rows, weights) in rows.runs() {
        let mut run = Lanes::ZERO;
        for (x, weight) in rows.chunks_exact(block.len()).zip(weights) {
            let mut squares = Lanes::ZERO.0;
            for (c, x) in block.iter().zip(x) {
                for l in 0..LANES {
                    let difference = c.0[l] - x;
                    squares[l] = difference.mul_add(difference, squares[l]);
                }
            }
            for l in 0..LANES {
                run.0[l] = single::exp(-squares[l]).mul_add(*weight, run.0[l]);
            }
        }
        for l in 0..LANES {
            sums[l] += f64::from(run.0[l]);
        }
    }
    sums
}

/// exp(−‖x − c‖²) for each candidate c of a block.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
fn kernels(block: &[Block], x: &[f64], values: &mut Block) {
    for start in (0..BLOCK).step_by(GROUP) {
        let mut squares = [0.0; GROUP];
        for (c, x) in block.iter().zip(x) {
            for l in 0..GROUP {
                let difference = c[start + l] - x;
                squares[l] = difference.mul_add(difference, squares[l]);
            }
        }
        for l in 0..GROUP {
            values[start + l] = simd::exp(-squares[l]);
        }
    }
}
