//! The Kameleon as plain loops over points: what the vectorised pass over z is measured against.

use kameleon::linalg::{cholesky, dot, log_diagonal, multiply_lower, solve_lower};
use kameleon::{Proposal, Rng, Step};
use rand::RngExt;
use rand_distr::StandardNormal;

/// The Gaussian kernel's Kameleon, frozen, one point of z after another. It keeps the factor of the current state, as the
/// real one does.
#[derive(Clone)]
pub struct ScalarKameleon {
    pub z: Vec<f64>,
    pub sigma: f64,
    pub gamma: f64,
    pub nu2: f64,
}

pub struct Local {
    factor: Vec<f64>,
    log_factor: f64,
    gradient: Vec<f64>,
    sum: Vec<f64>,
    difference: Vec<f64>,
}

impl Proposal for ScalarKameleon {
    type Local = Local;

    fn allocate(&self, dim: usize) -> Local {
        let row = || vec![0.0; dim];
        Local { factor: vec![0.0; dim * dim], log_factor: 0.0, gradient: row(), sum: row(), difference: row() }
    }

    fn locate(&self, x: &[f64], at: &mut Local) {
        let d = x.len();
        let n = (self.z.len() / d) as f64;
        let precision = 1.0 / (self.sigma * self.sigma);
        at.factor.fill(0.0);
        at.sum.fill(0.0);
        for z in self.z.chunks_exact(d) {
            let mut r2 = 0.0;
            for i in 0..d {
                at.gradient[i] = z[i] - x[i];
                r2 += at.gradient[i] * at.gradient[i];
            }
            let weight = 2.0 * precision * (-0.5 * precision * r2).exp();
            for i in 0..d {
                at.gradient[i] *= weight;
                at.sum[i] += at.gradient[i];
                for j in 0..=i {
                    at.factor[i * d + j] += at.gradient[i] * at.gradient[j];
                }
            }
        }
        for i in 0..d {
            for j in 0..=i {
                let s = at.factor[i * d + j] - at.sum[i] * at.sum[j] / n;
                at.factor[i * d + j] = self.nu2 * s + if i == j { self.gamma * self.gamma } else { 0.0 };
            }
        }
        assert!(cholesky(&mut at.factor, d));
        at.log_factor = log_diagonal(&at.factor, d);
    }

    fn draw(&self, x: &[f64], at: &mut Local, rng: &mut Rng, y: &mut [f64]) -> usize {
        y.iter_mut().for_each(|y| *y = rng.sample(StandardNormal));
        multiply_lower(&at.factor, y);
        y.iter_mut().zip(x).for_each(|(y, x)| *y += x);
        0
    }

    fn log_ratio(&self, x: &[f64], at_x: &Local, y: &[f64], at_y: &mut Local, _component: usize) -> f64 {
        self.locate(y, at_y);
        let mut difference = std::mem::take(&mut at_y.difference);
        let mut density = |at: &Local| {
            difference.iter_mut().zip(x).zip(y).for_each(|((d, x), y)| *d = y - x);
            solve_lower(&at.factor, &mut difference);
            -at.log_factor - 0.5 * dot(&difference, &difference)
        };
        let ratio = density(at_y) - density(at_x);
        at_y.difference = difference;
        ratio
    }

    fn adapt(&mut self, _x: &[f64], _at: &mut Local, _step: &Step, _rng: &mut Rng) {}

    fn scale(&self) -> f64 {
        self.nu2.sqrt()
    }
}
