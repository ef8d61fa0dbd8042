//! How adaptation fades: when a proposal may learn, how often it takes a new z, and the scale it learns.

use crate::registry::{Kind, Typed};
use serde::{Deserialize, Serialize};

/// The acceptance rate that the scale is driven to (Gelman et al. 1996).
pub const ACCEPTANCE: f64 = 0.234;

/// When a proposal stops learning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// Frozen at the end of the warm-up, so that the draws come from one fixed, exact kernel.
    #[default]
    Warmup,
    /// Never frozen: right only if what is learned changes ever less.
    Forever,
}

impl Typed for Until {
    const KIND: Kind = Kind::Word(&["warmup", "forever"]);
}

impl Until {
    /// Whether the proposal may learn from a step.
    pub fn allows(self, warm: bool) -> bool {
        warm || self == Until::Forever
    }
}

/// p_t: with what probability the proposal takes a new subsample z at iteration t.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// The same probability at every iteration.
    Constant(f64),
    /// t^−a. With a ≤ 1 its sum diverges while p_t → 0, so a chain may keep adapting for ever.
    Power(f64),
    /// From each of these iterations on, this probability; zero before the first.
    Steps(Vec<(u64, f64)>),
}

impl Default for Schedule {
    fn default() -> Self {
        Self::Constant(1.0)
    }
}

impl Typed for Schedule {
    const KIND: Kind = Kind::Schedule;
}

impl Schedule {
    /// p_t
    pub fn probability(&self, t: u64) -> f64 {
        match self {
            Self::Constant(p) => *p,
            Self::Power(a) => libm::pow(t.max(1) as f64, -a),
            Self::Steps(steps) => steps.iter().rev().find(|(from, _)| *from <= t).map_or(0.0, |(_, p)| *p),
        }
    }

    /// What is wrong with the schedule, if anything.
    pub(crate) fn problem(&self) -> Option<String> {
        let is_probability = |p: &f64| (0.0..=1.0).contains(p);
        match self {
            Self::Constant(p) if !is_probability(p) => Some(format!("p must be between 0 and 1, not {p}")),
            Self::Power(a) if !(*a >= 0.0 && a.is_finite()) => {
                Some(format!("the exponent of t^−a must be ≥ 0, not {a}"))
            }
            Self::Steps(steps) if !steps.iter().all(|(_, p)| is_probability(p)) => {
                Some("every p must be between 0 and 1".into())
            }
            Self::Steps(steps) if !steps.is_sorted_by_key(|(from, _)| *from) => {
                Some("the steps must be in order of iterations".into())
            }
            _ => None,
        }
    }
}

/// ν², learned on the log scale by Robbins and Monro's recursion: ln ν² ← ln ν² + λ (α − α*).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    log: f64,
}

impl Scale {
    /// ln ν² stays within ± this, so that a proposal that can never be right does not overflow.
    const BOUND: f64 = 60.0;

    /// Starts at ν².
    pub fn new(nu2: f64) -> Self {
        Self { log: libm::log(nu2) }
    }

    /// ν²
    pub fn nu2(&self) -> f64 {
        libm::exp(self.log)
    }

    /// ν
    pub fn nu(&self) -> f64 {
        libm::exp(0.5 * self.log)
    }

    /// One step of size `rate` towards the acceptance rate `goal`.
    pub fn learn(&mut self, rate: f64, acceptance: f64, goal: f64) {
        self.log = (self.log + rate * (acceptance - goal)).clamp(-Self::BOUND, Self::BOUND);
    }
}

/// λ_t = (t − discard + 1)^−power, once t has reached the discard.
pub fn rate(t: u64, discard: u64, power: f64) -> Option<f64> {
    let age = (t + 1).checked_sub(discard)?;
    (age > 0).then(|| libm::pow(age as f64, -power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_give_their_probabilities() {
        assert_eq!(Schedule::Constant(0.3).probability(17), 0.3);
        assert_eq!(Schedule::Power(0.5).probability(0), 1.0);
        assert_eq!(Schedule::Power(0.5).probability(100), 0.1);
        let steps = Schedule::Steps(vec![(10, 1.0), (100, 0.2)]);
        assert_eq!([0, 10, 99, 100].map(|t| steps.probability(t)), [0.0, 1.0, 1.0, 0.2]);
    }

    #[test]
    fn wrong_schedules_are_told() {
        for wrong in [
            Schedule::Constant(1.5),
            Schedule::Constant(f64::NAN),
            Schedule::Power(-1.0),
            Schedule::Steps(vec![(0, 2.0)]),
            Schedule::Steps(vec![(5, 0.1), (2, 0.1)]),
        ] {
            assert!(wrong.problem().is_some(), "{wrong:?}");
        }
        assert_eq!(Schedule::default().problem(), None);
    }

    #[test]
    fn the_scale_follows_the_acceptance_and_stays_in_bounds() {
        let mut scale = Scale::new(0.5);
        scale.learn(1.0, 1.0, ACCEPTANCE);
        assert!((scale.nu2() - 0.5 * 0.766f64.exp()).abs() < 1e-12);
        for _ in 0..1000 {
            scale.learn(1.0, 0.0, ACCEPTANCE);
        }
        assert!(scale.nu2() > 1e-27);
    }

    #[test]
    fn the_rate_starts_at_one_when_the_discard_is_over() {
        assert_eq!(rate(499, 500, 0.5), None);
        assert_eq!(rate(500, 500, 0.5), Some(1.0));
        assert_eq!(rate(503, 500, 0.5), Some(0.5));
    }
}
