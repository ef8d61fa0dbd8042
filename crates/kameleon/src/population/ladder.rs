//! The tempering ladder: from draws of the prior, by powers β of the likelihood, to the posterior.
//!
//! There are two lineages of particles. At each level the likelihood's power grows until half of the particles are effective; each
//! lineage is resampled within itself, and moved by what was learned from the other one until its states have forgotten where
//! they were. Each lineage has an estimate of Z; with everything frozen that is learned, both are unbiased, and so is their mean.

use super::guide::Guide;
use super::links::MOST_LINKED;
use super::particles::Particles;
use super::settings::LadderSettings;
use super::sweep::{self, Counts, Proposed, Scales};
use super::temper::{log_weights, next_beta, resample};
use super::{Prior, Stage};
use crate::Rng;
use crate::circles::Circles;
use crate::diagnose::log_sum_exp;
use crate::moves::log_add;
use serde::{Deserialize, Serialize};

/// Sweeps end when no coordinate is correlated more than this with where it was at the start of the level.
const FORGOTTEN: f64 = 0.3;
/// After this many levels the next one is the last.
const MOST_LEVELS: usize = 200;
/// The most evaluated points that are kept for each level.
const MOST_KEPT: usize = 5000;

/// A ladder, at any point of its way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ladder {
    settings: LadderSettings,
    lineages: [Lineage; 2],
    /// The lineage that each one moves by: the other.
    moved_by: [usize; 2],
    /// Draws from the prior that were there before it began.
    drawn: Particles,
    /// The present level; none before the draws from the prior are told.
    rung: Option<Rung>,
    /// The number of levels so far, and of sweeps at the present one.
    level: usize,
    sweeps: usize,
    scales: Scales,
    proposed: [Vec<Proposed>; 2],
    /// All points that were evaluated and possible, for each level; draws from the prior may be several ones.
    evaluated: Vec<Particles>,
    first_levels: usize,
    /// The number of evaluations: points outside the prior have none.
    #[serde(default)]
    spent: usize,
    /// Levels that were learned elsewhere; then nothing is learned here.
    frozen: Vec<Rung>,
    is_done: bool,
}

/// Half of the particles.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Lineage {
    states: Particles,
    /// Where they were at the start of the level.
    start: Particles,
    /// ln of its estimate of Z up to the present level.
    log_z: f64,
}

/// One level.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rung {
    /// The power of the likelihood.
    pub beta: f64,
    /// What each lineage learned.
    guides: [Guide; 2],
    scales: Scales,
    /// The number of sweeps; zero if they go on until the states have forgotten their start.
    sweeps: usize,
}

impl Ladder {
    /// A ladder that learns as it goes.
    pub fn new(settings: LadderSettings) -> Self {
        Self {
            settings,
            lineages: Default::default(),
            moved_by: [1, 0],
            drawn: Particles::default(),
            rung: None,
            level: 0,
            sweeps: 0,
            scales: [1.0; 5],
            proposed: Default::default(),
            evaluated: Vec::new(),
            first_levels: 0,
            spent: 0,
            frozen: Vec::new(),
            is_done: false,
        }
    }

    /// A ladder that learns nothing: its levels are those of another one.
    pub fn frozen(settings: LadderSettings, rungs: Vec<Rung>) -> Self {
        Self { frozen: rungs, ..Self::new(settings) }
    }

    /// With draws from the prior that are there already, and need not be made.
    pub(super) fn begun_with(self, drawn: Particles) -> Self {
        Self { drawn, ..self }
    }

    /// How it is run.
    pub(super) fn settings(&self) -> &LadderSettings {
        &self.settings
    }

    /// The present level, as it would have to be frozen.
    pub fn rung(&self) -> Option<Rung> {
        self.rung.clone().map(|rung| Rung { scales: self.scales, sweeps: self.sweeps, ..rung })
    }

    /// β of the present level.
    pub fn beta(&self) -> f64 {
        self.rung.as_ref().map_or(0.0, |rung| rung.beta)
    }

    /// The number of levels so far.
    pub fn levels(&self) -> usize {
        self.level
    }

    /// The number of evaluations so far.
    pub(super) fn spent(&self) -> usize {
        self.spent
    }

    /// Whether it reached the posterior. A ladder without a particle of positive likelihood does not.
    pub fn is_complete(&self) -> bool {
        self.is_done && self.rung.is_some()
    }

    /// ln of its estimate of Z.
    pub fn log_z(&self) -> f64 {
        log_add(self.lineages[0].log_z, self.lineages[1].log_z) - std::f64::consts::LN_2
    }

    /// The states, with ln of their weights for the present level.
    pub fn states(&self) -> (Particles, Vec<f64>) {
        let mut states = Particles::default();
        let mut logs = Vec::new();
        for lineage in &self.lineages {
            (0..lineage.states.len()).for_each(|i| states.push(&lineage.states, i));
            logs.resize(states.len(), lineage.log_z - self.log_z());
        }
        (states, logs)
    }

    /// From now on its states and all points are seen from other cuts of circles. It must be complete: its moves are learned no more.
    pub(super) fn see_from(&mut self, old: &Circles, new: &Circles) {
        self.lineages.iter_mut().for_each(|lineage| lineage.states.see_from(old, new));
        self.evaluated.iter_mut().for_each(|level| level.see_from(old, new));
    }

    /// All points that were evaluated and possible, for each level, and how many levels the draws from the prior are.
    pub fn evaluated(&self) -> (&[Particles], usize) {
        (&self.evaluated, self.first_levels)
    }

    /// Whether what was read from elsewhere is for points in `dim` dimensions.
    pub(super) fn fits(&self, dim: usize) -> bool {
        let guides = |rung: &Rung| rung.guides.iter().all(|guide| guide.fits(dim));
        let lineage = |lineage: &Lineage| {
            lineage.states.fits(dim) && lineage.start.fits(dim) && lineage.start.len() <= lineage.states.len()
        };
        self.lineages.iter().all(lineage)
            && self.rung.iter().chain(&self.frozen).all(guides)
            && self.evaluated.iter().all(|level| level.fits(dim))
            && self.drawn.fits(dim)
            && self.moved_by.iter().all(|by| *by < 2)
    }

    /// Takes draws from the prior.
    fn begin(&mut self, told: &Particles, rng: &mut Rng) {
        let mut draws = std::mem::take(&mut self.drawn);
        (0..told.len()).for_each(|i| draws.push(told, i));
        let half = draws.len() / 2;
        let mut possible = Particles::default();
        possible.extend_possible(&draws);
        // The search for links is quadratic in the number of points.
        let count = possible.len().div_ceil(MOST_LINKED).max(1);
        self.evaluated.extend((0..count).map(|k| possible.chosen((k..possible.len()).step_by(count))));
        self.first_levels = self.evaluated.len();
        for i in 0..draws.len() {
            self.lineages[usize::from(i >= half)].states.push(&draws, i);
        }
        self.climb(rng);
    }

    /// Goes up to the next level, if there is one.
    fn climb(&mut self, rng: &mut Rng) {
        let beta = self.beta();
        if beta >= 1.0 {
            self.is_done = true;
            return;
        }
        self.thin(rng);
        let logs: Vec<f64> = self.lineages.iter().flat_map(|l| l.states.log_likelihood.iter().copied()).collect();
        if !logs.iter().any(|log| log.is_finite()) {
            self.is_done = true;
            return;
        }
        self.revive();
        let ready = self.frozen.get(self.level).cloned();
        let next = match &ready {
            Some(rung) => rung.beta,
            None if self.level >= MOST_LEVELS => 1.0,
            None => next_beta(&logs, beta, self.settings.effective * self.settings.particles as f64),
        };
        let half = (self.settings.particles / 2).max(2);
        let learned = [0, 1].map(|h| {
            let Lineage { states, start, log_z } = &mut self.lineages[h];
            let weights = log_weights(&states.log_likelihood, next - beta);
            *log_z += log_sum_exp(weights.iter().copied()) - libm::log(weights.len() as f64);
            let resampled = states.chosen(resample(&weights, half, rng));
            let guide = ready.is_none().then(|| Guide::new(states, &weights, &resampled, self.settings.moves, rng));
            *start = resampled.clone();
            *states = resampled;
            guide
        });
        self.rung = ready.or_else(|| {
            let [Some(a), Some(b)] = learned else { return None };
            Some(Rung { beta: next, guides: [a, b], scales: self.scales, sweeps: 0 })
        });
        if let Some(rung) = self.rung.as_ref().filter(|rung| rung.sweeps > 0) {
            self.scales = rung.scales;
        }
        self.level += 1;
        self.sweeps = 0;
        self.evaluated.push(Particles::default());
    }

    /// Where no particle of a lineage is possible, both go on from the other one, with half of its estimate each.
    fn revive(&mut self) {
        let dead = |lineage: &Lineage| !lineage.states.log_likelihood.iter().any(|log| log.is_finite());
        let Some(h) = self.lineages.iter().position(dead) else { return };
        self.lineages[1 - h].log_z -= std::f64::consts::LN_2;
        self.lineages[h] = self.lineages[1 - h].clone();
    }

    /// Of the points of the last level only as many are kept as are needed.
    fn thin(&mut self, rng: &mut Rng) {
        let last = self.evaluated.last_mut().filter(|level| self.level > 0 && level.len() > MOST_KEPT);
        if let Some(level) = last {
            let mut chosen = rand::seq::index::sample(rng, level.len(), MOST_KEPT).into_vec();
            chosen.sort_unstable();
            *level = level.chosen(chosen);
        }
    }

    /// Whether the states of the level have forgotten where they were.
    fn has_mixed(&self) -> bool {
        let d = self.lineages[0].states.dim();
        let of = |particles: &Particles, i: usize, k: usize| {
            if k < d { particles.point(i)[k] } else { particles.log_likelihood[i] }
        };
        let correlation = |k: usize| {
            let pairs: Vec<(f64, f64)> = self
                .lineages
                .iter()
                .flat_map(|l| (0..l.states.len()).map(move |i| (of(&l.start, i, k), of(&l.states, i, k))))
                .collect();
            let n = pairs.len() as f64;
            let (a, b) = pairs.iter().fold((0.0, 0.0), |(a, b), pair| (a + pair.0 / n, b + pair.1 / n));
            let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
            for (x, y) in pairs {
                ab += (x - a) * (y - b);
                aa += (x - a) * (x - a);
                bb += (y - b) * (y - b);
            }
            ab / (aa * bb).sqrt().max(f64::MIN_POSITIVE)
        };
        (0..=d).all(|k| correlation(k) < FORGOTTEN)
    }

    fn level_is_done(&self) -> bool {
        match self.rung.as_ref().map_or(0, |rung| rung.sweeps) {
            0 => {
                let LadderSettings { least_sweeps, most_sweeps, .. } = self.settings;
                self.sweeps >= most_sweeps || (self.sweeps >= least_sweeps && self.has_mixed())
            }
            fixed => self.sweeps >= fixed,
        }
    }
}

impl Stage for Ladder {
    fn propose(&mut self, prior: &dyn Prior, rng: &mut Rng) -> Option<Vec<f64>> {
        if self.is_done {
            return None;
        }
        let Some(rung) = &self.rung else {
            let count = 2 * (self.settings.first / 2).max(2);
            return Some(prior.draws(rng, count.saturating_sub(self.drawn.len())));
        };
        let mut points = Vec::new();
        for h in [0, 1] {
            let guide = &rung.guides[self.moved_by[h]];
            self.proposed[h] = sweep::propose(&self.lineages[h].states, guide, &self.scales, rng, &mut points);
        }
        Some(points)
    }

    fn learn(&mut self, told: Particles, _: &dyn Prior, rng: &mut Rng) {
        self.spent += told.log_prior.iter().filter(|log| log.is_finite()).count();
        let half = told.len() / 2;
        let Some(rung) = &self.rung else {
            return self.begin(&told, rng);
        };
        let mut counts = Counts::default();
        for (h, lineage) in self.lineages.iter_mut().enumerate() {
            sweep::accept(&mut lineage.states, &self.proposed[h], &told, h * half, rung.beta, &mut counts);
        }
        self.proposed = Default::default();
        if rung.sweeps == 0 {
            sweep::adapt(&mut self.scales, &counts);
        }
        if let Some(level) = self.evaluated.last_mut() {
            level.extend_possible(&told);
        }
        self.sweeps += 1;
        if self.level_is_done() {
            self.climb(rng);
        }
    }
}

#[cfg(test)]
mod tests;
