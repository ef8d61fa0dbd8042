//! How far a chain or a population is, for another thread to watch.

use crate::any_chain::AnyChain;
use crate::diagnose::summarise;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A chain's progress, for another thread to watch.
#[derive(Debug, Default)]
pub struct Progress {
    /// Iterations so far.
    pub iterations: AtomicU64,
    /// Iterations of warm-up, or the most of them while it may end before.
    pub warmup: AtomicU64,
    accepted: AtomicU64,
    scale: AtomicU64,
    looks: Mutex<Looks>,
    /// Whether the chain has ended.
    pub done: AtomicBool,
}

impl Progress {
    /// The share of accepted points over the chain so far.
    pub fn acceptance(&self) -> f64 {
        self.accepted.load(Ordering::Relaxed) as f64 / self.iterations.load(Ordering::Relaxed).max(1) as f64
    }

    /// The proposal's scale ν.
    pub fn scale(&self) -> f64 {
        f64::from_bits(self.scale.load(Ordering::Relaxed))
    }

    pub(crate) fn update(&self, chain: &dyn AnyChain) {
        let statistics = chain.statistics();
        self.iterations.store(chain.iterations(), Ordering::Relaxed);
        self.warmup.store(chain.warmup(), Ordering::Relaxed);
        self.accepted.store(statistics.warmup.accepted + statistics.sampling.accepted, Ordering::Relaxed);
        self.scale.store(chain.scale().to_bits(), Ordering::Relaxed);
        if chain.iterations() > chain.warmup() {
            self.looks.lock().unwrap_or_else(PoisonError::into_inner).add(chain.iterations(), chain.position());
        }
    }
}

/// How many points of a chain are kept to look at.
const MOST_LOOKS: usize = 1000;

/// Points of a chain after its warm-up, at about equal distances, on the unbounded scale.
#[derive(Debug, Default)]
struct Looks {
    points: Vec<Vec<f64>>,
    last: u64,
    gap: u64,
}

impl Looks {
    fn add(&mut self, iteration: u64, x: &[f64]) {
        if iteration < self.last.saturating_add(self.gap) || iteration == self.last {
            return;
        }
        self.last = iteration;
        self.points.push(x.to_vec());
        if self.points.len() >= MOST_LOOKS {
            let mut keep = false;
            self.points.retain(|_| {
                keep = !keep;
                keep
            });
            self.gap = (iteration / self.points.len() as u64).max(2 * self.gap);
        }
    }
}

/// How well a run has converged so far, by looks at its chains now and then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoFar {
    /// The largest R-hat of all parameters.
    pub r_hat: f64,
    /// The smallest effective number of the points that were looked at: there are at least as many effective draws.
    pub ess: f64,
}

impl SoFar {
    /// Of these chains; none before there is enough to look at.
    pub fn of(chains: &[Progress]) -> Option<Self> {
        let points =
            |progress: &Progress| progress.looks.lock().unwrap_or_else(PoisonError::into_inner).points.concat();
        let dim = chains.first()?.looks.lock().unwrap_or_else(PoisonError::into_inner).points.first()?.len();
        let points: Vec<Vec<f64>> = chains.iter().map(points).collect();
        let points: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
        if points.iter().any(|points| points.len() < LEAST_LOOKS * dim) {
            return None;
        }
        let parameters = summarise(&[], &points, dim).parameters;
        let r_hat = parameters.iter().map(|p| p.r_hat).fold(f64::NAN, f64::max);
        let ess = parameters.iter().map(|p| p.ess_bulk.min(p.ess_tail)).fold(f64::NAN, f64::min);
        (r_hat.is_finite() && ess.is_finite()).then_some(Self { r_hat, ess })
    }
}

/// The fewest points of each chain that say anything.
const LEAST_LOOKS: usize = 20;

/// What a population is doing, for another thread to watch.
#[derive(Debug, Default)]
pub struct PopulationProgress(Mutex<Option<String>>);

impl PopulationProgress {
    /// A line for people; none before the population begins, and after it has ended.
    pub fn line(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Says what it is doing.
    pub fn say(&self, line: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = line;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_few_and_spread_over_the_whole_chain() {
        let mut looks = Looks::default();
        (1..=100_000).for_each(|t| looks.add(t, &[t as f64]));
        assert!((MOST_LOOKS / 4..MOST_LOOKS).contains(&looks.points.len()), "{}", looks.points.len());
        let before = |share: f64| looks.points.iter().filter(|x| x[0] < share * 1e5).count() as f64;
        assert!((before(0.5) / looks.points.len() as f64 - 0.5).abs() < 0.2);
    }

    #[test]
    fn chains_apart_are_seen_while_they_run() {
        let chains = |apart: f64| -> Vec<Progress> {
            let chain = |k: usize| {
                let progress = Progress::default();
                for t in 1..500_u64 {
                    // Numbers that are spread evenly, in no order.
                    let x = (t as f64 * 0.618_033_988_749).fract();
                    progress.looks.lock().unwrap().add(t, &[x + apart * k as f64]);
                }
                progress
            };
            (0..2).map(chain).collect()
        };
        assert!(SoFar::of(&chains(0.0)).unwrap().r_hat < 1.05);
        assert!(SoFar::of(&chains(5.0)).unwrap().r_hat > 1.5);
        assert_eq!(SoFar::of(&[Progress::default()]), None);
    }
}
