//! One sweep of a ladder: a proposal for every particle, all in one batch, and which of them are accepted.

use super::guide::Guide;
use super::kernel_guide::KernelSteps;
use super::particles::Particles;
use crate::Rng;
use crate::linalg::multiply_lower;
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

/// How often each kind of move is made, in the order of [`Kind`]: usually, …
const SHARES: PerKind<f64> = [0.6, 0.15, 0.1, 0.15, 0.0];
/// … and where all local steps are kernel steps.
const KERNEL_SHARES: PerKind<f64> = [0.6, 0.0, 0.0, 0.0, 0.4];
/// The share of local steps that are shortened, by up to e^(−4): near a narrow place the usual length is too long.
const SHORTENED: f64 = 0.3;
const SHORTEST: f64 = 4.0;
/// The share of steps of differential evolution with the whole difference, which lead from mode to mode.
const WHOLE: f64 = 0.1;
/// Their relative noise.
const NOISE: f64 = 0.01;
/// Local scales are learned towards this acceptance, with this gain, within these bounds.
const ACCEPTANCE: f64 = 0.25;
const GAIN: f64 = 0.6;
const BOUNDS: (f64, f64) = (0.02, 5.0);

/// A kind of move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    /// A draw from the other lineage's mixture.
    Independent,
    /// A step along the difference of two states of the other lineage.
    AlongDifference,
    /// A step with the other lineage's covariance.
    Walk,
    /// A step with the covariance of a component that explains the state.
    WalkByComponent,
    /// A step whose covariance is that of kernel gradients over the other lineage's states.
    KernelStep,
}

const KINDS: PerKind<Kind> =
    [Kind::Independent, Kind::AlongDifference, Kind::Walk, Kind::WalkByComponent, Kind::KernelStep];

/// One value for each kind of move.
pub(super) type PerKind<T> = [T; 5];

/// The scales of all kinds; that of independent moves is not used.
pub(super) type Scales = PerKind<f64>;

/// How many moves of each kind were made, and how many of them were accepted.
pub(super) type Counts = PerKind<(f64, f64)>;

/// What decides on one proposal, besides the target.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Proposed {
    kind: Kind,
    /// ln of the ratio of proposal densities, back over forth.
    log_ratio: f64,
    /// ln of the uniform number that decides.
    log_uniform: f64,
}

/// Appends a proposal for each state to `points`.
pub(super) fn propose(
    states: &Particles,
    guide: &Guide,
    scales: &Scales,
    rng: &mut Rng,
    points: &mut Vec<f64>,
) -> Vec<Proposed> {
    let shares = if guide.kernel.is_some() { &KERNEL_SHARES } else { &SHARES };
    propose_by(shares, states, guide, scales, rng, points)
}

/// The same, with these shares of the kinds of moves.
fn propose_by(
    shares: &PerKind<f64>,
    states: &Particles,
    guide: &Guide,
    scales: &Scales,
    rng: &mut Rng,
    points: &mut Vec<f64>,
) -> Vec<Proposed> {
    let kernel = KernelSteps::new(guide);
    let mut mover = Mover { guide, scales, kernel, u: Vec::new(), shares: Vec::new(), back: Vec::new() };
    (0..states.len())
        .map(|i| {
            let kind = pick(shares, rng);
            let (y, log_ratio) = mover.draw(KINDS[kind], states.point(i), rng);
            points.extend(y);
            Proposed { kind: KINDS[kind], log_ratio, log_uniform: libm::log(rng.random::<f64>()) }
        })
        .collect()
}

/// Accepts or rejects each proposal for the posterior whose likelihood is raised to β. Counts what was made and accepted of each
/// kind.
pub(super) fn accept(
    states: &mut Particles,
    proposed: &[Proposed],
    told: &Particles,
    first: usize,
    beta: f64,
    counts: &mut Counts,
) {
    for (i, Proposed { kind, log_ratio, log_uniform }) in proposed.iter().enumerate() {
        let j = first + i;
        let count = &mut counts[*kind as usize];
        count.0 += 1.0;
        let gain = beta * (told.log_likelihood[j] - states.log_likelihood[i]) + told.log_prior[j] - states.log_prior[i];
        if told.log_posterior(j).is_finite() && *log_uniform < log_ratio + gain {
            states.replace(i, told, j);
            count.1 += 1.0;
        }
    }
}

/// Makes local steps longer or shorter by how many were accepted.
pub(super) fn adapt(scales: &mut Scales, counts: &Counts) {
    for (scale, (made, accepted)) in scales.iter_mut().zip(counts).filter(|(_, (made, _))| *made > 5.0) {
        *scale = (*scale * libm::exp(GAIN * (accepted / made - ACCEPTANCE))).clamp(BOUNDS.0, BOUNDS.1);
    }
}

/// Draws moves, with room for what they need.
struct Mover<'a> {
    guide: &'a Guide,
    scales: &'a Scales,
    kernel: Option<KernelSteps<'a>>,
    u: Vec<f64>,
    shares: Vec<f64>,
    back: Vec<f64>,
}

impl Mover<'_> {
    fn draw(&mut self, kind: Kind, x: &[f64], rng: &mut Rng) -> (Vec<f64>, f64) {
        let d = x.len();
        self.u.resize(d, 0.0);
        let Guide { frame, mixture, points, .. } = self.guide;
        let shortened = if rng.random::<f64>() < SHORTENED { libm::exp(-SHORTEST * rng.random::<f64>()) } else { 1.0 };
        let length = shortened * self.scales[kind as usize] * 2.38 / (d as f64).sqrt();
        let mut y: Vec<f64> = (0..d).map(|_| rng.sample(StandardNormal)).collect();
        match kind {
            Kind::Independent => {
                mixture.draw(rng, &mut y);
                frame.coordinates(x, &mut self.u);
                let log_ratio = mixture.log_density(&self.u) - mixture.log_density(&y);
                frame.point(&mut y);
                (y, log_ratio)
            }
            Kind::AlongDifference => {
                let n = points.len() / d;
                let (a, b) = (rng.random_range(0..n), rng.random_range(0..n));
                let by = if rng.random::<f64>() < WHOLE { 1.0 } else { length / 2f64.sqrt() };
                for i in 0..d {
                    y[i] = x[i] + by * (points[a * d + i] - points[b * d + i]) * (1.0 + NOISE * y[i]);
                }
                (y, 0.0)
            }
            Kind::Walk => {
                frame.direction(&mut y);
                y.iter_mut().zip(x).for_each(|(y, x)| *y = x + length * *y);
                (y, 0.0)
            }
            Kind::WalkByComponent => {
                frame.coordinates(x, &mut self.u);
                mixture.responsibilities(&self.u, &mut self.shares);
                let k = pick(&self.shares, rng);
                multiply_lower(&mixture.components()[k].factor, &mut y);
                self.u.iter_mut().zip(&y).for_each(|(u, y)| *u += length * y);
                mixture.responsibilities(&self.u, &mut self.back);
                let log_ratio = libm::log(self.back[k].max(1e-300)) - libm::log(self.shares[k].max(1e-300));
                y.copy_from_slice(&self.u);
                frame.point(&mut y);
                (y, log_ratio)
            }
            Kind::KernelStep => match &mut self.kernel {
                Some(kernel) => kernel.draw(x, length, rng),
                None => (x.to_vec(), 0.0),
            },
        }
    }
}

/// An index, each as likely as it weighs.
fn pick(weights: &[f64], rng: &mut Rng) -> usize {
    let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
    let found = weights.iter().position(|w| {
        left -= w;
        left < 0.0
    });
    found.unwrap_or(weights.len() - 1)
}

#[cfg(test)]
mod tests;
