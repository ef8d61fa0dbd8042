//! Sweeps with everything frozen leave their level as it is (Gandy & Scott 2020), and those without their ratio do not.
//!
//! 16,000 replicates start at exact draws of the banana and make ten sweeps; they are independent, so the p-values are exact. An
//! alarm at p < 1e-6, two statistics for each kind of move: 1e-5 false alarms, and the seeds are fixed.

use super::*;
use crate::diagnose::kolmogorov_smirnov_uniform;
use crate::population::settings::Moves;
use crate::random::{Purpose, stream};
use crate::target::{Banana, Known};

const REPLICATES: usize = 16_000;
const SWEEPS: usize = 10;
const ALARM: f64 = 1e-6;
const VARIANCE: f64 = 25.0;
/// The likelihood is the banana to the power 1/β, so that the level of β is the banana.
const BETA: f64 = 0.4;

fn log_banana(x: &[f64]) -> f64 {
    let bent = x[1] - 0.1 * (x[0] * x[0] - VARIANCE);
    -0.5 * (x[0] * x[0] / VARIANCE + bent * bent)
}

fn particles(points: Vec<f64>) -> Particles {
    let log_likelihood: Vec<f64> = points.chunks_exact(2).map(|x| log_banana(x) / BETA).collect();
    Particles { log_prior: vec![0.0; log_likelihood.len()], log_likelihood, points }
}

fn exact(count: usize, rng: &mut Rng) -> Particles {
    let banana = Banana::new(2, 0.1, VARIANCE).unwrap();
    let mut points = vec![0.0; 2 * count];
    points.chunks_exact_mut(2).for_each(|x| banana.sample(rng, x));
    particles(points)
}

/// The smallest p-value of what sweeps of one kind of move leave, and the share of accepted moves.
fn smallest_p(kind: Kind, meddle: impl Fn(&mut Proposed)) -> (f64, f64) {
    let mut rng = stream(1, 0, Purpose::Learn);
    let others = exact(300, &mut rng);
    let guide = Guide::new(&others, &vec![0.0; others.len()], &others, Moves::Kernel, &mut rng);
    let mut states = exact(REPLICATES, &mut rng);
    let mut shares = [0.0; 5];
    shares[kind as usize] = 1.0;
    let mut counts = Counts::default();
    for _ in 0..SWEEPS {
        let mut points = Vec::new();
        let mut proposed = propose_by(&shares, &states, &guide, &[1.0; 5], &mut rng, &mut points);
        proposed.iter_mut().for_each(&meddle);
        accept(&mut states, &proposed, &particles(points), 0, BETA, &mut counts);
    }
    let banana = Banana::new(2, 0.1, VARIANCE).unwrap();
    let ends = || states.points.chunks_exact(2);
    let mut levels: Vec<f64> = ends().map(|x| banana.level(x)).collect();
    let mut first: Vec<f64> = ends().map(|x| 0.5 * libm::erfc(-x[0] / (2.0 * VARIANCE).sqrt())).collect();
    let p = kolmogorov_smirnov_uniform(&mut levels).min(kolmogorov_smirnov_uniform(&mut first));
    let (made, accepted) = counts[kind as usize];
    (p, accepted / made)
}

#[test]
fn frozen_sweeps_of_every_kind_leave_the_level_as_it_is() {
    for kind in KINDS {
        let (p, accepted) = smallest_p(kind, |_| {});
        assert!(p > ALARM && (0.05..0.95).contains(&accepted), "{kind:?}: p = {p}, {accepted} accepted");
    }
}

#[test]
fn moves_whose_ratio_was_left_out_are_caught() {
    for kind in [Kind::Independent, Kind::WalkByComponent, Kind::KernelStep] {
        let (p, _) = smallest_p(kind, |proposed| proposed.log_ratio = 0.0);
        assert!(p < ALARM, "{kind:?}: p = {p}");
    }
}
