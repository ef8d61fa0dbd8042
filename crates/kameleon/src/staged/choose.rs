//! Which metric, width and tails the density estimate has: those that foresee other times of the past best.
//!
//! No target evaluation is spent. What is held out are blocks of time, since draws next to each other are alike, and an
//! estimate judged on randomly held-out draws confirms itself.

use super::frame::Frame;
use super::jump::{Jump, mix};
use super::nearby::LocalFactors;
use super::window::{Part, Window, in_frame};
use crate::Rng;
use crate::bandwidth::median_heuristic;
use serde::{Deserialize, Serialize};

/// How many states teach and test the candidates.
const TAUGHT: usize = 500;
const TESTED: usize = 300;
const WIDTHS: [f64; 2] = [0.5, 1.0];
const H2: [f64; 3] = [0.25, 0.5, 1.0];
const DELTA: [f64; 3] = [0.1, 0.5, 0.9];

/// The shape of the density estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// Whether distances are those of the whitened coordinates, or of the raw ones.
    pub white: bool,
    /// f: the neighbourhood in units of the median distance; none for components of one shape, that of Σ.
    pub width: Option<f64>,
    /// h², the components' size.
    pub h2: f64,
    /// δ, the weight of the wide component.
    pub delta: f64,
    /// Whether it is jumped from.
    pub jump: bool,
}

impl Default for Choice {
    fn default() -> Self {
        Self { white: true, width: Some(1.0), h2: 0.5, delta: 0.5, jump: true }
    }
}

impl Choice {
    /// The frame in which distances are measured.
    pub(super) fn frame(&self, metric: &Frame) -> Frame {
        if self.white { metric.clone() } else { Frame::raw(metric.origin.clone()) }
    }

    pub(super) fn is_valid(&self) -> bool {
        let positive = |v: f64| v > 0.0 && v.is_finite();
        self.width.is_none_or(positive) && positive(self.h2) && self.delta > 0.0 && self.delta < 1.0
    }
}

/// The candidate with the largest mean log density on what it has not seen, and that density over the one of a Gaussian.
pub fn choose(window: &Window<'_>, metric: &Frame, rng: &mut Rng) -> Option<(f64, Choice)> {
    let taught = window.sample(Part::Even, TAUGHT, rng);
    let tested = window.sample(Part::Odd, TESTED, rng);
    if taught.len() <= metric.dim() + 1 || tested.is_empty() {
        return None;
    }
    let mut best: Option<(f64, Choice)> = None;
    for (white, width) in shapes() {
        let shape = Choice { white, width, ..Choice::default() };
        for (score, choice) in scores(shape, &taught, &tested, metric) {
            if best.is_none_or(|(highest, _)| score > highest) {
                best = Some((score, choice));
            }
        }
    }
    let mut u = vec![0.0; metric.dim()];
    let mut gaussian = |x: &&[f64]| {
        metric.coordinates(x, &mut u);
        -0.5 * u.iter().map(|u| u * u + libm::log(std::f64::consts::TAU)).sum::<f64>() - metric.log_volume()
    };
    let mean = tested.iter().map(&mut gaussian).sum::<f64>() / tested.len() as f64;
    best.map(|(score, choice)| (score - mean, choice))
}

/// Metrics and widths; components of one shape are the same in both metrics.
fn shapes() -> impl Iterator<Item = (bool, Option<f64>)> {
    let local = [true, false].into_iter().flat_map(|white| WIDTHS.map(|width| (white, Some(width))));
    std::iter::once((true, None)).chain(local)
}

/// The mean log density in the original coordinates, for every h² and δ.
fn scores(shape: Choice, taught: &[&[f64]], tested: &[&[f64]], metric: &Frame) -> Vec<(f64, Choice)> {
    let d = metric.dim();
    let frame = shape.frame(metric);
    let z = in_frame(taught, &frame);
    let Some(sigma) = median_heuristic(&z) else { return Vec::new() };
    let locals = shape.width.map(|width| LocalFactors::new(&z, width * sigma));
    let factor = if shape.white { Frame::raw(vec![0.0; d]).factor } else { metric.factor.clone() };
    let (mut u, mut scratch) = (vec![0.0; d], Jump::scratch(d));
    let mut scores = Vec::new();
    for h2 in H2 {
        let jump = Jump::new(&z, locals.as_ref(), &factor, h2, 0.5);
        let parts: Vec<(f64, f64)> = tested
            .iter()
            .map(|x| {
                frame.coordinates(x, &mut u);
                jump.log_parts(&u, &mut scratch)
            })
            .collect();
        for delta in DELTA {
            let mean = parts.iter().map(|(near, wide)| mix(*near, *wide, delta)).sum::<f64>() / parts.len() as f64;
            scores.push((mean - frame.log_volume(), Choice { h2, delta, ..shape }));
        }
    }
    scores
}
