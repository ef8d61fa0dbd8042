//! The kernel exp(−‖x − y‖²) between points and all candidates, a block of them at once.

use super::scale::{Scaled, Weighted};
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

    /// Σ_j w_j k(x_j, c) at every candidate c: the mean feature of the rows.
    pub fn means(&self, of: &Weighted) -> Vec<f64> {
        let mut means = Vec::with_capacity(self.len().next_multiple_of(BLOCK));
        for start in (0..self.len()).step_by(BLOCK) {
            let mut sums = Block::ZERO;
            add_rows(self.points.block(start), &of.rows, &of.weights, &mut sums);
            means.extend_from_slice(&sums[..]);
        }
        means.truncate(self.len());
        means
    }

    /// k(x, c) at the first candidates c, as many as there is room for.
    pub fn column(&self, x: &[f64], values: &mut [f64]) {
        for (k, values) in values.chunks_mut(BLOCK).enumerate() {
            let mut sums = Block::ZERO;
            add_rows(self.points.block(k * BLOCK), x, &[1.0], &mut sums);
            values.copy_from_slice(&sums[..values.len()]);
        }
    }
}

/// Adds w_j exp(−‖x_j − c‖²), summed over j, for each candidate c of a block.
#[multiversion(targets("x86_64+avx2+fma"))]
fn add_rows(block: &[Block], rows: &[f64], weights: &[f64], sums: &mut Block) {
    for start in (0..BLOCK).step_by(GROUP) {
        let mut group = [0.0; GROUP];
        for (x, weight) in rows.chunks_exact(block.len()).zip(weights) {
            let mut squares = [0.0; GROUP];
            for (c, x) in block.iter().zip(x) {
                for l in 0..GROUP {
                    let difference = c[start + l] - x;
                    squares[l] = difference.mul_add(difference, squares[l]);
                }
            }
            for l in 0..GROUP {
                group[l] = simd::exp(-squares[l]).mul_add(*weight, group[l]);
            }
        }
        for l in 0..GROUP {
            sums[start + l] += group[l];
        }
    }
}
