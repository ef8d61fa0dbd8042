//! The maximum mean discrepancy by random frequencies, in time linear in the number of draws.
//!
//! The squared discrepancy in a Gaussian kernel is the mean squared distance of the two characteristic functions, over
//! frequencies that are Gaussian themselves. So its relative error depends on the number of frequencies alone.

use super::scale::Weighted;
use super::single::{self, LANES, Lanes, Rows};
use multiversion::multiversion;
use rand::RngExt;
use rand_distr::StandardNormal;

/// How many frequencies there are.
const FREQUENCIES: usize = 1024;

/// Frequencies at which characteristic functions are compared, coordinate by coordinate and some of them at once.
pub(super) struct Frequencies {
    dim: usize,
    blocks: Vec<Lanes>,
}

/// The real and the imaginary part of a characteristic function at some frequencies.
type Parts = [[f64; LANES]; 2];

impl Frequencies {
    /// Frequencies for the kernel exp(−‖x − y‖²): normal, with variance 2.
    pub fn draw(dim: usize, rng: &mut crate::Rng) -> Self {
        let mut blocks = vec![Lanes::ZERO; FREQUENCIES / LANES * dim];
        for k in 0..FREQUENCIES {
            for lanes in &mut blocks[k / LANES * dim..][..dim] {
                lanes.0[k % LANES] = (std::f64::consts::SQRT_2 * rng.sample::<f64, _>(StandardNormal)) as f32;
            }
        }
        Self { dim, blocks }
    }

    /// The characteristic function of weighted rows.
    pub fn means(&self, of: &Weighted) -> Vec<Parts> {
        let rows = Rows::new(of, self.dim);
        self.blocks.chunks_exact(self.dim).map(|block| sum_rows(block, &rows)).collect()
    }

    /// The maximum mean discrepancy between samples with these characteristic functions.
    pub fn distance(&self, x: &[Parts], y: &[Parts]) -> f64 {
        let parts = x.as_flattened().as_flattened().iter().zip(y.as_flattened().as_flattened());
        (parts.map(|(x, y)| (x - y) * (x - y)).sum::<f64>() / FREQUENCIES as f64).sqrt()
    }
}

/// Σ_j w_j (cos, sin)(ω·x_j) for each frequency ω of a block.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
fn sum_rows(block: &[Lanes], rows: &Rows) -> Parts {
    let mut sums = [[0.0; LANES]; 2];
    for (rows, weights) in rows.runs() {
        let mut run = [Lanes::ZERO; 2];
        for (x, weight) in rows.chunks_exact(block.len()).zip(weights) {
            let mut angles = Lanes::ZERO.0;
            for (frequency, x) in block.iter().zip(x) {
                for l in 0..LANES {
                    angles[l] = frequency.0[l].mul_add(*x, angles[l]);
                }
            }
            for l in 0..LANES {
                let (sine, cosine) = single::sin_cos(angles[l]);
                run[0].0[l] = cosine.mul_add(*weight, run[0].0[l]);
                run[1].0[l] = sine.mul_add(*weight, run[1].0[l]);
            }
        }
        for l in 0..LANES {
            sums[0][l] += f64::from(run[0].0[l]);
            sums[1][l] += f64::from(run[1].0[l]);
        }
    }
    sums
}
