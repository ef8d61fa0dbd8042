//! A refresh: from what the chains of a group bring, a new fit.

use super::choose::choose;
use super::correlation::{correlation_shrinkage, scale_correlations};
use super::fit::Fit;
use super::input::ChainInput;
use super::schedule::Schedule;
use super::subspaces::{candidates, project};
use super::weights::weights;
use super::window::{Part, Window, in_frame};
use crate::Rng;
use crate::linalg::{cholesky, dot};
use crate::moves::{DensityShape, Frame, HistoryModel, Model, Subspace, SubspaceModel};
use crate::random::{Purpose, stream};
use std::cmp::Ordering;

/// Subspace moves are made from this gain on, in the mean log density.
const LEAST_GAIN: f64 = 0.1;
/// The largest dimension in which subspaces are searched for, in O(d³).
const LARGEST_SEARCHED: usize = 200;
/// One in this many points of z is a rare state, …
const RARE: usize = 5;
/// … the rarest of this many candidates.
const CANDIDATES: usize = 5000;

/// How large a fit may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// n, the number of points of z.
    pub points: usize,
    /// The largest dimension with jumps in all directions.
    pub jumps_up_to: usize,
}

/// The fit that follows `old` from the inputs of all chains, at `t` iterations.
pub fn refresh(old: &Fit, inputs: &[ChainInput], limits: Limits, schedule: Schedule, t: u64) -> Fit {
    let window = Window::new(inputs.iter().map(|input| input.states.as_slice()).collect(), old.model.metric.dim());
    let mut rng = stream(inputs.first().map_or(0, |input| input.seed), 0, Purpose::Learn);
    let number = old.number + 1;
    let metric = metric(&old.model.metric, &window, inputs).unwrap_or_else(|| old.model.metric.clone());
    let history = schedule.has_history(t).then(|| {
        let jump = metric.dim() <= limits.jumps_up_to;
        let mut shape = old.model.history.as_ref().map(|history| history.shape);
        if jump && (shape.is_none() || schedule.chooses(t, number)) {
            shape = choose(&window, &metric, &mut rng).map(|(_, shape)| shape).or(shape);
        }
        let shape = DensityShape { jump, ..shape.unwrap_or_default() };
        let mut history = history(shape, &window, &metric, limits.points, &mut rng)?;
        history.subspace = subspace(old.model.subspace(), &window, &metric, limits.points, &mut rng);
        Some(history)
    });
    let model = Model { metric, history: history.flatten() };
    Fit { number, weights: weights(&model, inputs), model }
}

/// Moves in the subspace whose density estimate, over a Gaussian there, predicts other times of the history best. That in
/// which the chain moves already is always among the candidates: in its directions the chain is no longer slow.
fn subspace(
    old: Option<&SubspaceModel>,
    window: &Window<'_>,
    metric: &Frame,
    n: usize,
    rng: &mut Rng,
) -> Option<SubspaceModel> {
    if metric.dim() > LARGEST_SEARCHED {
        return None;
    }
    let known = old.and_then(|model| model.subspace.in_frame(metric));
    let mut best: Option<(f64, DensityShape, Subspace)> = None;
    for subspace in known.into_iter().chain(candidates(window, metric)) {
        let states = project(&subspace, window);
        let Some((gain, shape)) = choose(&Window::of(&states, subspace.dim()), &subspace.metric(), rng) else {
            continue;
        };
        if best.as_ref().is_none_or(|(highest, ..)| gain > *highest) {
            best = Some((gain, shape, subspace));
        }
    }
    let (_, shape, subspace) = best.filter(|(gain, ..)| *gain > LEAST_GAIN)?;
    let states = project(&subspace, window);
    let history = history(shape, &Window::of(&states, subspace.dim()), &subspace.metric(), n, rng)?;
    SubspaceModel::new(subspace, history)
}

/// z is a fair sample of the window, and some of the states that an estimate from it finds least likely: where the chain
/// may go but jumps do not lead, it would stay for long.
fn history(shape: DensityShape, window: &Window<'_>, metric: &Frame, n: usize, rng: &mut Rng) -> Option<HistoryModel> {
    let frame = shape.frame(metric);
    let rare = if shape.jump { n / RARE } else { 0 };
    let mut states = window.sample(Part::All, n - rare, rng);
    if states.len() <= metric.dim() + 1 {
        return None;
    }
    let fair = HistoryModel::new(shape, in_frame(&states, &frame), metric)?;
    if rare == 0 {
        return Some(fair);
    }
    states.extend(fair.least_likely(window.sample(Part::All, CANDIDATES, rng), rare));
    states.sort_by(|a, b| a.iter().zip(*b).map(|(a, b)| a.total_cmp(b)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal));
    states.dedup();
    HistoryModel::new(shape, in_frame(&states, &frame), metric)
}

/// Σ = wS + (1 − w)cΣ_old: the window's covariance, its correlations as far as they can be trusted, by the number of moves
/// it holds; the old one shrunk where the steps had to be shorter than it says.
fn metric(old: &Frame, window: &Window<'_>, inputs: &[ChainInput]) -> Option<Frame> {
    let d = old.dim();
    let (mean, mut sigma) = window.moments(Part::All)?;
    if let Some(factor) = correlation_shrinkage(window, d) {
        scale_correlations(&mut sigma, d, factor);
    }
    let chains = inputs.len() as f64;
    let accepted = inputs.iter().map(|input| input.accepted as f64).sum::<f64>() / chains;
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
