//! `kameleon`, the default sampler: a mixture of the moves of [`crate::moves`], learned in stages.
//!
//! In the warm-up the mixture, the metric and the points z are learned at refreshes, by one chain alone or by a group together
//! ([`crate::warmup`], [`crate::pool`]); after it nothing changes any more.

mod advice;

pub use advice::FUNNEL;

use super::Proposal;
use crate::Rng;
use crate::circles::Circles;
use crate::learner::{FitRule, Learner, RefreshInput, SharedFit, downcast};
use crate::length::OR_WORDS;
use crate::linalg::times_transpose;
use crate::moves::{JumpDensity, KernelStep, Local, Model, MoveId, Parts, Pick, Setting, Walk};
use crate::registry::{Range, Settings, SettingsError};
use crate::report::{MoveReport, Regions, Report};
use crate::step::{Drawn, Step, Tried};
use crate::warmup::{ChainInput, Fit, Schedule, WarmupState, refresh, unvisited};
use crate::{Length, settings};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

settings! {
    /// The settings of [`Kameleon`].
    pub struct KameleonSettings {
        /// The number n of past states from which local steps are built.
        n: usize = 1000, Range::within(10.0, 1e5);
    }
}

/// Jumps are judged together in blocks of this many; of many chains, which may be short, in blocks that are done when the warm-up ends.
const BLOCK: usize = 48;

/// A mixture of moves, learned in stages.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kameleon {
    settings: KameleonSettings,
    #[serde(with = "crate::learner::by_value")]
    fit: Arc<Fit>,
    warmup: WarmupState,
    /// How many jumps are judged together once nothing more is learned.
    block: usize,
}

impl Kameleon {
    /// A proposal in `dim` dimensions for a run of the given length.
    pub fn new(settings: &KameleonSettings, dim: usize, length: Length) -> Result<Self, SettingsError> {
        settings.check()?;
        let schedule = Schedule::new(length);
        let (key, words) = if length.until_learned { ("max-warmup", "") } else { ("warmup", OR_WORDS) };
        let least = schedule.least();
        let what = format!("must be a number of iterations, at least {least}{words}, not {}", length.warmup);
        SettingsError::demand(key, length.warmup >= least, &what)?;
        let warmup = WarmupState::new(dim, length.warmup, schedule);
        let most = if schedule.runs_ahead() { schedule.settling() } else { u64::MAX };
        let block = most.clamp(1, BLOCK as u64) as usize;
        Ok(Self { settings: settings.clone(), fit: Arc::new(Fit::unknown(dim, schedule)), warmup, block })
    }

    /// What was learned at the last refresh.
    pub fn fit(&self) -> &Arc<Fit> {
        &self.fit
    }

    /// Takes over what was learned at the refresh that it waits at.
    pub fn learn(&mut self, fit: Arc<Fit>) {
        let ahead = self.warmup.schedule.runs_ahead() && fit.next.is_some();
        let seed = self.warmup.waiting.filter(|_| ahead);
        self.warmup.brought = seed.map(|seed| Arc::new(self.chain_input(seed)));
        self.warmup.refreshed(&self.fit, &fit);
        self.fit = fit;
    }

    /// What the chain brings to a refresh, with this seed.
    fn chain_input(&self, seed: u64) -> ChainInput {
        self.warmup.input(self.fit.model.metric.dim(), seed)
    }

    fn refresh(&mut self, rng: &mut Rng) {
        let seed = rng.random();
        if self.warmup.pooled {
            self.warmup.waiting = Some(seed);
        } else if let Some(next) = self.fit.next {
            let inputs = [Arc::new(self.chain_input(seed))];
            self.learn(Arc::new(refresh(&self.fit, &inputs, self.settings.n, self.warmup.schedule, next)));
        }
    }

    /// What a move is made with.
    fn setting(&self, pick: Pick) -> Setting<'_> {
        let (scale, length_factor) = (self.warmup.scale(pick.id), pick.length_factor());
        Setting { model: &self.fit.model, scale, length_factor }
    }

    fn facts(&self) -> Vec<(String, String)> {
        let Model { history, density, .. } = &self.fit.model;
        let fact = |name: &str, value: String| (name.to_owned(), value);
        let mut facts = Vec::new();
        if let Some(density) = density {
            let Parts { frame, mixture, .. } = density.parts();
            let (k, d) = (mixture.dim(), frame.dim());
            facts.push(fact("components of the jump density", mixture.components().len().to_string()));
            facts.push(fact("in directions", if k == d { format!("all {d}") } else { format!("{k} of {d}") }));
        }
        facts.extend(history.as_ref().map(|history| fact("points of the history", history.z.len().to_string())));
        facts
    }
}

impl Learner for Kameleon {
    fn join(&mut self) {
        self.warmup.pooled = true;
    }

    fn waits(&self) -> bool {
        self.warmup.waiting.is_some()
    }

    fn refreshes(&self) -> u64 {
        self.fit.number
    }

    /// A chain that runs ahead takes what it knows already where it waits first.
    fn wants(&self) -> u64 {
        self.fit.number + u64::from(!self.runs_ahead() || self.warmup.brought.is_some())
    }

    fn runs_ahead(&self) -> bool {
        self.warmup.schedule.runs_ahead()
    }

    fn input(&self) -> Option<RefreshInput> {
        if self.runs_ahead() {
            return self.warmup.brought.clone().map(|input| input as RefreshInput);
        }
        self.warmup.waiting.map(|seed| Arc::new(self.chain_input(seed)) as RefreshInput)
    }

    fn pack(&self, input: &RefreshInput) -> Option<String> {
        serde_json::to_string(input.downcast_ref::<ChainInput>()?).ok()
    }

    fn unpack(&self, text: &str) -> Option<RefreshInput> {
        let input = serde_json::from_str::<ChainInput>(text).ok()?;
        input.fits(self.fit.model.metric.dim()).then(|| Arc::new(input) as RefreshInput)
    }

    fn fit_rule(&self) -> FitRule {
        let (points, schedule) = (self.settings.n, self.warmup.schedule);
        Arc::new(move |old, inputs| {
            let old = old.clone().downcast::<Fit>().ok()?;
            let inputs = downcast::<ChainInput>(inputs)?;
            Some(Arc::new(refresh(&old, &inputs, points, schedule, old.next?)))
        })
    }

    fn shared_fit(&self) -> SharedFit {
        self.fit.clone()
    }

    fn has_fit(&self, fit: &SharedFit) -> bool {
        fit.downcast_ref::<Fit>().is_some_and(|fit| std::ptr::eq(fit, &*self.fit))
    }

    fn leave_out_learning(&mut self) {
        if self.warmup.pooled && self.fit.learning.is_some() {
            self.fit = Arc::new(self.fit.light());
        }
    }

    fn leave_out_fit(&mut self) {
        let unknown = Fit::unknown(self.fit.model.metric.dim(), self.warmup.schedule);
        self.fit = Arc::new(Fit { number: self.fit.number, ..unknown });
    }

    fn put_back_fit(&mut self, fit: &SharedFit) -> bool {
        let Ok(fit) = fit.clone().downcast::<Fit>() else { return false };
        let is_same = (fit.number, fit.model.metric.dim()) == (self.fit.number, self.fit.model.metric.dim());
        if is_same {
            self.fit = fit;
        }
        is_same
    }

    fn take(&mut self, fit: &SharedFit) {
        if let Ok(fit) = fit.clone().downcast::<Fit>() {
            self.learn(fit);
        }
    }
}

impl Proposal for Kameleon {
    type Local = Local;

    fn allocate(&self, dim: usize) -> Local {
        Local::new(dim)
    }

    fn locate(&self, x: &[f64], at: &mut Local) {
        at.forget();
        at.turned(&self.fit.circles, x, |x, at| {
            MoveId::all().for_each(|id| id.get().locate(&self.setting(Pick::whole(id)), x, at));
        });
    }

    fn draw(&self, x: &[f64], at: &mut Local, rng: &mut Rng, y: &mut [f64]) -> usize {
        let has_length = |id| self.warmup.has_length(id);
        // A jump begins a block, so it is made less often by as much.
        let weight = |id| self.fit.weights[id] / if has_length(id) { 1.0 } else { self.block() as f64 };
        let pick = Pick::draw(weight, has_length, rng);
        let (drawn, with) = (pick.id.get(), self.setting(pick));
        at.turned(&self.fit.circles, x, |x, at| {
            drawn.locate(&with, x, at);
            drawn.draw(&with, x, at, rng, y);
        });
        self.fit.circles.turn_back(y);
        pick.component()
    }

    fn log_ratio(&self, _x: &[f64], at_x: &Local, y: &[f64], at_y: &mut Local, component: usize) -> f64 {
        let pick = Pick::of(component);
        let (drawn, with) = (pick.id.get(), self.setting(pick));
        at_y.forget();
        at_y.turned(&self.fit.circles, y, |y, at_y| drawn.locate(&with, y, at_y));
        drawn.log_ratio(&with, at_x, at_y) + at_x.log_slope() - at_y.log_slope()
    }

    fn block(&self) -> usize {
        if self.warmup.next.is_none() { self.block } else { 1 }
    }

    fn set_block(&mut self, size: usize) {
        self.block = size;
    }

    fn set_circles(&mut self, circles: Circles) {
        self.fit = Arc::new(Fit { circles, ..Fit::clone(&self.fit) });
    }

    fn spot(&self, component: usize, x: &[f64], at: &mut Local, rng: &mut Rng) -> Option<f64> {
        let is_in_blocks = self.block() > 1 && !self.warmup.has_length(Pick::of(component).id);
        let density = self.fit.model.density.as_ref().filter(|_| is_in_blocks)?;
        Some(at.turned(&self.fit.circles, x, |x, at| at.spot(x, density, rng)))
    }

    fn draw_at(&self, spot: f64, rng: &mut Rng, y: &mut [f64]) -> u8 {
        let Some(density) = &self.fit.model.density else { return Drawn::NO_PART };
        let part = density.draw_at(spot, rng, y);
        self.fit.circles.turn_back(y);
        part
    }

    fn shares_of_parts(&self) -> Vec<f64> {
        self.fit.model.density.as_ref().map_or_else(Vec::new, JumpDensity::shares_of_parts)
    }

    fn log_jump_density(&self, at: &Local, component: usize) -> Option<f64> {
        (!self.warmup.has_length(Pick::of(component).id)).then(|| at.log_jump_density().unwrap_or(f64::NAN))
    }

    fn log_jump_density_at(&self, x: &[f64]) -> Option<f64> {
        let density = self.fit.model.density.as_ref()?;
        let mut turned = x.to_vec();
        let log_slope = self.fit.circles.turn(&mut turned);
        Some(density.log_density(&turned, &mut vec![0.0; x.len()]) + log_slope)
    }

    fn regions(&self, draws: &[&[f64]]) -> Option<Regions> {
        let density = self.fit.model.density.as_ref().filter(|_| !self.fit.met.is_empty())?;
        let unvisited = unvisited(density, &self.fit.met, draws, &self.fit.circles);
        Some(Regions { met: self.fit.met.len(), unvisited })
    }

    fn observe(&mut self, step: &Step, tried: Tried<'_>) {
        let pick = Pick::of(step.component);
        if !step.warm {
            self.warmup.count(step, pick);
        } else if self.warmup.next.is_some() {
            self.warmup.remember(step, tried, pick, &self.fit);
        }
    }

    fn adapt(&mut self, x: &[f64], at: &mut Local, step: &Step, rng: &mut Rng) {
        if !step.warm {
            return;
        }
        let pick = Pick::of(step.component);
        if self.warmup.learn_scale(step.acceptance, pick) {
            pick.id.get().rescale(&self.setting(pick), at);
        }
        if self.warmup.next == Some(step.t + 1) {
            self.refresh(rng);
            self.locate(x, at);
        }
    }

    /// Of a kernel step, or while there is none, of adaptive Metropolis.
    fn covariance(&self, x: &[f64], at: &Local) -> Option<Vec<f64>> {
        let fit = &self.fit;
        if let (Some(history), true) = (&fit.model.history, fit.weight(&KernelStep) > 0.0) {
            let mut covariance = at.step_covariance(history)?;
            fit.circles.covariance_back(x, &mut covariance);
            return Some(covariance);
        }
        let mut covariance = vec![0.0; x.len() * x.len()];
        times_transpose(&fit.model.metric.factor, x.len(), &mut covariance);
        let length = self.scale();
        covariance.iter_mut().for_each(|c| *c *= length * length);
        fit.circles.covariance_back(x, &mut covariance);
        Some(covariance)
    }

    /// s of the steps of adaptive Metropolis.
    fn scale(&self) -> f64 {
        self.warmup.scale(MoveId::of(&Walk)).nu()
    }

    fn problem(&self, dim: usize) -> Option<&'static str> {
        let whole = self.fit.fits(dim) && self.warmup.fits(dim) && self.block > 0;
        (!whole).then_some("what it learned does not fit its dimension or its history")
    }

    fn bandwidth(&self) -> Option<f64> {
        Some(self.fit.model.history.as_ref()?.sigma)
    }

    fn report(&self) -> Report {
        let row = |id: MoveId| {
            let (name, tally) = (id.get().name().to_owned(), self.warmup.sampled[id]);
            MoveReport { name, share: self.fit.weights[id], proposed: tally.made, accepted: tally.accepted }
        };
        let made = MoveId::all().filter(|id| self.fit.weights[*id] > 0.0);
        Report { facts: self.facts(), moves: made.map(row).collect(), late: self.fit.late }
    }

    fn advice(&self, names: &[String]) -> Vec<String> {
        advice::funnel(self.fit.model.history.as_ref(), names).into_iter().collect()
    }

    fn warmup_end(&self) -> Option<u64> {
        self.fit.end
    }

    fn learner(&self) -> Option<&dyn Learner> {
        Some(self)
    }

    fn learner_mut(&mut self) -> Option<&mut dyn Learner> {
        Some(self)
    }
}

#[cfg(test)]
mod tests;
