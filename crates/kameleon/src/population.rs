//! The population warm-up: from the prior, with no start, to a frozen density that covers all modes it found.
//!
//! A [`Population`] goes through stages: a tempering [`ladder`](Ladder) from draws of the prior to the posterior; a search for
//! niches, that is, modes that the ladder has passed over; climbs to their tops; and rounds in which a mixture density is drawn
//! from and fitted anew until it is good. Short looks of few particles may come first, so that easy posteriors do not pay for
//! hard ones.
//!
//! It asks for the log likelihood at batches of points, which may be evaluated in any order and place, and is told the values.
//! Between the two everything is plain data: it can be stored, and goes on bit for bit as if nothing had happened.
//!
//! What it cannot see: a mode in whose basin no point was ever evaluated. Then every diagnostic looks good.

mod climb;
mod cma;
mod covering;
mod doubt;
mod evaluate;
mod found;
mod guide;
mod handover;
mod kernel_guide;
mod ladder;
mod laplace;
mod links;
mod looks;
mod merge;
mod niche;
mod particles;
mod rest;
mod rounds;
mod schedule;
mod settings;
mod sharp;
mod sweep;
mod temper;
mod together;
mod turned;
mod witness;

pub use doubt::Doubt;
pub use evaluate::{Evaluator, OnThreads, Posterior, Stop};
pub use found::{Found, Mode};
pub use handover::SETTLING;
pub use ladder::{Ladder, Rung};
pub use niche::Niche;
pub use particles::Particles;
pub(crate) use settings::LEAST_EVALUATIONS;
pub use settings::{LadderSettings, Moves, Settings};
pub use witness::Witness;

use crate::Rng;
use crate::circles::Circles;
use crate::random::{Purpose, stream};
use crate::registry::SettingsError;
use crate::warmup::where_there_is_one;
use schedule::Schedule;
use serde::{Deserialize, Serialize};
use turned::Turned;

/// The stream of random numbers: that of a chain beyond all that a plan can have.
const STREAM: u64 = 1 << 40;

/// A proper prior.
pub trait Prior {
    /// d
    fn dim(&self) -> usize;

    /// Draws a point.
    fn draw(&self, rng: &mut Rng, x: &mut [f64]);

    /// ln of its density, which integrates to one; −∞ outside its support.
    fn log_density(&self, x: &[f64]) -> f64;

    /// Draws many points, one after another: for a prior that is better asked once.
    fn draws(&self, rng: &mut Rng, count: usize) -> Vec<f64> {
        let mut points = vec![0.0; count * self.dim()];
        points.chunks_exact_mut(self.dim()).for_each(|x| self.draw(rng, x));
        points
    }

    /// ln of its density at each of many points, which stand one after another.
    fn log_densities(&self, points: &[f64]) -> Vec<f64> {
        points.chunks_exact(self.dim()).map(|x| self.log_density(x)).collect()
    }

    /// Takes a point to the scale on which modes are most like Gaussians, coordinate by coordinate, and tells ln of how much larger a
    /// volume is there. By default it is the same scale.
    fn to_gaussian_scale(&self, _x: &mut [f64]) -> f64 {
        0.0
    }

    /// Why it cannot be evaluated any more, if so. What it said in that call, and what was learned from it, is of no use.
    fn failure(&self) -> Option<String> {
        None
    }
}

/// A stage: it proposes batches of points, and learns from what was found there.
trait Stage {
    /// The points of the next batch, one after another; none when the stage is done.
    fn propose(&mut self, prior: &dyn Prior, rng: &mut Rng) -> Option<Vec<f64>>;

    /// Learns from the values at the points that were proposed.
    fn learn(&mut self, told: Particles, prior: &dyn Prior, rng: &mut Rng);
}

/// A population on its way from the prior to the posterior.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Population {
    dim: usize,
    seed: u64,
    rng: Rng,
    schedule: Schedule,
    /// The batch that is being evaluated.
    batch: Option<Batch>,
    evaluations: u64,
    batches: u64,
    max_evaluations: Option<u64>,
    /// The number of points at which the likelihood was NaN or +∞, or was refused.
    invalid: u64,
    /// The best point so far.
    witness: Option<Witness>,
    found: Option<Found>,
}

/// The points of a batch: all that a stage proposed, and which of them are inside the support of the prior.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Batch {
    proposed: Particles,
    /// The points inside, one after another.
    inside: Vec<f64>,
    /// The log likelihoods at the first of these, as far as they are known.
    #[serde(with = "where_there_is_one")]
    values: Vec<f64>,
}

/// Why values were refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TellError {
    /// There is nothing to tell.
    #[error("no batch was asked for")]
    NoBatch,
    /// There is not one value for each point.
    #[error("{points} points are asked for, and {values} values were told")]
    Count {
        /// That are asked for.
        points: usize,
        /// That were told.
        values: usize,
    },
}

impl Population {
    /// A population under a prior in `dim` dimensions.
    pub fn new(dim: usize, settings: &Settings, seed: u64) -> Result<Self, SettingsError> {
        settings.check()?;
        SettingsError::at_least_one("dimension", dim as u64)?;
        settings.check_first(dim)?;
        Ok(Self {
            dim,
            seed,
            rng: stream(seed, STREAM, Purpose::Learn),
            schedule: Schedule::new(dim, settings),
            batch: None,
            evaluations: 0,
            batches: 0,
            max_evaluations: settings.max_evaluations,
            invalid: 0,
            witness: None,
            found: None,
        })
    }

    /// The same with these coordinates of its prior circles ([`crate::circles`]), to be said before it is asked.
    pub fn with_circles(mut self, coordinates: &[usize]) -> Self {
        self.schedule.set_circles(Circles::random(coordinates, self.seed));
        self
    }

    /// The points whose log likelihood is wanted next, one after another: those of a batch, or what is left of it; none when it is
    /// done. Asked again before it is told, it gives the same points.
    ///
    /// # Panics
    ///
    /// If the prior has another dimension than the population.
    pub fn ask(&mut self, prior: &dyn Prior) -> Option<&[f64]> {
        assert_eq!(prior.dim(), self.dim, "the prior has another dimension than the population");
        while self.batch.is_none() && self.found.is_none() {
            let left = self.max_evaluations.map(|most| most.saturating_sub(self.evaluations));
            let Some(points) = self.schedule.propose(left, prior, &mut self.rng) else {
                self.finish();
                break;
            };
            let circles = self.schedule.circles();
            let proposed = Particles::proposed(points, &Turned { prior, circles });
            let mut inside: Vec<f64> = (0..proposed.len())
                .filter(|i| proposed.log_prior[*i].is_finite())
                .flat_map(|i| proposed.point(i).to_vec())
                .collect();
            for x in inside.chunks_exact_mut(self.dim) {
                circles.turn_back(x);
            }
            if inside.is_empty() {
                self.schedule.learn(proposed, prior, &mut self.rng);
                continue;
            }
            let count = (inside.len() / self.dim) as u64;
            if self.max_evaluations.is_some_and(|most| self.evaluations + count > most) {
                self.finish();
                break;
            }
            self.batch = Some(Batch { proposed, inside, values: Vec::new() });
        }
        self.batch.as_ref().map(|batch| &batch.inside[batch.values.len() * self.dim..])
    }

    /// Takes the log likelihood, or its estimate, at each point that was asked for. NaN and +∞ count as −∞.
    pub fn tell(&mut self, prior: &dyn Prior, values: &[f64]) -> Result<(), TellError> {
        let points = self.asked()?;
        if values.len() != points {
            return Err(TellError::Count { points, values: values.len() });
        }
        self.tell_first(prior, values)
    }

    /// Takes the values at the first of the points that were asked for; then it asks for the others, and learns from all of them
    /// when it was told the last one. So a long batch can be stored before it is done.
    pub fn tell_first(&mut self, prior: &dyn Prior, values: &[f64]) -> Result<(), TellError> {
        let points = self.asked()?;
        let Some(batch) = self.batch.as_mut().filter(|_| values.len() <= points) else {
            return Err(TellError::Count { points, values: values.len() });
        };
        batch.note_best(&mut self.witness, values, self.evaluations, self.schedule.circles());
        let usable = |value: &f64| if value.is_finite() { *value } else { f64::NEG_INFINITY };
        batch.values.extend(values.iter().map(usable));
        let invalid = values.iter().filter(|value| value.is_nan() || **value == f64::INFINITY).count();
        self.invalid += invalid as u64;
        self.evaluations += values.len() as u64;
        if values.len() == points
            && let Some(Batch { mut proposed, values, .. }) = self.batch.take()
        {
            let inside = (0..proposed.len()).filter(|i| proposed.log_prior[*i].is_finite()).collect::<Vec<_>>();
            inside.into_iter().zip(values).for_each(|(i, value)| proposed.log_likelihood[i] = value);
            self.batches += 1;
            self.schedule.learn(proposed, prior, &mut self.rng);
        }
        Ok(())
    }

    /// The number of points that are asked for.
    fn asked(&self) -> Result<usize, TellError> {
        let Batch { inside, values, .. } = self.batch.as_ref().ok_or(TellError::NoBatch)?;
        Ok(inside.len() / self.dim - values.len())
    }

    /// Runs it to its end with this log likelihood.
    pub fn run(
        &mut self,
        prior: &dyn Prior,
        mut log_likelihood: impl FnMut(&[f64]) -> f64,
    ) -> Result<&Found, TellError> {
        while let Some(points) = self.ask(prior) {
            let values: Vec<f64> = points.chunks_exact(prior.dim()).map(&mut log_likelihood).collect();
            self.tell(prior, &values)?;
        }
        self.found.as_ref().ok_or(TellError::NoBatch)
    }

    /// What was found, once it is done.
    pub fn found(&self) -> Option<&Found> {
        self.found.as_ref()
    }

    /// The number of evaluations so far.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// The number of batches so far.
    pub fn batches(&self) -> u64 {
        self.batches
    }

    /// The number of particles of the present ladder, or of the last one, and whether it is a short look.
    pub fn particles(&self) -> (usize, bool) {
        self.schedule.particles()
    }

    /// The best point so far, by which the likelihood is known again; none before a point of positive likelihood.
    pub fn witness(&self) -> Option<&Witness> {
        self.witness.as_ref()
    }

    /// A line for people about where it is.
    pub fn progress(&self) -> String {
        self.schedule.progress()
    }

    /// Whether what was read from elsewhere is whole.
    pub fn fits(&self, dim: usize) -> bool {
        let batch = |batch: &Batch| {
            batch.proposed.fits(dim)
                && batch.values.len() * dim < batch.inside.len()
                && batch.inside.len() == dim * batch.proposed.log_prior.iter().filter(|log| log.is_finite()).count()
        };
        self.dim == dim
            && self.batch.as_ref().is_none_or(batch)
            && self.schedule.fits(dim)
            && self.witness.as_ref().is_none_or(|witness| witness.fits(dim))
            && self.found.as_ref().is_none_or(|found| found.fits(dim))
    }

    /// Whether it is that of this seed and these settings; what it may spend may differ.
    pub fn is_of(&self, settings: &Settings, seed: u64) -> bool {
        let own = self.schedule.settings();
        self.seed == seed && *own == Settings { max_evaluations: own.max_evaluations, ..settings.clone() }
    }

    fn finish(&mut self) {
        let mut found = self.schedule.found(self.evaluations, self.batches, self.invalid);
        found.witness.clone_from(&self.witness);
        self.found = Some(found);
    }
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
