//! What one chain keeps while it learns: its past, the scales of its moves, and what the moves were worth.

use super::fit::Fit;
use super::frame::Frame;
use super::lesson::{Lesson, Tally};
use super::moves::{Kind, Move, PerKind};
use super::schedule::Schedule;
use crate::adapt::{ACCEPTANCE, Scale};
use crate::chain::{Outcome, Step};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// At most so many states of the past are kept: every so-many-th of a longer warm-up.
const LONGEST: u64 = 20_000;
/// s² may exceed 2.38²/d by e to this at a refresh.
const LEEWAY: f64 = 0.5;

/// One chain's part in learning.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pupil {
    pub schedule: Schedule,
    /// The iteration of the next refresh; none after the last.
    pub next: Option<u64>,
    /// Whether it learns with others, …
    pub pooled: bool,
    /// … and waits for them, with the seed it brings.
    pub waiting: Option<u64>,
    /// The scale of each kind of move, and how often it was learned since the last refresh.
    scales: PerKind<(Scale, u64)>,
    tallies: PerKind<Tally>,
    /// The same after the warm-up.
    sampled: PerKind<Tally>,
    /// Iterations since the last accepted jump after the warm-up, and the most there were.
    without_jump: (u64, u64),
    /// One state in so many is kept.
    stride: u64,
    states: Vec<f64>,
    /// For each kept state, how many moves had been accepted.
    accepted: Vec<u64>,
    /// The state before; none before the first step.
    last: Vec<f64>,
}

/// ν² of the Kameleon's steps.
#[derive(Clone, Copy)]
pub struct Nu2 {
    /// In all directions.
    pub all: f64,
    /// In the few directions in which the chain jumps, too.
    pub few: f64,
}

/// 2.38²/d
fn gelman2(d: usize) -> f64 {
    2.38 * 2.38 / d as f64
}

impl Pupil {
    pub fn new(dim: usize, warmup: u64) -> Self {
        let schedule = Schedule::new(warmup);
        let stride = warmup.div_ceil(LONGEST).max(1);
        let room = (schedule.last() / stride) as usize + 1;
        let steps = Scale::new(gelman2(dim));
        Self {
            schedule,
            next: schedule.after(0),
            pooled: false,
            waiting: None,
            scales: [steps, steps, steps, Scale::new(gelman2(2 * dim)), steps, steps].map(|scale| (scale, 0)),
            tallies: PerKind::default(),
            sampled: PerKind::default(),
            without_jump: (0, 0),
            stride,
            states: Vec::with_capacity(room * dim),
            accepted: Vec::with_capacity(room),
            last: Vec::with_capacity(dim),
        }
    }

    /// s
    pub fn scale(&self) -> f64 {
        self.scales[Kind::Walk as usize].0.nu()
    }

    /// ν² of the Kameleon's steps in all directions, and in few.
    pub fn nu2(&self) -> Nu2 {
        let of = |kind: Kind| self.scales[kind as usize].0.nu2();
        Nu2 { all: of(Kind::KernelStep), few: of(Kind::PartialStep) }
    }

    /// The length of a move.
    pub fn length(&self, chosen: Move) -> f64 {
        self.scales[chosen.kind as usize].0.nu() * chosen.shrink()
    }

    /// Keeps the state that a step ended at, and counts what its move was worth.
    pub fn remember(&mut self, x: &[f64], step: &Step, chosen: Move, metric: &Frame) {
        let Some(_) = self.next else { return };
        let tally = &mut self.tallies[chosen.kind as usize];
        tally.made += 1;
        let moved = step.outcome == Outcome::Accepted;
        if moved {
            tally.accepted += 1;
            if self.last.len() == x.len() {
                self.last.iter_mut().zip(x).for_each(|(last, x)| *last = x - *last);
                crate::linalg::solve_lower(&metric.factor, &mut self.last);
                tally.squares += self.last.iter().map(|e| e * e).sum::<f64>();
            }
        }
        self.last.clear();
        self.last.extend_from_slice(x);
        if step.t.is_multiple_of(self.stride) {
            self.states.extend_from_slice(x);
            let before = self.accepted.last().copied().unwrap_or(0);
            self.accepted.push(before + u64::from(moved) * self.stride);
        }
    }

    /// Counts a step after the warm-up.
    pub fn count(&mut self, step: &Step, chosen: Move) {
        let tally = &mut self.sampled[chosen.kind as usize];
        let moved = step.outcome == Outcome::Accepted;
        tally.made += 1;
        tally.accepted += u64::from(moved);
        let (now, most) = &mut self.without_jump;
        *now = if moved && !chosen.kind.is_step() { 0 } else { *now + 1 };
        *most = (*most).max(*now);
    }

    /// How often a kind of move was made and accepted after the warm-up.
    pub fn sampled(&self, kind: Kind) -> Tally {
        self.sampled[kind as usize]
    }

    /// The most iterations after the warm-up in which no jump was accepted.
    pub fn longest_without_jump(&self) -> u64 {
        self.without_jump.1
    }

    /// One step of the scale of the move that was made; false if it has none to learn.
    pub fn learn_scale(&mut self, acceptance: f64, chosen: Move) -> bool {
        if !chosen.is_whole() || !chosen.kind.is_step() {
            return false;
        }
        let (scale, count) = &mut self.scales[chosen.kind as usize];
        let rate = libm::pow(1.0 + *count as f64 / 10.0, -0.6);
        scale.learn(rate, acceptance, ACCEPTANCE);
        *count += 1;
        true
    }

    /// The later half of the past, and what goes with it.
    pub fn lesson(&self, dim: usize, seed: u64) -> Lesson {
        let count = self.accepted.len();
        let half = count / 2;
        let accepted = self.accepted[count - 1] - self.accepted[half];
        Lesson {
            states: self.states[half * dim..].to_vec(),
            accepted,
            log_scale: libm::log(self.scales[Kind::Walk as usize].0.nu2()),
            tallies: self.tallies,
            seed,
        }
    }

    /// Goes on with a new fit: the steps keep their size in the target's units.
    pub fn taught(&mut self, old: &Fit, new: &Arc<Fit>) {
        let d = new.metric.dim();
        let (walk, _) = &mut self.scales[Kind::Walk as usize];
        let change = 2.0 * (old.metric.log_volume() - new.metric.log_volume()) / d as f64;
        let log = (libm::log(walk.nu2()) + change).min(libm::log(gelman2(d)) + LEEWAY);
        *walk = Scale::new(libm::exp(log));
        self.scales.iter_mut().for_each(|(_, count)| *count = 0);
        self.tallies = PerKind::default();
        self.waiting = None;
        self.next = self.next.and_then(|t| self.schedule.after(t));
        if self.next.is_none() {
            // Nothing more is learned from it.
            self.states = Vec::new();
            self.accepted = Vec::new();
        }
    }

    /// Whether what was read from elsewhere fits together.
    pub fn fits(&self, dim: usize) -> bool {
        let states = self.accepted.len();
        let ready = self.next.is_none() || self.waiting.is_none() || states > 0;
        self.stride > 0 && [0, dim].contains(&self.last.len()) && self.states.len() == states * dim && ready
    }
}
