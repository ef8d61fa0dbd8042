//! A refresh: from what the chains of a group bring, a new fit.

use super::choose::{Choice, choose};
use super::fit::{Fit, LARGEST_FOR_JUMPS, Past};
use super::frame::Frame;
use super::moves::Kind;
use super::pool::Lesson;
use super::schedule::Schedule;
use super::window::{Part, Window, in_frame};
use crate::Rng;
use crate::linalg::cholesky;
use crate::random::{Purpose, stream};

/// The learned share of jumps, and the least of each local move.
const JUMPS: (f64, f64) = (0.05, 0.5);
const LOCAL: (f64, f64) = (0.25, 0.75);
/// The share of jumps before their worth is known.
const FIRST_JUMPS: f64 = 0.25;

/// The fit that follows `old` from the lessons of all chains, at `t` iterations.
pub fn learn(old: &Fit, lessons: &[Lesson], n: usize, schedule: Schedule, t: u64) -> Fit {
    let window = Window::new(lessons, old.metric.dim());
    let mut rng = stream(lessons.first().map_or(0, |lesson| lesson.seed), 0, Purpose::Learn);
    let number = old.number + 1;
    let metric = metric(&old.metric, &window, lessons).unwrap_or_else(|| old.metric.clone());
    let past = if schedule.has_past(t) {
        let known = old.past.as_ref().map(|past| past.choice);
        let choice = if known.is_none() || schedule.chooses(t, number) {
            choice(&window, &metric, &mut rng).or(known)
        } else {
            known
        };
        past(choice.unwrap_or_default(), &window, &metric, n, &mut rng)
    } else {
        None
    };
    let weights = weights(past.as_ref(), lessons);
    Fit { number, metric, weights, past }
}

fn choice(window: &Window<'_>, metric: &Frame, rng: &mut Rng) -> Option<Choice> {
    if metric.dim() > LARGEST_FOR_JUMPS {
        return None;
    }
    choose(window, metric, rng)
}

fn past(choice: Choice, window: &Window<'_>, metric: &Frame, n: usize, rng: &mut Rng) -> Option<Past> {
    let states = window.sample(Part::All, n, rng);
    if states.len() <= metric.dim() + 1 {
        return None;
    }
    Past::new(choice, in_frame(&states, &choice.frame(metric)), metric)
}

/// Σ = wS + (1 − w)cΣ_old: the window's covariance, trusted by the number of moves it holds; the old one shrunk where the
/// steps had to be shorter than it says.
fn metric(old: &Frame, window: &Window<'_>, lessons: &[Lesson]) -> Option<Frame> {
    let d = old.dim();
    let (mean, mut sigma) = window.moments()?;
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

/// How often each move is made, from the expected squared jump of each.
fn weights(past: Option<&Past>, lessons: &[Lesson]) -> [f64; 4] {
    let Some(past) = past else { return [1.0, 0.0, 0.0, 0.0] };
    let worth = |kind: Kind| {
        let tallies = lessons.iter().map(|lesson| lesson.tallies[kind as usize]);
        let (made, squares) = tallies.fold((0, 0.0), |(made, squares), t| (made + t.made, squares + t.squares));
        (made > 0).then(|| squares / made as f64)
    };
    let local_kind = if past.jump.is_some() { None } else { Some(Kind::Difference) };
    let (walk, kameleon) = (worth(Kind::Walk).unwrap_or(0.0), worth(Kind::Kameleon).unwrap_or(0.0));
    let split = share(kameleon, walk).clamp(LOCAL.0, LOCAL.1);
    let third = match local_kind {
        None => worth(Kind::Jump).map_or(FIRST_JUMPS, |jump| share(jump, walk.max(kameleon)).clamp(JUMPS.0, JUMPS.1)),
        Some(kind) => worth(kind).map_or(1.0 / 3.0, |worth| share(worth, walk.max(kameleon)).clamp(0.2, 0.8)),
    };
    let local = 1.0 - third;
    let mut weights = [local * (1.0 - split), local * split, 0.0, 0.0];
    weights[local_kind.unwrap_or(Kind::Jump) as usize] = third;
    weights
}

/// a/(a + b), or a half where both are nothing.
fn share(a: f64, b: f64) -> f64 {
    if a + b > 0.0 { a / (a + b) } else { 0.5 }
}
