//! A refresh: from what the chains of a group bring, a new fit.

use super::KameleonSettings;
use super::choose::{Choice, choose};
use super::few::Few;
use super::fit::{Fit, Past, STEPS_ONLY};
use super::frame::Frame;
use super::lesson::Lesson;
use super::moves::{Kind, PerKind};
use super::schedule::Schedule;
use super::shrink::{scale_correlations, trusted_correlation};
use super::subspace::Subspace;
use super::window::{Part, Window, in_frame};
use crate::Rng;
use crate::linalg::cholesky;
use crate::random::{Purpose, stream};
use std::cmp::Ordering;

/// The learned share of jumps, and the least share of each local move among them.
const JUMPS: (f64, f64) = (0.05, 0.5);
const LEAST_LOCAL: f64 = 0.2;
/// The share of jumps in few directions: little, since they leave the others where they are.
const FEW: (f64, f64) = (0.05, 0.15);
/// The share of steps in few directions among all steps, if there are such directions.
const FEW_STEPS: f64 = 0.4;
/// Moves in few directions are worth their while from this gain on, in the mean log density.
const LEAST_GAIN: f64 = 0.1;
/// The largest dimension in which they are searched for, in O(d³).
const LARGEST_SEARCHED: usize = 200;
/// One in so many points of z is a rare state, the rarest of so many candidates.
const RARE: usize = 5;
const CANDIDATES: usize = 5000;
/// The share of jumps before their worth is known.
const FIRST_JUMPS: f64 = 0.25;

/// The fit that follows `old` from the lessons of all chains, at `t` iterations.
pub fn learn(old: &Fit, lessons: &[Lesson], settings: &KameleonSettings, schedule: Schedule, t: u64) -> Fit {
    let window = Window::new(lessons.iter().map(|lesson| lesson.states.as_slice()).collect(), old.metric.dim());
    let mut rng = stream(lessons.first().map_or(0, |lesson| lesson.seed), 0, Purpose::Learn);
    let number = old.number + 1;
    let metric = metric(&old.metric, &window, lessons).unwrap_or_else(|| old.metric.clone());
    let past = if schedule.has_past(t) {
        let jump = metric.dim() <= settings.jumps_up_to;
        let mut choice = old.past.as_ref().map(|past| past.choice);
        if jump && (choice.is_none() || schedule.chooses(t, number)) {
            choice = choose(&window, &metric, &mut rng).map(|(_, choice)| choice).or(choice);
        }
        let choice = Choice { jump, ..choice.unwrap_or_default() };
        let mut past = past(choice, &window, &metric, settings.n, &mut rng);
        if let Some(past) = past.as_mut() {
            let known = old.past.as_ref().and_then(|past| past.few.as_ref());
            past.few = few(known, &window, &metric, settings.n, &mut rng);
        }
        past
    } else {
        None
    };
    let weights = weights(past.as_ref(), lessons);
    Fit { number, metric, weights, past }
}

/// Moves in those few directions whose density estimate, over a Gaussian there, foresees other times of the past best.
/// The directions that the chain moves in already are always among the candidates: in them it is slow no more.
fn few(old: Option<&Few>, window: &Window<'_>, metric: &Frame, n: usize, rng: &mut Rng) -> Option<Few> {
    if metric.dim() > LARGEST_SEARCHED {
        return None;
    }
    let known = old.map(|few| few.subspace().in_frame(metric));
    let mut best: Option<(f64, Choice, Subspace)> = None;
    for subspace in known.into_iter().chain(Subspace::candidates(window, metric)) {
        let states = subspace.project(window);
        let Some((gain, choice)) = choose(&subspace.window(&states), &subspace.metric(), rng) else { continue };
        if best.as_ref().is_none_or(|(highest, ..)| gain > *highest) {
            best = Some((gain, choice, subspace));
        }
    }
    let (_, choice, subspace) = best.filter(|(gain, ..)| *gain > LEAST_GAIN)?;
    let states = subspace.project(window);
    let past = past(choice, &subspace.window(&states), &subspace.metric(), n, rng)?;
    Few::new(subspace, past)
}

/// z is a fair sample of the window, and some of the states that an estimate from it finds least likely: where the chain
/// may go but jumps do not lead, it would stay for long.
fn past(choice: Choice, window: &Window<'_>, metric: &Frame, n: usize, rng: &mut Rng) -> Option<Past> {
    let frame = choice.frame(metric);
    let rare = if choice.jump { n / RARE } else { 0 };
    let mut states = window.sample(Part::All, n - rare, rng);
    if states.len() <= metric.dim() + 1 {
        return None;
    }
    let fair = Past::new(choice, in_frame(&states, &frame), metric)?;
    if rare == 0 {
        return Some(fair);
    }
    states.extend(fair.least_likely(window.sample(Part::All, CANDIDATES, rng), rare));
    states.sort_by(|a, b| a.iter().zip(*b).map(|(a, b)| a.total_cmp(b)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal));
    states.dedup();
    Past::new(choice, in_frame(&states, &frame), metric)
}

/// Σ = wS + (1 − w)cΣ_old: the window's covariance, its correlations as far as they can be trusted, by the number of moves
/// it holds; the old one shrunk where the steps had to be shorter than it says.
fn metric(old: &Frame, window: &Window<'_>, lessons: &[Lesson]) -> Option<Frame> {
    let d = old.dim();
    let (mean, mut sigma) = window.moments(Part::All)?;
    if let Some(factor) = trusted_correlation(window, d) {
        scale_correlations(&mut sigma, d, factor);
    }
    let chains = lessons.len() as f64;
    let accepted = lessons.iter().map(|lesson| lesson.accepted as f64).sum::<f64>() / chains;
    let log_scale = lessons.iter().map(|lesson| lesson.log_scale).sum::<f64>() / chains;
    let w = accepted / (accepted + 0.5 * (d * d) as f64);
    let shrink = libm::exp(log_scale + libm::log(d as f64 / (2.38 * 2.38)).min(60.0)).min(1.0);
    for i in 0..d {
        for j in 0..d {
            let (a, b) = (&old.factor[i * d..(i + 1) * d], &old.factor[j * d..(j + 1) * d]);
            let was = crate::linalg::dot(a, b);
            sigma[i * d + j] = w * sigma[i * d + j] + (1.0 - w) * shrink * was;
        }
    }
    let frame = Frame { origin: mean, factor: sigma };
    let Frame { origin, mut factor } = frame;
    cholesky(&mut factor, d).then_some(Frame { origin, factor }).filter(|frame| frame.fits(d))
}

/// How often each move is made: jumps and steps in all directions by the expected squared jump of each, steps in few directions by
/// a fixed share, since they are there for the tails, which no mean tells of.
fn weights(past: Option<&Past>, lessons: &[Lesson]) -> PerKind<f64> {
    let Some(past) = past else { return STEPS_ONLY };
    let worth = |kind: Kind| {
        let tallies = lessons.iter().map(|lesson| lesson.tallies[kind as usize]);
        let (made, squares) = tallies.fold((0, 0.0), |(made, squares), t| (made + t.made, squares + t.squares));
        (made > 0).then(|| squares / made as f64)
    };
    let locals = [Kind::Walk, Kind::KernelStep, Kind::Difference].map(|kind| worth(kind).unwrap_or(0.0));
    let total: f64 = locals.iter().sum();
    let shares = locals.map(|worth| if total > 0.0 { (worth / total).max(LEAST_LOCAL) } else { 1.0 });
    let best = locals.into_iter().fold(0.0, f64::max);
    let jumps = |there: bool, kind: Kind, (least, most): (f64, f64)| match worth(kind) {
        _ if !there => 0.0,
        None => FIRST_JUMPS.min(most),
        Some(worth) => share(worth, best).clamp(least, most),
    };
    let few = jumps(past.few.is_some(), Kind::PartialJump, FEW);
    let all = jumps(past.jump.is_some(), Kind::Jump, JUMPS) * (1.0 - few);
    let few_steps = if past.few.is_some() { FEW_STEPS } else { 0.0 };
    let steps = 1.0 - few - all;
    let unit = steps * (1.0 - few_steps) / shares.iter().sum::<f64>();
    [unit * shares[0], unit * shares[1], all, unit * shares[2], few, steps * few_steps]
}

/// a/(a + b), or a half where both are nothing.
fn share(a: f64, b: f64) -> f64 {
    if a + b > 0.0 { a / (a + b) } else { 0.5 }
}
