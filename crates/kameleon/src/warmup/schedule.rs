//! When the warm-up learns.
//!
//! All times but growth are for four chains, and by the evaluations of the whole group: twice as many chains take half the
//! iterations, down to a few in each round.
//!
//! Groups of [`MANY`] chains and more do not wait for their slowest chain: what is learned from a round is taken a round later.
//!
//! At first at times that grow by 1.3, when only steps are made; then, when there are jumps, in rounds of 500 jump proposals and more.
//! The last time is nine tenths of a warm-up of fixed length. One that ends when it has learned ends after enough good rounds.

use crate::length::Length;
use serde::{Deserialize, Serialize};

/// The first time anything but the scales is learned.
const FIRST: u64 = 100;
/// The shortest warm-up from which something can be learned, …
const LEAST_WARMUP: u64 = 200;
/// … and by many chains.
const LEAST_WARMUP_OF_MANY: u64 = 40;
/// Times grow at least by this while there are only steps, …
const GROWTH: f64 = 1.3;
/// … and by this in rounds of jumps, …
const ROUND_GROWTH: f64 = 1.25;
/// … which have at least about this many jump proposals, and by this when enough is learned.
const ROUND: f64 = 500.0;
const LEARNED_GROWTH: f64 = 2.0;
/// Before this time, or this share of a short warm-up, there are only steps: z would be of the way to the target, not of it.
const LOCAL_UNTIL: u64 = 400;
const LOCAL_SHARE: f64 = 0.25;
/// From this share on only the scales are learned.
const LAST: f64 = 0.9;
/// The most iterations that scales settle for in a warm-up that ends when it has learned.
const SETTLING: u64 = 150;
/// The shortest warm-up that ends when it has learned.
const SHORTEST: u64 = 1000;

/// The number of chains that the times are for.
const USUAL: u64 = 4;
/// Where more learn together, a round has at least this share of a warm-up, within bounds: in longer rounds chains that are slow for
/// a while hold up fewer others, in shorter ones less is learned late.
const LEAST_ROUND: f64 = 0.025;
const ROUND_BOUNDS: (f64, f64) = (4.0, 16.0);
/// The fewest iterations of scales to settle.
const LEAST_SETTLING: u64 = 20;
/// The fewest iterations of steps only, from wherever chains start.
const LEAST_LOCAL: u64 = 60;
/// From this number on chains are many: they may be short, and run ahead of the slowest by up to a round.
pub const MANY: usize = 8;
/// In which rounds grow by less, since nothing more is learned from the last of them.
const AHEAD_GROWTH: f64 = 1.05;

/// The times of a warm-up, in iterations made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    warmup: u64,
    until_learned: bool,
    together: usize,
}

impl Schedule {
    /// Of a warm-up of this length.
    pub fn new(Length { warmup, until_learned, together, .. }: Length) -> Self {
        Self { warmup, until_learned, together }
    }

    /// Whether chains go on before what is learned from the round that they end is known.
    pub fn runs_ahead(self) -> bool {
        self.together >= MANY
    }

    /// The iterations, given for four chains, that a group of this size needs for the same number of evaluations; at least `least`.
    pub fn shared(self, iterations: u64, least: u64) -> u64 {
        match self.together as u64 {
            ..=USUAL => iterations,
            together => (iterations * USUAL / together).max(least),
        }
    }

    /// The fewest iterations of a round.
    fn least_round(self) -> u64 {
        (LEAST_ROUND * self.warmup as f64).clamp(ROUND_BOUNDS.0, ROUND_BOUNDS.1) as u64
    }

    /// The shortest warm-up from which something can be learned.
    pub fn least(self) -> u64 {
        self.shared(LEAST_WARMUP, LEAST_WARMUP_OF_MANY)
    }

    /// The last refresh, if none before it was good enough.
    pub fn last(self) -> u64 {
        (self.warmup as f64 * LAST) as u64
    }

    /// The first refresh; none in a warm-up without any.
    pub fn first(self) -> Option<u64> {
        (self.last() > 0).then_some(self.shared(FIRST, self.least_round()).min(self.last()))
    }

    /// The refresh after that at `t`, when chains make `jumps` jump proposals together in one iteration; none after the last.
    pub fn after(self, t: u64, jumps: f64, learned: bool) -> Option<u64> {
        let growth = match jumps > 0.0 {
            true if learned => LEARNED_GROWTH,
            true if self.runs_ahead() => AHEAD_GROWTH,
            true => ROUND_GROWTH,
            false => GROWTH,
        };
        let round = if jumps > 0.0 { ROUND / jumps } else { 0.0 };
        let next = (t as f64 * growth).max(t as f64 + round) as u64 + 1;
        let next = next.max(t + self.shared(0, self.least_round()));
        // A refresh shortly before the last would learn next to nothing more.
        let next = if next as f64 * growth.sqrt() > self.last() as f64 { self.last() } else { next };
        (t < self.last()).then_some(next)
    }

    /// Whether z and the jump density, and the moves made of them, are learned at `t`.
    pub fn has_history(self, t: u64) -> bool {
        t >= self.shared(LOCAL_UNTIL, LEAST_LOCAL) || t as f64 >= LOCAL_SHARE * self.warmup as f64
    }

    /// Whether the warm-up may end at `t` because it has learned.
    pub fn may_end(self, t: u64) -> bool {
        self.until_learned && t as f64 >= LAST * self.shared(SHORTEST, 5 * self.least_round()) as f64
    }

    /// The length of a warm-up that did not end earlier.
    pub fn longest(self) -> u64 {
        self.end(self.last())
    }

    /// The fewest iterations between the last refresh and the end of the warm-up.
    pub fn settling(self) -> u64 {
        let settling = self.warmup - self.last();
        if self.until_learned { settling.min(self.shared(SETTLING, LEAST_SETTLING)) } else { settling }
    }

    /// When the warm-up ends whose last refresh was at `t`: the scales of steps have a tenth of it to settle, and a short time at most
    /// in one that ends when it has learned.
    pub fn end(self, t: u64) -> u64 {
        let end = if t == self.last() { self.warmup } else { (t as f64 / LAST) as u64 };
        if self.until_learned { end.min(t + self.shared(SETTLING, LEAST_SETTLING)) } else { end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refreshes_grow_apart_and_end_at_nine_tenths() {
        for (warmup, jumps) in [(100, 0.0), (500, 1.0), (3000, 1.0), (20_000, 2.0), (20_000, 0.0), (1_000_000, 2.0)] {
            let schedule = Schedule::new(Length::new(warmup, 0));
            let times: Vec<u64> =
                std::iter::successors(schedule.first(), |t| schedule.after(*t, jumps, false)).collect();
            assert_eq!(*times.last().unwrap(), warmup * 9 / 10);
            assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
            assert!(times.len() < 60);
            assert_eq!(schedule.end(schedule.last()), warmup);
        }
        for (together, warmup) in [(5, 3000), (8, 2000), (64, 625), (256, 160), (1000, 40), (1000, 100_000)] {
            let schedule = Schedule::new(Length { together, ..Length::new(warmup, 0) });
            let jumps = 0.5 * together as f64;
            let times: Vec<u64> =
                std::iter::successors(schedule.first(), |t| schedule.after(*t, jumps, false)).collect();
            assert_eq!(*times.last().unwrap(), warmup * 9 / 10);
            assert!(
                (3..200).contains(&times.len()) && times.windows(2).all(|pair| pair[1] >= pair[0] + 4),
                "{times:?}"
            );
        }
        assert_eq!(Schedule::new(Length::new(0, 0)).first(), None);
    }
}
