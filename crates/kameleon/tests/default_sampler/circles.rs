//! Coordinates that are circles: the default sampler leaves a target on them as it is, and its cuts move away from the mass.

use crate::common::replicates::*;
use crate::common::{default_sampler, learned};
use kameleon::circles::{Circles, coordinate, log_slope, place};
use kameleon::moves::Local;
use kameleon::proposal::Kameleon;
use kameleon::target::Known;
use kameleon::*;
use rand::RngExt;
use rand_distr::StandardNormal;
use std::f64::consts::TAU;

/// Two angles of von Mises laws of these concentrations around these places, and a number that is normal around the sine of the first.
#[derive(Clone)]
struct Torus {
    modes: [f64; 2],
    concentrations: [f64; 2],
}

/// The first mode is at the cut of the coordinates themselves.
const TORUS: Torus = Torus { modes: [0.01, 0.4], concentrations: [6.0, 0.7] };
const SD: f64 = 0.5;

impl Torus {
    /// The number at its distance from the sine, in standard deviations.
    fn score(x: &[f64]) -> f64 {
        (x[2] - (TAU * place(x[0])).sin()) / SD
    }
}

impl Target for Torus {
    fn dim(&self) -> Option<usize> {
        Some(3)
    }

    fn log_density(&mut self, x: &[f64], _noise: Noise<'_>) -> Evaluation {
        let angle = |i: usize| self.concentrations[i] * (TAU * (place(x[i]) - self.modes[i])).cos() + log_slope(x[i]);
        Ok(angle(0) + angle(1) - 0.5 * Self::score(x).powi(2))
    }
}

impl Known for Torus {
    /// By rejection.
    fn sample(&self, rng: &mut Rng, x: &mut [f64]) {
        for i in 0..2 {
            x[i] = loop {
                let p = rng.random::<f64>();
                let log = self.concentrations[i] * ((TAU * (p - self.modes[i])).cos() - 1.0);
                if rng.random::<f64>() < log.exp() {
                    break coordinate(p);
                }
            };
        }
        x[2] = (TAU * place(x[0])).sin() + SD * rng.sample::<f64, _>(StandardNormal);
    }

    fn mean(&self) -> Vec<f64> {
        vec![f64::NAN; 3]
    }

    fn total_variance(&self) -> f64 {
        f64::NAN
    }

    fn level(&self, x: &[f64]) -> f64 {
        place(Self::score(x))
    }
}

fn with_circles() -> Kameleon {
    let mut proposal = default_sampler(3, 3000, 100);
    proposal.set_circles(Circles::random(&[0, 1], 5));
    proposal
}

#[test]
fn the_default_leaves_a_torus() {
    holds(with_circles(), TORUS);
}

#[test]
fn the_cut_of_a_circle_with_a_mode_is_learned() {
    let proposal = learned(with_circles(), &mut TORUS.clone(), 3000);
    let mut mode = [coordinate(TORUS.modes[0]), 0.0, 0.0];
    proposal.fit().circles.turn(&mut mode);
    // Seen from the cut, the mode is near the middle.
    assert!((place(mode[0]) - 0.5).abs() < 0.15, "{mode:?}");
    assert!(proposal.fit().model.density.is_some());
}

/// Leaves this share of the slope of turned coordinates out of the ratio; jumps are judged alone.
#[derive(Clone)]
struct NoSlope(Kameleon, f64);

impl Proposal for NoSlope {
    type Local = Local;

    fn allocate(&self, dim: usize) -> Local {
        self.0.allocate(dim)
    }

    fn locate(&self, x: &[f64], at: &mut Local) {
        self.0.locate(x, at);
    }

    fn draw(&self, x: &[f64], at: &mut Local, rng: &mut Rng, y: &mut [f64]) -> usize {
        self.0.draw(x, at, rng, y)
    }

    fn log_ratio(&self, x: &[f64], at_x: &Local, y: &[f64], at_y: &mut Local, component: usize) -> f64 {
        let right = self.0.log_ratio(x, at_x, y, at_y, component);
        right - self.1 * (at_x.log_slope() - at_y.log_slope())
    }

    fn adapt(&mut self, _x: &[f64], _at: &mut Local, _step: &Step, _rng: &mut Rng) {}

    fn scale(&self) -> f64 {
        self.0.scale()
    }
}

#[test]
fn a_sampler_that_leaves_out_the_slope_is_caught() {
    let proposal = learned(with_circles(), &mut TORUS.clone(), 3000);
    let p = exact_p(&NoSlope(proposal.clone(), 0.0), &TORUS);
    assert!(p > ALARM, "p = {p}");
    let p = exact_p(&NoSlope(proposal, 1.0), &TORUS);
    assert!(p < ALARM, "p = {p}");
}
