//! Climbs from all roots at once: a generation of all of them is one batch. Those that meet on the way go on as one.

use super::cma::{Climber, generation};
use super::links::Root;
use super::merge::Pairs;
use super::niche::Niche;
use super::particles::Particles;
use super::{Prior, Stage};
use crate::Rng;
use serde::{Deserialize, Serialize};

/// The most generations.
const MOST_GENERATIONS: usize = 40;
/// After these, climbs that are on the same hill are merged; before the last of them only those close to each other.
const MERGES: [usize; 3] = [6, 13, 26];

/// All climbs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Climb {
    climbers: Vec<Climber>,
    generations: usize,
    /// The pairs that are being compared; none while climbs go on.
    pairs: Option<Pairs>,
    is_done: bool,
}

impl Climb {
    /// From these roots.
    pub fn new(roots: &[Root]) -> Self {
        let climbers: Vec<Climber> = roots.iter().map(Climber::new).collect();
        Self { is_done: climbers.is_empty(), climbers, generations: 0, pairs: None }
    }

    /// With further climbs from these roots, after which all tops are compared; nothing is done if there are none.
    pub(super) fn further(mut self, roots: &[Root]) -> Self {
        self.climbers.iter_mut().for_each(|climber| climber.is_active = false);
        self.climbers.extend(roots.iter().map(Climber::new));
        Self { is_done: roots.is_empty(), climbers: self.climbers, generations: 0, pairs: None }
    }

    /// What was reached, by Laplace approximations where they can be had, on the scale of Gaussians.
    pub(super) fn explaining(&self, prior: &dyn Prior) -> Vec<Niche> {
        self.climbers.iter().map(|climber| climber.explaining(prior)).collect()
    }

    /// What was reached, the best first.
    pub fn niches(&self) -> Vec<Niche> {
        self.climbers.iter().map(Climber::niche).collect()
    }

    /// Whether what was read from elsewhere is for points in `dim` dimensions.
    pub(super) fn fits(&self, dim: usize) -> bool {
        self.climbers.iter().all(|climber| climber.fits(dim))
            && self.pairs.as_ref().is_none_or(|pairs| pairs.fits(self.climbers.len()))
    }

    fn has_ended(&self) -> bool {
        self.generations >= MOST_GENERATIONS || !self.climbers.iter().any(|climber| climber.is_active)
    }

    fn active(&self) -> impl Iterator<Item = &Climber> {
        self.climbers.iter().filter(|climber| climber.is_active)
    }
}

impl Stage for Climb {
    fn propose(&mut self, prior: &dyn Prior, rng: &mut Rng) -> Option<Vec<f64>> {
        if self.is_done {
            return None;
        }
        let ended = self.has_ended();
        if ended || MERGES.contains(&self.generations) {
            let niches = self.niches();
            let pairs = Pairs::new(&niches, !ended && self.generations < MERGES[2]);
            let points = pairs.points(&niches);
            self.pairs = Some(pairs);
            return Some(points);
        }
        let (mut points, lambda) = (Vec::new(), generation(prior.dim(), self.active().count()));
        self.active().for_each(|climber| climber.ask(lambda, rng, &mut points));
        Some(points)
    }

    fn learn(&mut self, told: Particles, _: &dyn Prior, _: &mut Rng) {
        if let Some(pairs) = self.pairs.take() {
            self.is_done = self.has_ended();
            let left = pairs.survivors(&told);
            self.climbers = left.into_iter().map(|i| self.climbers[i].clone()).collect();
            // The same merge is not made twice.
            self.generations += 1;
            return;
        }
        let lambda = told.len() / self.active().count().max(1);
        for (k, climber) in self.climbers.iter_mut().filter(|climber| climber.is_active).enumerate() {
            climber.tell(told.chosen(k * lambda..(k + 1) * lambda));
        }
        self.generations += 1;
    }
}
