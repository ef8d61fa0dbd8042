//! MALA and PMALA, Langevin steps: N(y + ½R∇log π(y), R) with R = ν²I, or ν²Σ with Σ learned.

use super::Proposal;
use crate::Rng;
use crate::adapt::{Scale, Until, rate};
use crate::covariance::LearnedCovariance;
use crate::drift::{ACCEPTANCE_WITH_DRIFT, Drift};
use crate::linalg::times_transpose;
use crate::normal_step::NormalStep;
use crate::registry::{ANY, OPEN_PROBABILITY, POSITIVE, Setting, Settings, SettingsError, Values, read_over};
use crate::step::Step;
use crate::{Length, settings};
use serde::{Deserialize, Serialize};

settings! {
    /// The settings of [`Mala`].
    pub struct MalaSettings {
        /// Whether the covariance Σ is learned (PMALA) or stays as given (MALA).
        learn_covariance: bool = true, ANY;
        /// Whether the scale ν is learned.
        learn_scale: bool = true, ANY;
        /// The scale ν at the start; 1.65 d^−1/6, best for a Gaussian target in many dimensions, if not given.
        nu: Option<f64> = None, POSITIVE;
        /// The variances of the initial covariance; 1 if not given.
        variances: Option<Vec<f64>> = None, POSITIVE;
        /// The longest drift, in units of √d, about the length of the random part of a step.
        drift_cut: f64 = 1.0, POSITIVE;
        /// The acceptance rate that the scale is learned for.
        acceptance: f64 = ACCEPTANCE_WITH_DRIFT, OPEN_PROBABILITY;
        /// The number of iterations before a covariance is learned.
        discard: u64 = 500, ANY;
        /// When learning ends.
        until: Until = Until::Warmup, ANY;
    }
}

impl MalaSettings {
    /// As chosen, with a covariance that is learned or not.
    pub(crate) fn chosen(learn_covariance: bool, given: Values) -> Result<Self, SettingsError> {
        read_over(&Self { learn_covariance, ..Self::default() }, given)
    }

    /// The settings that can be chosen.
    pub(crate) fn table(learn_covariance: bool) -> Vec<Setting> {
        let mut table = <Self as Settings>::table();
        table[0].default = learn_covariance.into();
        table
    }
}

/// N(y + ½R∇log π(y), R) with R = ν²Σ
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mala {
    settings: MalaSettings,
    covariance: LearnedCovariance,
    scale: Scale,
}

/// What is known at a point.
#[derive(Clone, Debug)]
pub struct Local {
    /// R, the same at all points.
    step: NormalStep,
    drift: Drift,
}

impl Local {
    /// The drift, and the gradient that it follows.
    pub fn drift(&self) -> (&[f64], &[f64]) {
        (self.drift.shift(), self.drift.gradient())
    }
}

impl Mala {
    /// A proposal in `dim` dimensions for a run of the given length.
    pub fn new(settings: &MalaSettings, dim: usize, length: Length) -> Result<Self, SettingsError> {
        settings.check()?;
        if settings.learn_covariance {
            length.outlasts(settings.discard, settings.until)?;
        }
        let variances = settings.variances.clone().unwrap_or(vec![1.0; dim]);
        SettingsError::length("variances", variances.len(), dim)?;
        let nu = settings.nu.unwrap_or(1.65 * libm::pow(dim as f64, -1.0 / 6.0));
        Ok(Self {
            settings: settings.clone(),
            covariance: LearnedCovariance::new(&variances, false),
            scale: Scale::new(nu * nu),
        })
    }
}

impl Proposal for Mala {
    type Local = Local;

    fn allocate(&self, dim: usize) -> Local {
        Local { step: NormalStep::new(dim), drift: Drift::new(dim) }
    }

    fn needs_gradient(&self) -> bool {
        true
    }

    fn take_gradient(&self, gradient: &[f64], at: &mut Local) {
        at.drift.take_gradient(gradient);
    }

    fn locate(&self, _x: &[f64], at: &mut Local) {
        at.step.set_factor(self.scale.nu(), self.covariance.factor());
        at.drift.locate(&at.step, self.settings.drift_cut);
    }

    fn draw(&self, x: &[f64], at: &mut Local, rng: &mut Rng, y: &mut [f64]) -> usize {
        at.step.draw(1.0, rng, y);
        y.iter_mut().zip(x).for_each(|(y, x)| *y += x);
        at.drift.add_to(y);
        0
    }

    fn log_ratio(&self, x: &[f64], at_x: &Local, y: &[f64], at_y: &mut Local, _component: usize) -> f64 {
        self.locate(y, at_y);
        at_x.step.log_ratio_with_drift((x, at_x.drift.shift()), (y, at_y.drift.shift()), &mut at_y.step)
    }

    fn adapt(&mut self, x: &[f64], at: &mut Local, step: &Step, _rng: &mut Rng) {
        let s = &self.settings;
        if !s.until.allows(step.warm) {
            return;
        }
        if let (true, true, Some(rate)) = (s.learn_covariance, step.t > s.discard, rate(step.t, s.discard, 1.0)) {
            self.covariance.learn(x, rate);
        }
        // From the first step on: without a scale that fits there is no history worth learning from.
        if let (true, Some(rate)) = (s.learn_scale, rate(step.t, 0, 0.5)) {
            self.scale.learn(rate, step.acceptance, s.acceptance);
        }
        self.locate(x, at);
    }

    fn covariance(&self, x: &[f64], at: &Local) -> Option<Vec<f64>> {
        let mut covariance = vec![0.0; x.len() * x.len()];
        times_transpose(&at.step.factor, x.len(), &mut covariance);
        Some(covariance)
    }

    fn problem(&self, dim: usize) -> Option<&'static str> {
        self.covariance.problem(dim)
    }

    fn scale(&self) -> f64 {
        self.scale.nu()
    }
}
