//! DE-MC(Z): steps along differences of past states (ter Braak & Vrugt 2008). Chains that learn together have one archive
//! Z, to which all bring their states at times that grow by a tenth; one that learns alone has its own.

use super::Proposal;
use super::random_walk::gelman_scale;
use crate::Rng;
use crate::adapt::Until;
use crate::learner::{FitRule, Learner, RefreshInput, SharedFit, downcast};
use crate::linalg::{add_to_diagonal, dot};
use crate::registry::{ANY, AT_LEAST_ONE, POSITIVE, PROBABILITY, Range, Settings, SettingsError};
use crate::step::Step;
use crate::{Length, settings};
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

settings! {
    /// The settings of [`DifferentialEvolution`].
    pub struct DifferentialEvolutionSettings {
        /// The number of initial states in Z, drawn around the start with unit variance; 10 per dimension if not given.
        first: Option<usize> = None, Range::within(4.0, 1e6);
        /// One state in every this many iterations joins Z.
        every: u64 = 10, AT_LEAST_ONE;
        /// The probability of a snooker update: a step along the line through a state of Z.
        snooker: f64 = 0.1, PROBABILITY;
        /// The probability that a step has factor 1, which may lead from mode to mode.
        whole: f64 = 0.1, PROBABILITY;
        /// The standard deviation of the noise added to each coordinate.
        noise: f64 = 1e-6, POSITIVE;
        /// When Z stops growing.
        until: Until = Until::Warmup, ANY;
    }
}

/// x* = y + g(z_a − z_b) + ε, or a snooker update.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DifferentialEvolution {
    settings: DifferentialEvolutionSettings,
    dim: usize,
    /// Z, one state after another; empty before the start is known.
    #[serde(with = "crate::learner::by_value")]
    archive: Arc<Vec<f64>>,
    first: usize,
    rounds: Rounds,
}

/// When a group brings its states together.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Rounds {
    pooled: bool,
    waiting: bool,
    /// How many there were.
    number: u64,
    /// The iteration of the next.
    next: u64,
    /// One is at the end of the warm-up.
    warmup: u64,
    /// How many numbers of Z are common to all.
    common: usize,
}

impl Rounds {
    const FIRST: u64 = 100;

    fn new(warmup: u64) -> Self {
        Self { pooled: false, waiting: false, number: 0, next: Self::FIRST.min(warmup), warmup, common: 0 }
    }

    /// The group is together again, with `common` numbers in Z.
    fn advance(&mut self, common: usize) {
        let next = self.next + self.next / 10 + 1;
        let last = self.next < self.warmup && next + next / 20 > self.warmup;
        *self = Self {
            waiting: false,
            number: self.number + 1,
            next: if last { self.warmup } else { next },
            common,
            ..*self
        };
    }
}

/// The components: a difference with the usual factor, with factor one, and snooker updates by the state they turn about.
const USUAL: usize = 0;
const WHOLE: usize = 1;
const SNOOKER: usize = 2;

impl DifferentialEvolution {
    /// A proposal in `dim` dimensions for a run of the given length.
    pub fn new(settings: &DifferentialEvolutionSettings, dim: usize, length: Length) -> Result<Self, SettingsError> {
        settings.check()?;
        let first = settings.first.unwrap_or((10 * dim).clamp(4, 1_000_000));
        let learning = if settings.until == Until::Warmup { length.warmup } else { length.total() };
        // A longer past than this makes room as it grows.
        let room = first + (learning / settings.every).min(1 << 20) as usize + 1;
        Ok(Self {
            settings: settings.clone(),
            dim,
            archive: Arc::new(Vec::with_capacity(room * dim)),
            first,
            rounds: Rounds::new(length.warmup),
        })
    }

    fn len(&self) -> usize {
        self.archive.len() / self.dim
    }

    fn state(&self, a: usize) -> &[f64] {
        &self.archive[a * self.dim..(a + 1) * self.dim]
    }

    /// A state of the later half of Z: the earlier is of the way to the target, or noise around the start.
    fn any(&self, rng: &mut Rng) -> usize {
        rng.random_range(self.len() / 2..self.len())
    }

    /// Two different states of it.
    fn pair(&self, rng: &mut Rng) -> (&[f64], &[f64]) {
        let (first, n) = (self.len() / 2, self.len() - self.len() / 2);
        let a = self.any(rng);
        let b = first + (a - first + rng.random_range(1..n)) % n;
        (self.state(a), self.state(b))
    }

    /// Along the line from z through x, by the difference of two other states projected on it.
    fn draw_snooker(&self, x: &[f64], rng: &mut Rng, y: &mut [f64]) -> usize {
        let chosen = self.any(rng);
        let z = self.state(chosen);
        let (a, b) = self.pair(rng);
        let g = rng.random_range(1.2..2.2);
        y.iter_mut().zip(x).zip(z).for_each(|((y, x), z)| *y = x - z);
        let squared = dot(y, y);
        let along = a.iter().zip(b).zip(y.iter()).map(|((a, b), line)| (a - b) * line).sum::<f64>();
        let factor = if squared > 0.0 { g * along / squared } else { 0.0 };
        y.iter_mut().zip(x).for_each(|(y, x)| *y = x + factor * *y);
        SNOOKER + chosen
    }
}

impl Learner for DifferentialEvolution {
    fn join(&mut self) {
        self.rounds.pooled = true;
    }

    fn waits(&self) -> bool {
        self.rounds.waiting
    }

    fn refreshes(&self) -> u64 {
        self.rounds.number
    }

    /// The states that the others do not have yet.
    fn input(&self) -> Option<RefreshInput> {
        self.rounds.waiting.then(|| Arc::new(self.archive[self.rounds.common..].to_vec()) as RefreshInput)
    }

    fn pack(&self, input: &RefreshInput) -> Option<String> {
        serde_json::to_string(input.downcast_ref::<Vec<f64>>()?).ok()
    }

    fn unpack(&self, text: &str) -> Option<RefreshInput> {
        let states = serde_json::from_str::<Vec<f64>>(text).ok()?;
        states.len().is_multiple_of(self.dim).then(|| Arc::new(states) as RefreshInput)
    }

    fn fit_rule(&self) -> FitRule {
        Arc::new(|old, inputs| {
            let mut archive = old.downcast_ref::<Vec<f64>>()?.clone();
            downcast::<Vec<f64>>(inputs)?.iter().for_each(|states| archive.extend_from_slice(states));
            Some(Arc::new(archive))
        })
    }

    fn shared_fit(&self) -> SharedFit {
        Arc::new(self.archive[..self.rounds.common].to_vec())
    }

    fn has_fit(&self, fit: &SharedFit) -> bool {
        fit.downcast_ref::<Vec<f64>>().is_some_and(|common| *common == self.archive[..self.rounds.common])
    }

    /// The states that are its own stay.
    fn leave_out_fit(&mut self) {
        self.archive = Arc::new(self.archive[self.rounds.common..].to_vec());
    }

    fn put_back_fit(&mut self, fit: &SharedFit) -> bool {
        let common = fit.downcast_ref::<Vec<f64>>().filter(|common| common.len() == self.rounds.common);
        if let Some(common) = common {
            self.archive = Arc::new([common.as_slice(), &self.archive].concat());
        }
        common.is_some()
    }

    fn take(&mut self, fit: &SharedFit) {
        if let Ok(archive) = fit.clone().downcast::<Vec<f64>>() {
            self.rounds.advance(archive.len());
            self.archive = archive;
        }
    }
}

impl Proposal for DifferentialEvolution {
    type Local = ();

    fn allocate(&self, _dim: usize) {}

    fn draw(&self, x: &[f64], _at: &mut (), rng: &mut Rng, y: &mut [f64]) -> usize {
        let noise = self.settings.noise;
        if self.len() < self.first {
            // Nothing is known yet.
            y.iter_mut().zip(x).for_each(|(y, x)| *y = x + noise * rng.sample::<f64, _>(StandardNormal));
            return USUAL;
        }
        if rng.random::<f64>() < self.settings.snooker {
            return self.draw_snooker(x, rng, y);
        }
        let component = if rng.random::<f64>() < self.settings.whole { WHOLE } else { USUAL };
        let g = if component == WHOLE { 1.0 } else { gelman_scale(2 * self.dim) };
        let (a, b) = self.pair(rng);
        for i in 0..self.dim {
            y[i] = x[i] + g * (a[i] - b[i]) + noise * rng.sample::<f64, _>(StandardNormal);
        }
        component
    }

    fn log_ratio(&self, x: &[f64], _at_x: &(), y: &[f64], _at_y: &mut (), component: usize) -> f64 {
        let Some(chosen) = component.checked_sub(SNOOKER) else { return 0.0 };
        let z = self.state(chosen);
        let squared = |point: &[f64]| point.iter().zip(z).map(|(x, z)| (x - z) * (x - z)).sum::<f64>();
        // The step is symmetric along the line; the volume around z grows with its distance to the power d − 1.
        0.5 * (self.dim - 1) as f64 * (libm::log(squared(y)) - libm::log(squared(x)))
    }

    fn adapt(&mut self, x: &[f64], _at: &mut (), step: &Step, rng: &mut Rng) {
        if !self.settings.until.allows(step.warm) {
            return;
        }
        if self.archive.is_empty() {
            let archive = Arc::make_mut(&mut self.archive);
            for _ in 0..self.first {
                archive.extend(x.iter().map(|x| x + rng.sample::<f64, _>(StandardNormal)));
            }
        } else if (step.t + 1).is_multiple_of(self.settings.every) {
            Arc::make_mut(&mut self.archive).extend_from_slice(x);
        }
        self.rounds.waiting = self.rounds.pooled && step.t + 1 == self.rounds.next;
    }

    fn problem(&self, dim: usize) -> Option<&'static str> {
        let whole = dim > 0 && self.dim == dim && self.archive.len().is_multiple_of(dim) && self.first >= 4;
        let whole = whole && self.rounds.common.is_multiple_of(dim) && self.rounds.common <= self.archive.len();
        (!whole).then_some("its archive Z does not fit its dimension")
    }

    /// That of the usual steps, g(z_a − z_b) + ε: 2g² times the covariance of the later half of Z, and the noise. Steps
    /// with factor one and snooker updates are its jumps.
    fn covariance(&self, _x: &[f64], _at: &()) -> Option<Vec<f64>> {
        let d = self.dim;
        let mut covariance = vec![0.0; d * d];
        if self.len() >= self.first {
            let states = &self.archive[self.len() / 2 * d..];
            let n = (states.len() / d) as f64;
            let mean: Vec<f64> = (0..d).map(|i| states.iter().skip(i).step_by(d).sum::<f64>() / n).collect();
            let factor = 2.0 * self.scale() * self.scale() / (n - 1.0);
            for z in states.chunks_exact(d) {
                for i in 0..d {
                    for j in 0..d {
                        covariance[i * d + j] += factor * (z[i] - mean[i]) * (z[j] - mean[j]);
                    }
                }
            }
        }
        add_to_diagonal(&mut covariance, d, self.settings.noise * self.settings.noise);
        Some(covariance)
    }

    fn learner(&self) -> Option<&dyn Learner> {
        Some(self)
    }

    fn learner_mut(&mut self) -> Option<&mut dyn Learner> {
        Some(self)
    }

    /// The usual factor of a difference.
    fn scale(&self) -> f64 {
        gelman_scale(2 * self.dim)
    }
}
