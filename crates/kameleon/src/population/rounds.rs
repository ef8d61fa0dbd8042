//! Rounds: a density is drawn from, its draws are weighted, and the next one is fitted to all draws so far; until it is good and
//! stays so. Then it is frozen and tested on fresh draws.

use super::covering::{Covering, together};
use super::niche::{Niche, mixture};
use super::particles::Particles;
use super::sharp::{self, sharp_part, with_sharp_part};
use super::{Prior, Stage};
use crate::Rng;
use crate::diagnose::{Estimate, effective_number, log_sum_exp};
use crate::mixture::{Mixture, Sample};
use crate::moves::{Density, JumpDensity};
use crate::warmup::{
    EXPLORING, Effort, FROZEN, Learning, MOST_ROUNDS, Window, learn_density, where_there_is_one, with_flat_part,
    with_missed_regions,
};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// The share of niches in the first density, and in those that are learned.
const FIRST_SHARE: f64 = 0.35;
const SHARE: f64 = 0.1;
/// The effective number of states of the ladder that are learned from besides draws, while these tell less than twice as much.
const LEAN: f64 = 150.0;
/// The share of the ladder's states that are held out.
const HELD_OUT: f64 = 0.4;
/// The largest k̂, the least share of the last efficiency, and the least efficiency of what is good.
pub(super) const LARGEST_K: f64 = 0.5;
const STABLE: f64 = 0.85;
const LEAST_EFFICIENCY: f64 = 0.05;
/// Where there is a neck, log Z rises as long as draws come further into it: it has risen if it is this much larger …
const RISEN: f64 = 0.05;
/// … than this many rounds before.
const RISES_OVER: usize = 3;
/// A round after which a short look may end at once: its efficiency, and the effective draws for each dimension, of at least
/// three.
const AT_ONCE: f64 = 0.5;
const DRAWS_EACH: f64 = 400.0;

/// How long rounds go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundSettings {
    /// The number of draws of the first rounds; the last number is that of all further ones.
    pub sizes: Vec<usize>,
    /// The most rounds.
    pub most: usize,
    /// Whether one good round may be enough.
    pub at_once: bool,
    /// The number of fresh draws from the frozen density.
    pub check: usize,
}

/// The rounds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rounds {
    settings: RoundSettings,
    /// The ladder's states, with weights that sum to their effective number.
    states: Vec<f64>,
    weights: Vec<f64>,
    niches: Option<Mixture>,
    learning: Learning<Covering>,
    density: Option<Covering>,
    round: usize,
    /// Whether there was a sharp part in the last fit, and log Z by all draws after each round.
    #[serde(default)]
    has_neck: bool,
    #[serde(default, with = "where_there_is_one")]
    log_z: Vec<f64>,
    is_frozen: bool,
    is_done: bool,
    is_good: bool,
}

impl Rounds {
    /// From the states of a ladder with ln of their weights, and from niches.
    pub fn new(
        settings: RoundSettings,
        states: &Particles,
        log_weights: &[f64],
        niches: &[Niche],
        rng: &mut Rng,
    ) -> Self {
        let effective = effective_number(log_weights);
        let total = log_sum_exp(log_weights.iter().copied());
        let weights = log_weights.iter().map(|log| effective * libm::exp(log - total)).collect();
        let mut rounds = Self {
            settings,
            states: states.points.clone(),
            weights,
            niches: mixture(niches),
            learning: Learning::default(),
            density: None,
            round: 0,
            has_neck: false,
            log_z: Vec::new(),
            is_frozen: false,
            is_done: false,
            is_good: false,
        };
        let sample = rounds.sample(states.dim(), 1.0, rng);
        rounds.fit(&sample, FIRST_SHARE, rng);
        rounds.is_done = rounds.density.is_none();
        rounds
    }

    /// The frozen density; none if none was learned.
    pub fn frozen(&self) -> Option<&JumpDensity> {
        self.density.as_ref().filter(|_| self.is_frozen).map(|density| &density.jump)
    }

    /// Whether the density is good, and was good on fresh draws.
    pub fn is_good(&self) -> bool {
        self.is_good
    }

    /// The number of rounds so far.
    pub fn count(&self) -> usize {
        self.round
    }

    /// What fresh draws from the frozen density say; none before they were drawn.
    pub fn checked(&self) -> Option<Estimate> {
        (self.is_frozen && self.is_done && self.round > 0).then(|| self.last())
    }

    /// What the draws of the last round say; at the end, those from the frozen density.
    pub fn last(&self) -> Estimate {
        Estimate::new(&self.learning.proposals().last_ratios(1))
    }

    /// What the draws of the last rounds say together; none before there are draws.
    pub(super) fn late(&self) -> Option<Estimate> {
        self.learning.late()
    }

    /// What the draws of all rounds say together. Since densities were fitted to earlier draws it is slightly biased.
    pub fn all(&self) -> Estimate {
        Estimate::new(&self.learning.proposals().weighted().1)
    }

    /// The draws of all rounds, with ln of their weights.
    pub fn pool(&self) -> (Vec<f64>, Vec<f64>) {
        let (points, logs) = self.learning.proposals().weighted();
        (points.concat(), logs)
    }

    /// Whether what was read from elsewhere is for points in `dim` dimensions.
    pub(super) fn fits(&self, dim: usize) -> bool {
        self.states.len() == self.weights.len() * dim
            && self.learning.fits(dim)
            && self.density.as_ref().is_none_or(|density| density.fits(dim))
            && self.niches.as_ref().is_none_or(|niches| niches.dim() == dim)
            && !self.settings.sizes.is_empty()
    }

    /// The ladder's states, with this share of their weights.
    fn sample(&self, dim: usize, share: f64, rng: &mut Rng) -> Sample {
        let mut sample = Sample::new(dim);
        for (x, weight) in self.states.chunks_exact(dim).zip(&self.weights) {
            let held_out = rng.random::<f64>() < HELD_OUT;
            if *weight > 0.0 {
                sample.push(x, share * weight, held_out);
            }
        }
        sample
    }

    /// The next density; the last one stays where a fit fails.
    fn fit(&mut self, sample: &Sample, share: f64, rng: &mut Rng) {
        let last = self.density.as_ref().map(|density| &density.jump);
        let (effort, shares) = if self.is_frozen { (Effort::FINAL, FROZEN) } else { (Effort::LEARNING, EXPLORING) };
        let Some(fitted) = learn_density(sample, last, effort, rng) else { return };
        let Some(jump) = with_flat_part(fitted, sample, shares, rng) else { return };
        let met = self.learning.met(&Window::new(Vec::new(), sample.dim));
        let jump = with_missed_regions(jump, &met, rng);
        let shares = if self.is_frozen { sharp::FROZEN } else { sharp::LEARNING };
        let sharp = self.sharp_part(shares, rng);
        self.has_neck = sharp.is_some();
        let (jump, niches) = match (sharp, self.is_frozen) {
            (Some(sharp), true) => (with_sharp_part(jump, &sharp, shares.draws), None),
            (None, true) => (jump, None),
            (sharp, false) => {
                let niches = self.niches.clone().map(|niches| (niches, share));
                (jump, together(niches, sharp.map(|sharp| (sharp, shares.draws))))
            }
        };
        self.density =
            Some(Covering { jump, niches }).filter(|density| density.fits(sample.dim)).or(self.density.take());
    }

    /// What leads into a neck.
    fn sharp_part(&self, shares: sharp::Shares, rng: &mut Rng) -> Option<Mixture> {
        let proposals = self.learning.proposals();
        let (points, log_weights) = proposals.weighted();
        let log_density: Vec<f64> = proposals.log_densities().collect();
        sharp_part(&points, &log_weights, &log_density, shares, rng)
    }

    fn learn_from_all(&mut self, dim: usize, rng: &mut Rng) {
        let effective: f64 = self.weights.iter().sum();
        let states = self.sample(dim, (LEAN / effective).min(1.0), rng);
        let sample = self.learning.sample(states, rng);
        self.fit(&sample, SHARE, rng);
    }

    /// Whether draws still come further into a neck.
    fn is_rising(&self) -> bool {
        let last = self.log_z.len().checked_sub(1).filter(|_| self.has_neck);
        last.is_some_and(|last| last < RISES_OVER || self.log_z[last] - self.log_z[last - RISES_OVER] > RISEN)
    }

    /// Whether the rounds so far are enough.
    fn is_enough(&self, dim: usize) -> bool {
        let Estimate { pareto_k, efficiency, .. } = self.last();
        let good = pareto_k < LARGEST_K && efficiency > LEAST_EFFICIENCY;
        let drawn = || effective_number(&self.learning.proposals().weighted().1) >= DRAWS_EACH * dim.max(3) as f64;
        good && !self.is_rising()
            && (self.learning.is_enough() || (self.settings.at_once && efficiency > AT_ONCE && drawn()))
    }
}

impl Stage for Rounds {
    fn propose(&mut self, prior: &dyn Prior, rng: &mut Rng) -> Option<Vec<f64>> {
        // It may have been read from a file.
        self.learning.complete();
        let density = self.density.as_ref().filter(|_| !self.is_done)?;
        let RoundSettings { sizes, check, .. } = &self.settings;
        let size = if self.is_frozen { *check } else { sizes[self.round.min(sizes.len() - 1)] };
        let mut points = vec![0.0; size * prior.dim()];
        points.chunks_exact_mut(prior.dim()).for_each(|x| density.draw(rng, x));
        Some(points)
    }

    fn learn(&mut self, told: Particles, prior: &dyn Prior, rng: &mut Rng) {
        let Some(density) = self.density.clone() else { return };
        let before = self.learning.efficiency();
        self.learning.add(&density, told.evaluated(), MOST_ROUNDS);
        self.round += 1;
        self.log_z.push(self.all().log_z);
        if self.is_frozen {
            let Estimate { pareto_k, efficiency, .. } = self.last();
            self.is_good = pareto_k < LARGEST_K && efficiency > STABLE * before && efficiency > LEAST_EFFICIENCY;
            if self.is_good || self.round > self.settings.most {
                self.is_done = true;
                return;
            }
            self.learning.doubt();
            self.is_frozen = false;
        } else {
            self.is_frozen = self.is_enough(prior.dim()) || self.round >= self.settings.most;
        }
        self.learn_from_all(prior.dim(), rng);
        if self.is_frozen
            && let Some(density) = &mut self.density
        {
            // It may be the last one, where the fit failed.
            density.niches = None;
        }
    }
}

#[cfg(test)]
mod tests;
