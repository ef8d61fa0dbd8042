//! When the warm-up learns: at times that grow by 1.3, the last at nine tenths of the warm-up.

use serde::{Deserialize, Serialize};

/// The first time anything but the scales is learned.
const FIRST: u64 = 100;
const GROWTH: f64 = 1.3;
/// Before this share of the warm-up only adaptive Metropolis moves: z would be of the way to the target, not of it.
const LOCAL_UNTIL: f64 = 0.25;
/// From this share on only the scales are learned.
const LAST: f64 = 0.9;
/// The shortest history from which a density estimate is chosen.
const LEAST_TO_CHOOSE: u64 = 1000;

/// The times of a warm-up, in iterations made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    warmup: u64,
}

impl Schedule {
    /// Of a warm-up of this many iterations.
    pub fn new(warmup: u64) -> Self {
        Self { warmup }
    }

    /// The last refresh.
    pub fn last(self) -> u64 {
        (self.warmup as f64 * LAST) as u64
    }

    /// The refresh after that at `t`, or the first after 0; none after the last.
    pub fn after(self, t: u64) -> Option<u64> {
        let next = if t == 0 { FIRST } else { (t as f64 * GROWTH) as u64 + 1 };
        // A refresh shortly before the last would learn next to nothing more.
        let next = if next as f64 * GROWTH.sqrt() > self.last() as f64 { self.last() } else { next };
        (t < self.last()).then_some(next)
    }

    /// Whether z, and the moves made of it, are learned at `t`.
    pub fn has_history(self, t: u64) -> bool {
        t as f64 >= LOCAL_UNTIL * self.warmup as f64
    }

    /// Whether metric and density estimate are chosen anew at the refresh of this number, at `t`.
    pub fn chooses(self, t: u64, number: u64) -> bool {
        t == self.last() || (t >= LEAST_TO_CHOOSE && number.is_multiple_of(2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refreshes_grow_apart_and_end_at_nine_tenths() {
        for warmup in [100, 500, 3000, 20_000, 1_000_000] {
            let schedule = Schedule::new(warmup);
            let times: Vec<u64> = std::iter::successors(schedule.after(0), |t| schedule.after(*t)).collect();
            assert_eq!(*times.last().unwrap(), warmup * 9 / 10);
            assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
            assert!(times.len() < 40);
        }
        assert_eq!(Schedule::new(0).after(0), None);
    }
}
