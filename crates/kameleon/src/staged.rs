//! `kameleon`, the default sampler: a metric learned in stages, steps of adaptive Metropolis, of the Kameleon and of differential
//! evolution in it, and jumps across the target; steps of the Kameleon and jumps also in few directions.
//!
//! Each move is a Metropolis-Hastings kernel of its own in a mixture. In the warm-up the mixture, the metric and the points
//! z are learned at refreshes, by one chain alone or by a group together ([`pool`]); after it nothing changes any more.

mod choose;
mod few;
mod fit;
mod frame;
mod jump;
mod learn;
mod lesson;
mod local;
mod moves;
mod nearby;
mod pupil;
mod report;
mod schedule;
mod shrink;
mod subspace;
mod window;

pub use choose::Choice;
pub use fit::Fit;
pub use lesson::{Lesson, Tally};
pub use local::Local;
pub use moves::{KINDS, Kind};

use crate::Rng;
use crate::chain::Step;
use crate::linalg::{multiply_lower, times_transpose};
use crate::pool::{self, Knowledge, Learner};
use crate::proposal::Proposal;
use crate::registry::{Range, Settings, SettingsError};
use crate::{Length, settings};
use fit::Past;
use moves::Move;
use pupil::Pupil;
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

settings! {
    /// The settings of [`Kameleon`].
    pub struct KameleonSettings {
        /// The number n of past states that the local steps and jumps are made of.
        n: usize = 1000, Range::within(10.0, 1e5);
        /// The largest dimension in which the chain jumps in the full space, at a cost of O(nd²).
        jumps_up_to: usize = 50, Range::within(0.0, 100.0);
    }
}

/// The shortest warm-up from which something can be learned.
const LEAST_WARMUP: u64 = 200;

/// A mixture of moves, learned in stages.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kameleon {
    settings: KameleonSettings,
    #[serde(with = "crate::pool::by_value")]
    fit: Arc<Fit>,
    pupil: Pupil,
}

impl Kameleon {
    /// A proposal in `dim` dimensions for a run of the given length.
    pub fn new(settings: &KameleonSettings, dim: usize, length: Length) -> Result<Self, SettingsError> {
        settings.check()?;
        let what = format!("must be at least {LEAST_WARMUP} iterations, not {}", length.warmup);
        SettingsError::demand("warmup", length.warmup >= LEAST_WARMUP, &what)?;
        Ok(Self { settings: settings.clone(), fit: Arc::new(Fit::nothing(dim)), pupil: Pupil::new(dim, length.warmup) })
    }

    /// What was learned at the last refresh.
    pub fn fit(&self) -> &Arc<Fit> {
        &self.fit
    }

    /// Takes over what was learned at the refresh that it waits at.
    pub fn learn(&mut self, fit: &Arc<Fit>) {
        self.pupil.taught(&self.fit, fit);
        self.fit = fit.clone();
    }

    /// The refresh that is next.
    fn due(&self) -> Option<u64> {
        self.pupil.next
    }

    fn refresh(&mut self, rng: &mut Rng) {
        let seed = rng.random();
        if self.pupil.pooled {
            self.pupil.waiting = Some(seed);
        } else if let Some(t) = self.due() {
            let lesson = self.pupil.lesson(self.fit.metric.dim(), seed);
            let fit = learn::learn(&self.fit, &[lesson], &self.settings, self.pupil.schedule, t);
            self.learn(&Arc::new(fit));
        }
    }
}

impl Learner for Kameleon {
    fn join(&mut self) {
        self.pupil.pooled = true;
    }

    fn waits(&self) -> bool {
        self.pupil.waiting.is_some()
    }

    fn lessons(&self) -> u64 {
        self.fit.number
    }

    fn lesson(&self) -> Option<pool::Lesson> {
        self.pupil.waiting.map(|seed| pool::Lesson::Kameleon(self.pupil.lesson(self.fit.metric.dim(), seed)))
    }

    fn conclude(&self, lessons: Vec<pool::Lesson>) -> Option<Knowledge> {
        let staged = |lesson| if let pool::Lesson::Kameleon(lesson) = lesson { Some(lesson) } else { None };
        let lessons = lessons.into_iter().map(staged).collect::<Option<Vec<Lesson>>>()?;
        let fit = learn::learn(&self.fit, &lessons, &self.settings, self.pupil.schedule, self.due()?);
        Some(Knowledge::Fit(Arc::new(fit)))
    }

    fn knowledge(&self) -> Knowledge {
        Knowledge::Fit(self.fit.clone())
    }

    fn take(&mut self, knowledge: &Knowledge) {
        if let Knowledge::Fit(fit) = knowledge {
            self.learn(fit);
        }
    }
}

impl Proposal for Kameleon {
    type Local = Local;

    fn allocate(&self, dim: usize) -> Local {
        let mut at = Local::new(dim);
        if let Some(Past { few: Some(few), .. }) = &self.fit.past {
            at.room_for(few);
        }
        at
    }

    fn locate(&self, x: &[f64], at: &mut Local) {
        at.forget();
        at.complete(x, self.fit.past.as_ref(), self.pupil.nu2());
    }

    fn draw(&self, x: &[f64], at: &mut Local, rng: &mut Rng, y: &mut [f64]) -> usize {
        let chosen = Move::draw(&self.fit.weights, rng);
        match (chosen.kind, &self.fit.past) {
            (Kind::KernelStep, Some(past)) => {
                at.find_steps(x, past, self.pupil.nu2().all);
                at.draw_step(past, chosen.shrink(), rng, y);
            }
            (Kind::Jump, Some(past)) => {
                at.find_jumps(x, past);
                past.draw_jump(rng, y);
                return chosen.component();
            }
            (Kind::PartialJump, Some(Past { few: Some(few), .. })) => {
                few.draw_jump(at.find_few_jumps(x, few), rng, y);
            }
            (Kind::PartialStep, Some(Past { few: Some(few), .. })) => {
                few.draw_step(at.find_few_steps(x, few, self.pupil.nu2().few), chosen.shrink(), rng, y);
            }
            (Kind::Difference, Some(past)) => past.draw_difference(self.pupil.length(chosen), rng, y),
            _ => {
                let length = self.pupil.length(chosen);
                y.iter_mut().for_each(|y| *y = length * rng.sample::<f64, _>(StandardNormal));
                multiply_lower(&self.fit.metric.factor, y);
            }
        }
        y.iter_mut().zip(x).for_each(|(y, x)| *y += x);
        chosen.component()
    }

    fn log_ratio(&self, _x: &[f64], at_x: &Local, y: &[f64], at_y: &mut Local, component: usize) -> f64 {
        at_y.forget();
        let chosen = Move::of(component);
        match (chosen.kind, &self.fit.past) {
            (Kind::KernelStep, Some(past)) => {
                at_y.find_steps(y, past, self.pupil.nu2().all);
                at_x.log_step_ratio(at_y, chosen.shrink())
            }
            (Kind::Jump, Some(past)) => {
                at_y.find_jumps(y, past);
                at_x.log_jump_ratio(at_y)
            }
            (Kind::PartialJump, Some(Past { few: Some(few), .. })) => {
                at_y.find_few_jumps(y, few);
                at_x.log_few_jump_ratio(at_y)
            }
            (Kind::PartialStep, Some(Past { few: Some(few), .. })) => {
                at_y.find_few_steps(y, few, self.pupil.nu2().few);
                at_x.log_few_step_ratio(at_y, chosen.shrink())
            }
            _ => 0.0,
        }
    }

    fn adapt(&mut self, x: &[f64], at: &mut Local, step: &Step, rng: &mut Rng) {
        let chosen = Move::of(step.component);
        if !step.warm {
            self.pupil.count(step, chosen);
            return;
        }
        self.pupil.remember(x, step, chosen, &self.fit.metric);
        if self.pupil.learn_scale(step.acceptance, chosen)
            && matches!(chosen.kind, Kind::KernelStep | Kind::PartialStep)
        {
            at.rescale(self.fit.past.as_ref(), self.pupil.nu2());
        }
        if self.due() == Some(step.t + 1) {
            self.refresh(rng);
            self.locate(x, at);
        }
    }

    /// Of a step of the Kameleon, or while there is none, of adaptive Metropolis.
    fn covariance(&self, x: &[f64], at: &Local) -> Option<Vec<f64>> {
        let fit = &self.fit;
        if let (Some(past), true) = (&fit.past, fit.weight(Kind::KernelStep) > 0.0) {
            return at.step_covariance(past);
        }
        let mut covariance = vec![0.0; x.len() * x.len()];
        times_transpose(&fit.metric.factor, x.len(), &mut covariance);
        let length = self.pupil.scale();
        covariance.iter_mut().for_each(|c| *c *= length * length);
        Some(covariance)
    }

    /// s of the steps of adaptive Metropolis.
    fn scale(&self) -> f64 {
        self.pupil.scale()
    }

    fn problem(&self, dim: usize) -> Option<&'static str> {
        let whole = self.fit.fits(dim) && self.pupil.fits(dim);
        (!whole).then_some("what it learned does not fit its dimension or its past")
    }

    fn bandwidth(&self) -> Option<f64> {
        Some(self.fit.past.as_ref()?.sigma)
    }

    fn staged(&self) -> Option<&Kameleon> {
        Some(self)
    }

    fn learner(&self) -> Option<&dyn Learner> {
        Some(self)
    }

    fn learner_mut(&mut self) -> Option<&mut dyn Learner> {
        Some(self)
    }
}
