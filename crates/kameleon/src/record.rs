//! What is recorded of a chain: which iterations, and where they go.

use crate::any_chain::AnyChain;
use crate::chain::{Drawn, Outcome, Step};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The least number of proposals that is expected of a stratum.
const LEAST_EXPECTED: f64 = 20.0;

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
    /// The logarithm of the weight of each, once they were weighed ([`Jumps::weigh`]).
    pub log_weight: Vec<f64>,
}

impl Jumps {
    fn get(&self, k: usize, dim: usize) -> Jump<'_> {
        let drawn = Drawn { log_ratio: self.log_ratio[k], part: self.part[k] };
        Jump { x: &self.points[k * dim..(k + 1) * dim], drawn }
    }

    /// Weighs all that a chain has, by the shares that the parts of Q have. The weight of a proposal is π/Q, corrected for how often its
    /// part was drawn from: points of a block of jumps keep away from the part that the chain is in, so that parts with more of π
    /// than of Q are drawn from a little less often than their share. Given what came before, a proposal is a draw from its part, so
    /// that the mean over a part is right, and these means count by the shares of the parts (stratified sampling). Parts that too few proposals are
    /// expected of are taken together: one that no proposal came from would be lost.
    pub fn weigh(&mut self, shares: &[f64]) {
        let strata = strata(shares, self.part.iter().filter(|part| usize::from(**part) < shares.len()).count());
        let mut sums = vec![(0.0, 0.0); shares.len()];
        strata.iter().zip(shares).for_each(|(stratum, share)| sums[*stratum].0 += share);
        let stratum = |part: &u8| strata.get(usize::from(*part)).copied();
        self.part.iter().filter_map(stratum).for_each(|stratum| sums[stratum].1 += 1.0);
        let all: f64 = sums.iter().map(|(_, count)| count).sum();
        let factor = |(share, count): (f64, f64)| libm::log(share * all / count);
        let factor = |part: &u8| stratum(part).map_or(0.0, |stratum| factor(sums[stratum]));
        self.log_weight = self.log_ratio.iter().zip(&self.part).map(|(log, part)| log + factor(part)).collect();
    }
}

/// The stratum of each part of a density, by the shares of these: a part for itself if at least [`LEAST_EXPECTED`] of `count` proposals are
/// expected of it, and the smaller ones together with as many others as that takes.
fn strata(shares: &[f64], count: usize) -> Vec<usize> {
    let mut by_share: Vec<usize> = (0..shares.len()).collect();
    by_share.sort_by(|a, b| shares[*a].total_cmp(&shares[*b]));
    let mut strata = vec![0; shares.len()];
    let (mut stratum, mut expected) = (0, 0.0);
    for part in by_share {
        if expected >= LEAST_EXPECTED {
            (stratum, expected) = (stratum + 1, 0.0);
        }
        strata[part] = stratum;
        expected += shares[part] * count as f64;
    }
    strata
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

#[cfg(test)]
mod tests {
    use super::*;

    fn weighed(part: &[u8], log_ratio: &[f64], shares: &[f64]) -> Vec<f64> {
        let mut jumps = Jumps { part: part.to_vec(), log_ratio: log_ratio.to_vec(), ..Jumps::default() };
        jumps.weigh(shares);
        jumps.log_weight
    }

    #[test]
    fn a_part_that_was_drawn_from_too_rarely_weighs_more() {
        let part: Vec<u8> = (0..400).map(|k| u8::from(k % 4 == 0)).collect();
        let weights = weighed(&part, &[1.0; 400], &[0.5, 0.5]);
        let factors: Vec<f64> = weights.iter().map(|log| libm::exp(log - 1.0)).collect();
        for (part, factor) in part.iter().zip(&factors) {
            assert!((factor - if *part == 1 { 2.0 } else { 2.0 / 3.0 }).abs() < 1e-12);
        }
        assert!((factors.iter().sum::<f64>() - 400.0).abs() < 1e-9);
    }

    #[test]
    fn points_without_a_density_and_points_of_no_part_keep_their_ratio() {
        let none = f64::NEG_INFINITY;
        assert_eq!(weighed(&[0, 1], &[none, 2.0], &[0.5, 0.5]), [none, 2.0]);
        assert_eq!(weighed(&[Drawn::NO_PART; 2], &[1.0, 2.0], &[0.5, 0.5]), [1.0, 2.0]);
        assert_eq!(weighed(&[0, 1], &[1.0, 2.0], &[]), [1.0, 2.0]);
        assert!(weighed(&[], &[], &[0.5, 0.5]).is_empty());
    }

    #[test]
    fn parts_that_few_proposals_are_expected_of_are_taken_together_so_that_none_is_lost() {
        // With 96 proposals all but the largest are too small for strata of their own, and many have no proposal at all.
        let shares: Vec<f64> = (0..60).map(|k| if k == 0 { 0.5 } else { 0.5 / 59.0 }).collect();
        let part: Vec<u8> = (0..96_u32).map(|k| if k % 2 == 0 { 0 } else { 1 + (k / 2 * 11 % 59) as u8 }).collect();
        let weights = weighed(&part, &[0.0; 96], &shares);
        let mean = weights.iter().map(|log| libm::exp(*log)).sum::<f64>() / 96.0;
        assert!((mean - 1.0).abs() < 1e-9, "{mean}");
        // Of a few proposals nothing is known of how often parts are drawn from.
        assert!(weighed(&[3, 7, 0], &[0.5; 3], &shares).iter().all(|log| (log - 0.5).abs() < 1e-12));
    }
}
