//! A refresh: from what the chains of a group bring, a new fit.

use super::correlation::shrunk_moments;
use super::cuts::seen_from_cuts;
use super::fit::Fit;
use super::flat::{EXPLORING, FROZEN, with_flat_part};
use super::input::ChainInput;
use super::learning::Learning;
use super::missed::with_missed_regions;
use super::proposals::{Evaluated, MOST_ROUNDS, MOST_ROUNDS_AHEAD};
use super::regions::met_regions;
use super::schedule::Schedule;
use super::structure::{Effort, learn_density};
use super::weights::weights;
use super::window::{Window, in_frame};
use crate::Rng;
use crate::linalg::{cholesky, dot};
use crate::mixture::Sample;
use crate::moves::{Frame, HistoryModel, Jump, JumpDensity, Model};
use crate::random::{Purpose, stream};
use std::cmp::Ordering;
use std::sync::Arc;

/// The most states of the chains that a density is learned from.
const MOST_STATES: usize = 3000;
/// The largest dimension with jumps, whose density takes O(d³) to learn.
const LARGEST_WITH_JUMPS: usize = 200;
/// One in this many points of z is a rare state, …
const RARE: usize = 5;
/// … the rarest of this many candidates.
const CANDIDATES: usize = 5000;

/// The fit that follows `old` from the inputs of all chains and is taken at `t` iterations; `points` is n, the number of points of z.
pub fn refresh(old: &Fit, inputs: &[Arc<ChainInput>], points: usize, schedule: Schedule, t: u64) -> Fit {
    let (old, inputs) = seen_from_cuts(old, inputs, t < schedule.last());
    let (old, inputs) = (&*old, &*inputs);
    let window = Window::of(inputs, old.model.metric.dim());
    let mut rng = stream(inputs.first().map_or(0, |input| input.seed), 0, Purpose::Learn);
    let sample = window.sample(MOST_STATES);
    let metric = metric(&old.model.metric, &sample, inputs).unwrap_or_else(|| old.model.metric.clone());
    let mut learning = old.learning.clone().unwrap_or_default();
    let jumped_from = if schedule.runs_ahead() { &old.before } else { &old.model.density };
    if let Some(density) = jumped_from {
        let mut drawn = Evaluated::default();
        inputs.iter().for_each(|input| drawn.extend(&input.jumps));
        learning.add(density, drawn, if schedule.runs_ahead() { MOST_ROUNDS_AHEAD } else { MOST_ROUNDS });
    }
    let is_enough = learning.is_enough();
    let is_last = t == schedule.last() || (schedule.may_end(t) && is_enough);
    let (mut density, mut history) = (None, None);
    if schedule.has_history(t) {
        density = jump_density(old, &learning, &window, sample, is_last, &mut rng);
        history = points_of_history(&window, density.as_ref(), &metric, points, &mut rng);
    }
    let met = density.as_ref().filter(|_| is_last).map_or_else(Vec::new, |density| met_regions(density, &window));
    let model = Model { metric, history, density };
    let weights = weights(&model, inputs, !is_last);
    let jumps = weights.of(&Jump) * inputs.len() as f64;
    let next = if is_last { None } else { schedule.after(t, jumps, is_enough) };
    let end = is_last.then(|| schedule.end(t));
    let late = if is_last { learning.late() } else { None };
    let learning = (!is_last).then_some(learning);
    let before = old.model.density.clone().filter(|_| schedule.runs_ahead() && !is_last);
    let circles = old.circles.clone();
    Fit { number: old.number + 1, weights, circles, model, before, next, end, learning, met, late }
}

/// The density of jumps, learned from their proposals and the states of the chains.
fn jump_density(
    old: &Fit,
    learning: &Learning,
    window: &Window<'_>,
    states: Sample,
    is_last: bool,
    rng: &mut Rng,
) -> Option<JumpDensity> {
    if states.dim > LARGEST_WITH_JUMPS {
        return None;
    }
    let sample = learning.sample(states, rng);
    let effort = if is_last { Effort::FINAL } else { Effort::LEARNING };
    let fitted = learn_density(&sample, old.model.density.as_ref(), effort, rng);
    let learned = fitted.and_then(|fitted| {
        let density = with_flat_part(fitted, &sample, if is_last { FROZEN } else { EXPLORING }, rng)?;
        Some(with_missed_regions(density, &learning.met(window), rng))
    });
    learned.filter(|density| density.fits(sample.dim)).or_else(|| old.model.density.clone())
}

/// z is a fair sample of the window, and some of the states that the jump density finds least likely: where the chain
/// may go but jumps do not lead, it would stay for long.
fn points_of_history(
    window: &Window<'_>,
    density: Option<&JumpDensity>,
    metric: &Frame,
    n: usize,
    rng: &mut Rng,
) -> Option<HistoryModel> {
    let rare = if density.is_some() { n / RARE } else { 0 };
    let mut states = window.fair(n - rare, rng);
    if states.len() <= metric.dim() + 1 {
        return None;
    }
    if let Some(density) = density {
        let candidates = window.fair(CANDIDATES, rng);
        let logs = density.log_densities(candidates.iter().copied());
        let mut ranked: Vec<(f64, &[f64])> = logs.into_iter().zip(candidates).collect();
        ranked.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        states.extend(ranked.into_iter().take(rare).map(|(_, x)| x));
        let order = |a: &&[f64], b: &&[f64]| a.iter().zip(*b).map(|(a, b)| a.total_cmp(b)).find(|o| o.is_ne());
        states.sort_by(|a, b| order(a, b).unwrap_or(Ordering::Equal));
        states.dedup();
    }
    HistoryModel::new(in_frame(&states, metric), metric.clone())
}

/// Σ = wS + (1 − w)cΣ_old: the window's covariance, its correlations as far as they can be trusted, by the number of moves
/// it holds; the old one shrunk where the steps had to be shorter than it says.
fn metric(old: &Frame, states: &Sample, inputs: &[Arc<ChainInput>]) -> Option<Frame> {
    let d = old.dim();
    let (mean, mut sigma) = shrunk_moments(states)?;
    let chains = inputs.len() as f64;
    // By as many moves as one of four chains makes.
    let accepted = inputs.iter().map(|input| input.accepted as f64).sum::<f64>() / chains.min(4.0);
    let log_scale = inputs.iter().map(|input| input.log_scale).sum::<f64>() / chains;
    let w = accepted / (accepted + 0.5 * (d * d) as f64);
    let shrink = libm::exp((log_scale + libm::log(d as f64 / (2.38 * 2.38))).min(0.0));
    for i in 0..d {
        for j in 0..d {
            let (a, b) = (&old.factor[i * d..(i + 1) * d], &old.factor[j * d..(j + 1) * d]);
            let was = dot(a, b);
            sigma[i * d + j] = w * sigma[i * d + j] + (1.0 - w) * shrink * was;
        }
    }
    cholesky(&mut sigma, d).then_some(Frame { origin: mean, factor: sigma }).filter(|frame| frame.fits(d))
}
