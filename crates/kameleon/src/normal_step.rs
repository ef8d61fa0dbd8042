//! A Gaussian step N(x, R(x)) whose covariance depends on the point: its factor, its draws and its log ratio.

use crate::Rng;
use crate::linalg::{add_to_diagonal, cholesky, dot, log_diagonal, multiply_lower, solve_lower};
use rand::RngExt;
use rand_distr::StandardNormal;

/// R at a point.
#[derive(Clone, Debug)]
pub(crate) struct NormalStep {
    /// L with LLᵀ = R, row by row.
    pub factor: Vec<f64>,
    /// ln |L|
    log_factor: f64,
    /// Room for a difference of two points.
    difference: Vec<f64>,
}

impl NormalStep {
    pub fn new(dim: usize) -> Self {
        Self { factor: vec![0.0; dim * dim], log_factor: 0.0, difference: vec![0.0; dim] }
    }

    /// R = scale C + floor I: O(d³).
    pub fn factorise(&mut self, scale: f64, covariance: &[f64], floor: f64) {
        let d = self.difference.len();
        self.factor.iter_mut().zip(covariance).for_each(|(r, c)| *r = scale * c);
        add_to_diagonal(&mut self.factor, d, floor);
        if !cholesky(&mut self.factor, d) {
            // A function of the point only, the same in both directions, so the chain stays exact.
            self.factor.fill(0.0);
            add_to_diagonal(&mut self.factor, d, floor.sqrt());
        }
        self.log_factor = log_diagonal(&self.factor, d);
    }

    /// Draws y − x, its length multiplied with `length_factor`.
    pub fn draw(&self, length_factor: f64, rng: &mut Rng, y: &mut [f64]) {
        y.iter_mut().for_each(|y| *y = length_factor * rng.sample::<f64, _>(StandardNormal));
        multiply_lower(&self.factor, y);
    }

    /// R = ν² LLᵀ.
    pub fn set_factor(&mut self, nu: f64, factor: &[f64]) {
        self.factor.iter_mut().zip(factor).for_each(|(r, l)| *r = nu * l);
        self.log_factor = log_diagonal(&self.factor, self.difference.len());
    }

    /// ln N(x; y, R(y)) − ln N(y; x, R(x)) for a step from x, here, to y, `there`.
    pub fn log_ratio(&self, x: &[f64], y: &[f64], there: &mut Self, length_factor: f64) -> f64 {
        let mut difference = std::mem::take(&mut there.difference);
        let mut log_density = |at: &Self| {
            difference.iter_mut().zip(x).zip(y).for_each(|((d, x), y)| *d = y - x);
            at.log_density(&mut difference, length_factor)
        };
        let ratio = log_density(there) - log_density(self);
        there.difference = difference;
        ratio
    }

    /// The same for steps whose means are shifted: ln N(x; y + b(y), R(y)) − ln N(y; x + b(x), R(x)), where each point is given
    /// with its b.
    pub fn log_ratio_with_drift(
        &self,
        (x, shift_x): (&[f64], &[f64]),
        (y, shift_y): (&[f64], &[f64]),
        there: &mut Self,
    ) -> f64 {
        let mut difference = std::mem::take(&mut there.difference);
        let mut log_density = |at: &Self, (from, shift): (&[f64], &[f64]), to: &[f64]| {
            let points = difference.iter_mut().zip(from).zip(shift).zip(to);
            points.for_each(|(((d, from), shift), to)| *d = to - from - shift);
            at.log_density(&mut difference, 1.0)
        };
        let ratio = log_density(there, (y, shift_y), x) - log_density(self, (x, shift_x), y);
        there.difference = difference;
        ratio
    }

    /// ln N(`difference`; 0, R), up to a constant; the difference is overwritten.
    fn log_density(&self, difference: &mut [f64], length_factor: f64) -> f64 {
        solve_lower(&self.factor, difference);
        -self.log_factor - 0.5 * dot(difference, difference) / (length_factor * length_factor)
    }
}
