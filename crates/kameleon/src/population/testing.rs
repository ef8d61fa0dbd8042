//! A problem with a known answer for the tests of stages.

use super::{Prior, Stage};
use crate::Rng;
use crate::population::particles::Particles;
use rand::RngExt;
use rand_distr::StandardNormal;

/// Gaussians in a box: centre, standard deviation, weight.
pub struct Gaussians {
    pub half_width: f64,
    pub modes: Vec<(Vec<f64>, f64, f64)>,
}

impl Gaussians {
    /// One in the middle of a box of ±10.
    pub fn one(d: usize) -> Self {
        Self { half_width: 10.0, modes: vec![(vec![1.0; d], 0.5, 1.0)] }
    }

    /// A wide one of weight .3 and a narrow one of weight .7.
    pub fn two(d: usize) -> Self {
        Self { half_width: 10.0, modes: vec![(vec![-4.0; d], 1.0, 0.3), (vec![4.0; d], 0.4, 0.7)] }
    }

    pub fn log_likelihood(&self, x: &[f64]) -> f64 {
        let of = |(centre, sd, weight): &(Vec<f64>, f64, f64)| {
            let log = |(x, m): (&f64, &f64)| -0.5 * ((x - m) / sd).powi(2) - (sd * std::f64::consts::TAU.sqrt()).ln();
            weight.ln() + x.iter().zip(centre).map(log).sum::<f64>()
        };
        crate::diagnose::log_sum_exp(self.modes.iter().map(of))
    }

    /// The likelihood integrates to one, but for what is outside of the box.
    pub fn log_z(&self) -> f64 {
        -(self.dim() as f64) * (2.0 * self.half_width).ln()
    }

    /// Values at the points that a stage proposed, with noise of this standard deviation.
    pub fn values(&self, points: Vec<f64>, noise: f64, rng: &mut Rng) -> Particles {
        let mut told = Particles::proposed(points, self);
        for i in 0..told.len() {
            let e: f64 = rng.sample(StandardNormal);
            if told.log_prior[i].is_finite() {
                told.log_likelihood[i] = self.log_likelihood(told.point(i)) + noise * e - 0.5 * noise * noise;
            }
        }
        told
    }

    /// Runs a stage to its end.
    pub fn run(&self, stage: &mut dyn Stage, noise: f64, rng: &mut Rng) {
        while let Some(points) = stage.propose(self, rng) {
            let told = self.values(points, noise, rng);
            stage.learn(told, self, rng);
        }
    }
}

impl Prior for Gaussians {
    fn dim(&self) -> usize {
        self.modes[0].0.len()
    }

    fn draw(&self, rng: &mut Rng, x: &mut [f64]) {
        x.iter_mut().for_each(|x| *x = rng.random_range(-self.half_width..self.half_width));
    }

    fn log_density(&self, x: &[f64]) -> f64 {
        if x.iter().all(|x| x.abs() <= self.half_width) { self.log_z() } else { f64::NEG_INFINITY }
    }
}
