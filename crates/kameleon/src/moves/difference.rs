//! A step of differential evolution: along the difference of two points of the history.

use super::{Local, Move, Setting, from_point, gelman_nu2};
use crate::Rng;
use crate::simd::BLOCK;
use rand::RngExt;
use rand_distr::StandardNormal;

/// The size of the noise that makes every point reachable, in units of the step.
const NOISE: f64 = 1e-3;

/// A step along the difference of two points of the history.
pub struct Difference;

impl Move for Difference {
    fn name(&self) -> &'static str {
        "differential evolution"
    }

    fn initial_nu2(&self, dim: usize) -> Option<f64> {
        Some(gelman_nu2(2 * dim))
    }

    fn draw(&self, with: &Setting<'_>, x: &[f64], _at: &Local, rng: &mut Rng, y: &mut [f64]) {
        let Some(history) = &with.model.history else { return y.copy_from_slice(x) };
        let (z, length) = (&history.z, with.length());
        let n = z.len();
        let a = rng.random_range(0..n);
        let b = (a + rng.random_range(1..n)) % n;
        let (block_a, block_b) = (z.block(a), z.block(b));
        let (lane_a, lane_b) = (a % BLOCK, b % BLOCK);
        for (i, y) in y.iter_mut().enumerate() {
            let noise = NOISE * rng.sample::<f64, _>(StandardNormal);
            *y = length * (block_a[i][lane_a] - block_b[i][lane_b] + noise);
        }
        history.frame.direction(y);
        from_point(x, y);
    }
}
