//! What one chain keeps while it learns: its history, the scales of its moves, and what the moves were worth.

use super::fit::Fit;
use super::input::{ChainInput, Tally};
use super::proposals::Evaluated;
use super::schedule::Schedule;
use crate::adapt::{ACCEPTANCE, Scale};
use crate::linalg::solve_lower;
use crate::moves::{MoveId, PerMove, Pick, Walk, gelman_nu2};
use crate::step::{Outcome, Step, Tried};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// At most this many states of the history are kept: of a longer warm-up, states at even distances.
const LONGEST: u64 = 20_000;
const LEAST_LONGEST: u64 = 50;
/// The most states of the earlier half of the history that a chain brings to a refresh.
const MOST_EARLY: u64 = 250;
const LEAST_EARLY: u64 = 10;
/// s² may exceed 2.38²/d by e to this at a refresh.
const LEEWAY: f64 = 0.5;

/// One chain's part in learning.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WarmupState {
    /// When refreshes are made.
    pub(crate) schedule: Schedule,
    /// Whether it learns with others, …
    pub(crate) pooled: bool,
    /// … and waits for them, with the seed it brings.
    pub(crate) waiting: Option<u64>,
    /// When it waits next; never after the last refresh.
    pub(crate) next: Option<u64>,
    /// What it brought where it waited last, if it runs ahead: the group may not have learned from it yet.
    #[serde(with = "crate::learner::maybe_by_value")]
    pub(crate) brought: Option<Arc<ChainInput>>,
    /// Of each move that has a length.
    scales: PerMove<Option<LearnedScale>>,
    tallies: PerMove<Tally>,
    /// The same after the warm-up.
    pub(crate) sampled: PerMove<Tally>,
    /// Every `stride`-th state is kept.
    stride: u64,
    states: Evaluated,
    /// For each kept state, how many moves had been accepted.
    accepted: Vec<u64>,
    /// Jump proposals since the last refresh.
    jumps: Evaluated,
    /// The state before, as it is seen from the cuts of circles; none before the first step.
    last: Vec<f64>,
    /// Room for the present one.
    #[serde(skip)]
    here: Vec<f64>,
}

/// The scale of a move, and how often it was learned since the last refresh.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct LearnedScale {
    scale: Scale,
    count: u64,
}

impl WarmupState {
    /// Nothing is learned yet.
    pub fn new(dim: usize, warmup: u64, schedule: Schedule) -> Self {
        let stride = warmup.div_ceil(schedule.shared(LONGEST, LEAST_LONGEST)).max(1);
        let start = |nu2| LearnedScale { scale: Scale::new(nu2), count: 0 };
        Self {
            schedule,
            pooled: false,
            waiting: None,
            next: schedule.first(),
            brought: None,
            scales: PerMove::new(|id| id.get().initial_nu2(dim).map(start)),
            tallies: PerMove::default(),
            sampled: PerMove::default(),
            stride,
            states: Evaluated::default(),
            accepted: Vec::new(),
            jumps: Evaluated::default(),
            last: Vec::with_capacity(dim),
            here: Vec::with_capacity(dim),
        }
    }

    /// The scale of a move; 1 for a move without a length.
    pub fn scale(&self, id: MoveId) -> Scale {
        self.scales[id].map_or(Scale::new(1.0), |learned| learned.scale)
    }

    /// Whether a move has a length.
    pub fn has_length(&self, id: MoveId) -> bool {
        self.scales[id].is_some()
    }

    /// Keeps the state that a step ended at and what it jumped to, and counts what its move was worth.
    pub fn remember(&mut self, step: &Step, tried: Tried<'_>, pick: Pick, fit: &Fit) {
        let x = tried.x;
        // A point that overflowed has no density anywhere, and could not be stored.
        if !self.has_length(pick.id) && tried.y.iter().all(|y| y.is_finite()) {
            self.jumps.push(tried.y, tried.log_density);
        }
        let tally = &mut self.tallies[pick.id];
        tally.made += 1;
        let moved = step.outcome == Outcome::Accepted;
        self.here.clear();
        self.here.extend_from_slice(x);
        fit.circles.turn(&mut self.here);
        if moved {
            tally.accepted += 1;
            if self.last.len() == x.len() {
                self.last.iter_mut().zip(&self.here).for_each(|(last, x)| *last = x - *last);
                solve_lower(&fit.model.metric.factor, &mut self.last);
                tally.squares += self.last.iter().map(|e| e * e).sum::<f64>();
            }
        }
        std::mem::swap(&mut self.last, &mut self.here);
        if step.t.is_multiple_of(self.stride) {
            self.states.push(x, tried.log_density_here);
            let before = self.accepted.last().copied().unwrap_or(0);
            self.accepted.push(before + u64::from(moved) * self.stride);
        }
    }

    /// Counts a step after the warm-up.
    pub fn count(&mut self, step: &Step, pick: Pick) {
        let tally = &mut self.sampled[pick.id];
        tally.made += 1;
        // A block that began in the warm-up has points that are not counted.
        tally.accepted = (tally.accepted + step.accepted).min(tally.made);
    }

    /// One step of the scale of the move that was made; false if it has none to learn.
    pub fn learn_scale(&mut self, acceptance: f64, pick: Pick) -> bool {
        let Some(LearnedScale { scale, count }) = self.scales[pick.id].as_mut().filter(|_| pick.is_whole()) else {
            return false;
        };
        let rate = libm::pow(1.0 + *count as f64 / 10.0, -0.6);
        scale.learn(rate, acceptance, ACCEPTANCE);
        *count += 1;
        true
    }

    /// The later half of the history, some of the earlier one, and what goes with it.
    pub fn input(&self, dim: usize, seed: u64) -> ChainInput {
        let count = self.accepted.len();
        let half = count / 2;
        let accepted = self.accepted[count - 1] - self.accepted[half];
        let log_scale = libm::log(self.scale(MoveId::of(&Walk)).nu2());
        let (points, log_density) = (&self.states.points[half * dim..], &self.states.log_density[half..]);
        let states = Evaluated { points: points.to_vec(), log_density: log_density.to_vec() };
        let mut early = Evaluated::default();
        let most = self.schedule.shared(MOST_EARLY, LEAST_EARLY) as usize;
        for i in (0..half).step_by(half.div_ceil(most).max(1)) {
            early.push(&self.states.points[i * dim..(i + 1) * dim], self.states.log_density[i]);
        }
        ChainInput { states, early, jumps: self.jumps.clone(), accepted, log_scale, tallies: self.tallies, seed }
    }

    /// Takes over a new fit: the steps keep their size in the target's units.
    pub fn refreshed(&mut self, old: &Fit, new: &Fit) {
        self.next = new.next;
        if new.next.is_none() {
            // Nothing more is learned from them.
            self.states = Evaluated::default();
            self.accepted = Vec::new();
        }
        self.jumps = Evaluated::default();
        let is_recut = old.circles != new.circles;
        if is_recut {
            self.last.clear();
        }
        let (old, new) = (&old.model.metric, &new.model.metric);
        let change = 2.0 * (old.log_volume() - new.log_volume()) / new.dim() as f64;
        let most = libm::log(gelman_nu2(new.dim())) + LEEWAY;
        if let Some(walk) = &mut self.scales[MoveId::of(&Walk)] {
            let kept = libm::log(walk.scale.nu2()) + change;
            // Units before and after a cut has moved cannot be compared.
            walk.scale =
                if is_recut { Scale::new(gelman_nu2(new.dim())) } else { Scale::new(libm::exp(kept.min(most))) };
        }
        self.scales.values_mut().flatten().for_each(|learned| learned.count = 0);
        self.tallies = PerMove::default();
        self.waiting = None;
    }

    /// Whether what was read from elsewhere fits together.
    pub fn fits(&self, dim: usize) -> bool {
        let states = self.accepted.len();
        let ready = self.waiting.is_none() || states > 0;
        let ready = ready && self.brought.as_ref().is_none_or(|brought| brought.fits(dim));
        let lengths = MoveId::all().all(|id| self.has_length(id) == id.get().initial_nu2(dim).is_some());
        let history = [0, dim].contains(&self.last.len())
            && self.states.len() == states
            && self.states.fits(dim)
            && self.jumps.fits(dim);
        self.stride > 0 && history && ready && lengths
    }
}
