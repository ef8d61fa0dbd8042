//! What a chain is at a moment: where it stands, what it asked for, its random streams, and its proposal.

use super::block::Block;
use super::delay::Delay;
use crate::Rng;
use crate::statistics::Statistics;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// A point and everything paid for at it. Because the log density stays with its point, an estimate is recycled for as
/// long as the chain stays: a pseudo-marginal chain needs no code of its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Place {
    pub x: Vec<f64>,
    /// The standard normals that the estimate at x was made of.
    pub u: Vec<f64>,
    pub log_density: f64,
    /// ∇ log density, or the estimate of it that came with that of the density; empty unless the proposal needs it.
    pub gradient: Vec<f64>,
    /// Where the noise stream was before the estimate at x was made: with it and `u` the same estimate can be made again.
    pub noise_at: u64,
}

impl Place {
    /// Takes over another place of the same size, without allocating.
    pub fn copy_from(&mut self, other: &Self) {
        self.x.copy_from_slice(&other.x);
        self.u.copy_from_slice(&other.u);
        self.gradient.copy_from_slice(&other.gradient);
        (self.log_density, self.noise_at) = (other.log_density, other.noise_at);
    }

    /// Whether another is a point of the same space.
    pub fn is_like(&self, other: &Self) -> bool {
        let lengths = |place: &Self| [&place.x, &place.u, &place.gradient].map(Vec::len);
        lengths(self) == lengths(other)
    }
}

/// What the chain is waiting to be told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Asked {
    /// The log density at the start.
    Start,
    /// Nothing: ask first.
    Nothing,
    /// The log density at a proposed point, from this component.
    Proposed(usize),
    /// Nothing: it is in the middle of a step. A chain stored like this was broken by a panic, and is refused.
    Judging,
}

/// What a chain is, apart from its proposal and where it starts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainSettings {
    /// Which chain of the run, from 0.
    pub index: usize,
    /// The seed of the run.
    pub seed: u64,
    /// Iterations of warm-up.
    pub warmup: u64,
    /// How many standard normals the target takes ([`Target::normals`](crate::Target::normals)).
    pub normals: usize,
    /// ρ of a correlated pseudo-marginal chain: u' = ρu + √(1 − ρ²)ξ. Zero draws them afresh.
    pub correlation: f64,
}

/// What every chain has, whatever its proposal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChainCore {
    pub(super) settings: ChainSettings,
    pub(super) here: Place,
    pub(super) there: Place,
    /// Whether the point that the last step tried is `here`; else it is `there`.
    pub(super) is_there: bool,
    pub(super) block: Block,
    pub(super) delay: Delay,
    pub(super) asked: Asked,
    pub(super) t: u64,
    pub(super) rng: Rng,
    pub(super) noise: Rng,
    pub(super) statistics: Statistics,
}

impl ChainCore {
    /// Moves to the proposed point with probability min(1, ratio); tells whether the draw that is shown is a new one.
    pub(super) fn judge_alone(&mut self, log_ratio: f64) -> bool {
        let u: f64 = self.rng.random();
        self.is_there = u < libm::exp(log_ratio.min(0.0));
        if self.is_there {
            std::mem::swap(&mut self.here, &mut self.there);
        }
        if !self.delay.is_used() {
            return self.is_there;
        }
        let is_new = self.delay.show(&self.here);
        self.delay.add(&self.here, self.is_there);
        is_new
    }

    /// Adds the proposed point to a block of jumps; tells whether the draw that is shown is a new one.
    pub(super) fn add_to_block(&mut self, log_ratio: f64) -> bool {
        self.block.add(&self.there, log_ratio);
        self.is_there = false;
        self.delay.show(&self.here)
    }

    /// Judges the points of a block together once it has all, and goes to where the chain goes on from; tells how many became draws.
    pub(super) fn close_block(&mut self) -> Option<u64> {
        self.block.close(&mut self.here, &mut self.delay, &mut self.rng)
    }

    /// The standard normals that go with the point asked for.
    pub fn normals(&self) -> &[f64] {
        &self.there.u
    }

    /// The draw that the last step showed, with all that belongs to it.
    pub(super) fn shown(&self) -> &Place {
        self.delay.shown(&self.here)
    }

    /// The draw that the last step showed. That is where the chain is, or was a block of jumps ago.
    pub fn position(&self) -> &[f64] {
        &self.shown().x
    }

    /// Where the next move starts from.
    pub fn base(&self) -> &[f64] {
        &self.here.x
    }

    /// The log density, or its estimate, at [`ChainCore::position`].
    pub fn log_density(&self) -> f64 {
        self.shown().log_density
    }

    /// The point that the last step tried, whatever became of it.
    pub fn tried(&self) -> &[f64] {
        if self.is_there { &self.here.x } else { &self.there.x }
    }

    /// Which chain of the run it is, from 0.
    pub fn index(&self) -> usize {
        self.settings.index
    }

    /// How many iterations of warm-up it has.
    pub fn warmup(&self) -> u64 {
        self.settings.warmup
    }

    /// The number of steps so far.
    pub fn iterations(&self) -> u64 {
        self.t
    }

    /// What happened so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }
}

/// Everything a chain is at a moment, to be stored and resumed from bit for bit. What follows from it is not stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChainState<P> {
    pub(super) core: ChainCore,
    pub(super) proposal: P,
}

impl<P> ChainState<P> {
    /// Its proposal.
    pub fn proposal(&self) -> &P {
        &self.proposal
    }

    /// The same, to be changed.
    pub(crate) fn proposal_mut(&mut self) -> &mut P {
        &mut self.proposal
    }
}
