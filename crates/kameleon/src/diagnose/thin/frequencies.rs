//! The maximum mean discrepancy by random frequencies, in time linear in the number of draws.
//!
//! The squared discrepancy in a Gaussian kernel is the mean squared distance of the two characteristic functions, over
//! frequencies that are Gaussian themselves. So its relative error depends on the number of frequencies alone.

use super::scale::Weighted;
use crate::points::Points;
use crate::simd::{self, BLOCK, Block};
use multiversion::multiversion;
use rand::RngExt;
use rand_distr::StandardNormal;

/// How many frequencies there are.
const FREQUENCIES: usize = 1024;
/// How many are worked on in registers.
const GROUP: usize = 8;

/// Frequencies at which characteristic functions are compared.
pub(super) struct Frequencies(Points);

impl Frequencies {
    /// Frequencies for the kernel exp(−‖x − y‖²): normal, with variance 2.
    pub fn draw(dim: usize, rng: &mut crate::Rng) -> Self {
        let mut points = Points::new(dim, FREQUENCIES);
        for _ in 0..FREQUENCIES {
            let normal = |_| std::f64::consts::SQRT_2 * rng.sample::<f64, _>(StandardNormal);
            points.push(&(0..dim).map(normal).collect::<Vec<f64>>());
        }
        Self(points)
    }

    /// The characteristic function of weighted rows: its real and imaginary parts, block by block.
    pub fn means(&self, of: &Weighted) -> Vec<[Block; 2]> {
        let block = |start| {
            let mut sums = [Block::ZERO; 2];
            add_rows(self.0.block(start), &of.rows, &of.weights, &mut sums);
            sums
        };
        (0..FREQUENCIES).step_by(BLOCK).map(block).collect()
    }

    /// The maximum mean discrepancy between samples with these characteristic functions.
    pub fn distance(&self, x: &[[Block; 2]], y: &[[Block; 2]]) -> f64 {
        let parts = x.as_flattened().iter().zip(y.as_flattened());
        let squares = parts.flat_map(|(x, y)| x.iter().zip(y.iter())).map(|(x, y)| (x - y) * (x - y));
        (squares.sum::<f64>() / FREQUENCIES as f64).sqrt()
    }
}

/// Adds w_j (cos, sin)(ω·x_j), summed over j, for each frequency ω of a block.
#[multiversion(targets("x86_64+avx2+fma"))]
fn add_rows(block: &[Block], rows: &[f64], weights: &[f64], sums: &mut [Block; 2]) {
    for start in (0..BLOCK).step_by(GROUP) {
        let mut group = [[0.0; GROUP]; 2];
        for (x, weight) in rows.chunks_exact(block.len()).zip(weights) {
            let mut angles = [0.0; GROUP];
            for (frequency, x) in block.iter().zip(x) {
                for l in 0..GROUP {
                    angles[l] = frequency[start + l].mul_add(*x, angles[l]);
                }
            }
            for l in 0..GROUP {
                let (sine, cosine) = simd::sin_cos(angles[l]);
                group[0][l] = cosine.mul_add(*weight, group[0][l]);
                group[1][l] = sine.mul_add(*weight, group[1][l]);
            }
        }
        for l in 0..GROUP {
            sums[0][start + l] += group[0][l];
            sums[1][start + l] += group[1][l];
        }
    }
}
