//! What a group knows besides the model while it learns: its jump proposals, and how good the jump density has become.

use super::missed::{Met, log_mean};
use super::proposals::{Evaluated, Proposals};
use super::window::Window;
use crate::Rng;
use crate::diagnose::{Estimate, effective_number, log_sum_exp, pareto_k};
use crate::mixture::Sample;
use crate::moves::{Density, JumpDensity};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// A round is good if k̂, which is uncertain in one round, is below this …
const LARGEST_K: f64 = 0.7;
/// … and its efficiency at least this share of that of the round before.
const STABLE: f64 = 0.85;
/// Enough is learned after this many good rounds in a row, …
const GOOD_ROUNDS: usize = 3;
/// … with this many proposals together, …
const GOOD_PROPOSALS: usize = 4000;
/// … whose k̂ is below this, …
const LARGEST_K_TOGETHER: f64 = 0.5;
/// … when the first of the last rounds has at least this share of the efficiency of the last: one that rises is not at its end.
const RISEN: f64 = 0.75;
/// The most states of chains that are looked at for regions that the jump density misses.
const MOST_STATES: usize = 10_000;
/// The share of proposals that are held out.
const HELD_OUT: f64 = 0.4;
/// Proposals whose weight is below this share of the mean are left out.
const NEGLIGIBLE: f64 = 1e-5;

/// What a group knows besides the model while it learns.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "Q: Serialize + Clone", deserialize = "Q: Deserialize<'de>"))]
pub struct Learning<Q = JumpDensity> {
    proposals: Proposals<Q>,
    /// How many rounds in a row were good, and the efficiency of the last.
    good: usize,
    efficiency: f64,
}

impl<Q> Default for Learning<Q> {
    fn default() -> Self {
        Self { proposals: Proposals::default(), good: 0, efficiency: 0.0 }
    }
}

impl<Q: Density> Learning<Q> {
    /// Adds a round of proposals from a density, keeps at most `most_rounds` rounds, and judges that density by them.
    pub fn add(&mut self, density: &Q, drawn: Evaluated, most_rounds: usize) {
        let is_empty = drawn.is_empty();
        self.proposals.add(density, drawn, most_rounds);
        if is_empty {
            return;
        }
        let ratios = self.proposals.last_ratios(1);
        let efficiency = effective_number(&ratios) / ratios.len() as f64;
        let good = pareto_k(&ratios) < LARGEST_K && efficiency > STABLE * self.efficiency;
        self.good = if good { self.good + 1 } else { 0 };
        self.efficiency = efficiency;
    }

    /// Works out what is not stored.
    pub fn complete(&mut self) {
        self.proposals.complete();
    }

    /// The proposals.
    pub fn proposals(&self) -> &Proposals<Q> {
        &self.proposals
    }

    /// The effective share of the last round.
    pub fn efficiency(&self) -> f64 {
        self.efficiency
    }

    /// What the last three rounds say together; none before there are proposals.
    pub fn late(&self) -> Option<Estimate> {
        let ratios = self.proposals.last_ratios(GOOD_ROUNDS);
        (!ratios.is_empty()).then(|| Estimate::new(&ratios))
    }

    /// Starts to count good rounds anew.
    pub fn doubt(&mut self) {
        self.good = 0;
    }

    /// Whether what was read from elsewhere is of points in `dim` dimensions.
    pub fn fits(&self, dim: usize) -> bool {
        self.proposals.fits(dim)
    }

    /// Whether enough is learned.
    pub fn is_enough(&self) -> bool {
        let ratios = self.proposals.last_ratios(self.good);
        self.good >= GOOD_ROUNDS
            && ratios.len() >= GOOD_PROPOSALS
            && pareto_k(&ratios) < LARGEST_K_TOGETHER
            && !self.is_rising()
    }

    /// Whether the efficiency has risen much over the last rounds.
    fn is_rising(&self) -> bool {
        let [all, later] = [GOOD_ROUNDS, GOOD_ROUNDS - 1].map(|rounds| self.proposals.last_ratios(rounds));
        let first = &all[..all.len() - later.len()];
        effective_number(first) / (first.len() as f64) < RISEN * self.efficiency
    }

    /// All points where the target is known: proposals, and states of the chains. Nothing before there are proposals, which tell Z.
    pub fn met<'a>(&'a self, window: &Window<'a>) -> Met<'a> {
        let (points, log_weights) = self.proposals.weighted();
        let log_z = log_mean(&log_weights);
        if !log_z.is_finite() {
            return Met::default();
        }
        let n = points.len() as f64;
        let mass = |log: &f64| (libm::exp(log - log_z) / n).min(1.0 / n.sqrt());
        let mut met = Met { mass: log_weights.iter().map(mass).collect(), points, log_density: Vec::new() };
        met.log_density.extend(self.proposals.log_densities().map(|log| log - log_z));
        let every = window.len().div_ceil(MOST_STATES).max(1);
        let early = window.early();
        let early_mass = 1.0 / early.len() as f64;
        let states = window.states().step_by(every).map(|state| (state, every as f64 / window.len() as f64));
        for ((x, log_density), mass) in states.chain(early.into_iter().map(|state| (state, early_mass))) {
            met.points.push(x);
            met.log_density.push(log_density - log_z);
            met.mass.push(mass);
        }
        met
    }

    /// The points to learn a density from: the weighted proposals, and the states of the chains until those tell twice as much.
    pub fn sample(&self, states: Sample, rng: &mut Rng) -> Sample {
        let (points, weights) = self.proposals.weighted();
        let n = weights.len() as f64;
        let total = log_sum_exp(weights.iter().copied());
        if !total.is_finite() {
            return states;
        }
        // No weight is larger than that of √n mean ones.
        let clipped = |log: f64| libm::exp((log - total + libm::log(n)).min(0.5 * libm::log(n)));
        let weights: Vec<f64> = weights.into_iter().map(clipped).collect();
        let (sum, squares) = weights.iter().fold((0.0, 0.0), |(sum, squares), w| (sum + w, squares + w * w));
        let effective = sum * sum / squares;
        let mut sample = if effective < 2.0 * states.size() { states } else { Sample::new(states.dim) };
        for (x, w) in points.into_iter().zip(weights) {
            let held_out = rng.random::<f64>() < HELD_OUT;
            if w > NEGLIGIBLE {
                sample.push(x, w / sum * effective, held_out);
            }
        }
        sample
    }
}
