//! What is recorded of a chain: which iterations, and where they go.

mod weigh;

pub use weigh::{JumpsFrom, weigh};

use crate::any_chain::AnyChain;
use crate::chain::{Drawn, Outcome, Step};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Why a draw could not be recorded.
pub type RecordError = Box<dyn std::error::Error + Send + Sync>;

/// One recorded iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draw<'a> {
    /// The point.
    pub x: &'a [f64],
    /// The log density, or its estimate, there.
    pub log_density: f64,
    /// The probability with which the point that its iteration tried was accepted, or would be by itself.
    pub acceptance: f64,
    /// Whether it is a new point.
    pub outcome: Outcome,
    /// Whether it belongs to the warm-up.
    pub warm: bool,
    /// The jump proposal of that step, if it was a jump after the warm-up.
    pub jump: Option<Jump<'a>>,
}

/// A jump proposal, whatever became of it: a draw from a known density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump<'a> {
    /// The point.
    pub x: &'a [f64],
    /// What is known of it.
    pub drawn: Drawn,
}

/// Which iterations are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// Every how many iterations one is recorded.
    pub thin: u64,
    /// Whether the warm-up is recorded too, thinned in the same way.
    pub warmup: bool,
    /// Whether jump proposals of recorded iterations after the warm-up are recorded too.
    pub jumps: bool,
}

impl Keep {
    /// The draw that a step of `chain` ends in, if it is recorded. Thinning is decided here and nowhere else.
    pub fn draw<'a>(self, chain: &'a dyn AnyChain, step: &Step) -> Option<Draw<'a>> {
        let kept = match step.warm {
            false => step.sampling.is_multiple_of(self.thin),
            true => self.warmup && (step.t + 1).is_multiple_of(self.thin),
        };
        let Step { acceptance, outcome, warm, .. } = *step;
        kept.then(|| {
            let drawn = step.jump.filter(|_| self.jumps && !warm);
            let jump = drawn.map(|drawn| Jump { x: chain.tried(), drawn });
            Draw { x: chain.position(), log_density: chain.log_density(), acceptance, outcome, warm, jump }
        })
    }
}

/// Draws in memory, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Draws {
    /// The points, one after another.
    pub points: Vec<f64>,
    /// The log density, or its estimate, at each.
    pub log_density: Vec<f64>,
    /// The probability with which the point that its iteration tried was accepted; empty where it was not recorded.
    pub acceptance: Vec<f64>,
    /// Whether it is a new point; empty where it was not recorded.
    pub outcome: Vec<Outcome>,
    /// The jump proposals among the steps that ended there.
    pub jumps: Jumps,
}

/// Jump proposals in memory, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Jumps {
    /// For each, the draw that its step ended in, from 0.
    pub draw: Vec<usize>,
    /// The points, one after another.
    pub points: Vec<f64>,
    /// ln π − ln Q at each; −∞ where the target has no density.
    pub log_ratio: Vec<f64>,
    /// The part of Q that each was drawn from, or [`Drawn::NO_PART`].
    pub part: Vec<u8>,
    /// The logarithm of the weight of each, once they were weighed ([`weigh`]).
    pub log_weight: Vec<f64>,
}

impl Jumps {
    fn get(&self, k: usize, dim: usize) -> Jump<'_> {
        let drawn = Drawn { log_ratio: self.log_ratio[k], part: self.part[k] };
        Jump { x: &self.points[k * dim..(k + 1) * dim], drawn }
    }
}

impl Draws {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.log_density.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.log_density.is_empty()
    }

    /// Whether there is a point in `dim` dimensions for each, and the rest for each or for none.
    pub fn fit(&self, dim: usize) -> bool {
        let n = self.len();
        let Jumps { draw, points, log_ratio, part, log_weight } = &self.jumps;
        let jumps = points.len() == draw.len() * dim
            && [log_ratio.len(), part.len()] == [draw.len(); 2]
            && [0, draw.len()].contains(&log_weight.len());
        let in_order = draw.is_sorted_by(|a, b| a < b) && draw.last().is_none_or(|last| *last < n);
        jumps
            && in_order
            && self.points.len() == n * dim
            && [self.acceptance.len(), self.outcome.len()].iter().all(|m| [0, n].contains(m))
    }

    fn push(&mut self, draw: Draw<'_>) {
        if let Some(Jump { x, drawn }) = draw.jump {
            self.jumps.draw.push(self.len());
            self.jumps.points.extend_from_slice(x);
            self.jumps.log_ratio.push(drawn.log_ratio);
            self.jumps.part.push(drawn.part);
        }
        self.points.extend_from_slice(draw.x);
        self.log_density.push(draw.log_density);
        self.acceptance.push(draw.acceptance);
        self.outcome.push(draw.outcome);
    }
}

/// Everything recorded of a chain, in memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// The warm-up, if it is recorded.
    pub warmup: Draws,
    /// The draws after it.
    pub draws: Draws,
}

impl Recorded {
    /// Room for `count` draws in `dim` dimensions, if there is that much memory.
    pub fn with_capacity(count: u64, dim: usize) -> Option<Self> {
        let count = usize::try_from(count).ok()?;
        let mut recorded = Self::default();
        let draws = &mut recorded.draws;
        draws.points.try_reserve_exact(count.checked_mul(dim)?).ok()?;
        draws.log_density.try_reserve_exact(count).ok()?;
        draws.acceptance.try_reserve_exact(count).ok()?;
        draws.outcome.try_reserve_exact(count).ok()?;
        Some(recorded)
    }

    /// Whether everything is there of every draw in `dim` dimensions.
    pub fn fits(&self, dim: usize) -> bool {
        let whole = |draws: &Draws| draws.acceptance.len() == draws.len() && draws.outcome.len() == draws.len();
        [&self.warmup, &self.draws].into_iter().all(|draws| draws.fit(dim) && whole(draws))
    }

    /// Adds a draw.
    pub fn push(&mut self, draw: Draw<'_>) {
        if draw.warm { &mut self.warmup } else { &mut self.draws }.push(draw);
    }

    /// All draws in `dim` dimensions, in the order in which they were made.
    pub fn iter(&self, dim: usize) -> impl Iterator<Item = Draw<'_>> {
        [(&self.warmup, true), (&self.draws, false)].into_iter().flat_map(move |(draws, warm)| {
            let mut jumps = draws.jumps.draw.iter().enumerate().peekable();
            draws.points.chunks_exact(dim).enumerate().map(move |(i, x)| {
                let (log_density, acceptance, outcome) = (draws.log_density[i], draws.acceptance[i], draws.outcome[i]);
                let jump = jumps.next_if(|(_, draw)| **draw == i).map(|(k, _)| draws.jumps.get(k, dim));
                Draw { x, log_density, acceptance, outcome, warm, jump }
            })
        })
    }
}

/// The moments at which a record may save its chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The chain rests, about fifty times a second.
    Pause,
    /// The chain waits for its group, or goes on after it has waited, and the group learns from it next. A record from which the chain can be resumed must save it
    /// now, so that no other chain is ever saved with something learned from a later state than this one's.
    Waiting,
    /// The chain has stopped.
    End,
}

/// Where the draws of one chain go.
pub trait Record: Send {
    /// Adds a draw.
    fn push(&mut self, draw: Draw<'_>) -> Result<(), RecordError>;

    /// May save the chain, so that it can be resumed.
    fn save(&mut self, _chain: &dyn AnyChain, _moment: Moment) -> Result<(), RecordError> {
        Ok(())
    }

    /// Everything recorded so far.
    fn recorded(&self) -> Result<Cow<'_, Recorded>, RecordError>;

    /// Everything recorded, at the end.
    fn into_recorded(self: Box<Self>) -> Result<Recorded, RecordError> {
        Ok(self.recorded()?.into_owned())
    }
}

/// The record in memory.
impl Record for Recorded {
    fn push(&mut self, draw: Draw<'_>) -> Result<(), RecordError> {
        Recorded::push(self, draw);
        Ok(())
    }

    fn recorded(&self) -> Result<Cow<'_, Recorded>, RecordError> {
        Ok(Cow::Borrowed(self))
    }

    fn into_recorded(self: Box<Self>) -> Result<Recorded, RecordError> {
        Ok(*self)
    }
}
