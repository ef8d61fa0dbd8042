//! AM-FS and AM-LS, adaptive Metropolis: N(y, ν²Σ_t) with Σ_t learned, and ν fixed or learned.

use super::Proposal;
use super::random_walk::gelman_scale;
use crate::Rng;
use crate::adapt::{ACCEPTANCE, Scale, Until, rate};
use crate::covariance::LearnedCovariance;
use crate::linalg::{add_to_diagonal, multiply_lower, times_transpose};
use crate::registry::{
    ANY, AT_LEAST_ONE, NOT_NEGATIVE, POSITIVE, Setting, Settings, SettingsError, Values, read_over, take_flag,
};
use crate::step::Step;
use crate::{Length, settings};
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

settings! {
    /// The settings of [`AdaptiveMetropolis`].
    pub struct AdaptiveMetropolisSettings {
        /// Whether the scale ν is learned too (AM-LS; Andrieu & Thoms 2008) or stays at 2.38/√d (AM-FS; Haario).
        learn_scale: bool = true, ANY;
        /// The variances of the initial covariance; 1 if not given.
        variances: Option<Vec<f64>> = None, POSITIVE;
        /// Whether the mean starts at zero instead of at the first state learned from.
        mean_from_zero: bool = false, ANY;
        /// The number of iterations before anything is learned.
        discard: u64 = 500, ANY;
        /// Mean and covariance are learned from one state in every this many.
        every: u64 = 1, AT_LEAST_ONE;
        /// Mean and covariance are learned with step sizes t^−a: a = 1 averages the history; ½, as published, never settles.
        covariance_power: f64 = 1.0, POSITIVE;
        /// ln ν² is learned with step sizes t^−a; this is a.
        scale_power: f64 = 0.5, POSITIVE;
        /// Added to the diagonal of the covariance.
        ridge: f64 = 1e-10, NOT_NEGATIVE;
        /// When learning ends.
        until: Until = Until::Warmup, ANY;
    }
}

impl AdaptiveMetropolisSettings {
    /// As in the published experiments: from mean zero, every 20th state, t^−½ throughout, and never frozen.
    pub fn published(learn_scale: bool) -> Self {
        Self {
            learn_scale,
            mean_from_zero: true,
            every: 20,
            covariance_power: 0.5,
            until: Until::Forever,
            ..Self::default()
        }
    }

    /// As chosen, with `published` for the settings of the published experiments under those that are given.
    pub(crate) fn chosen(learn_scale: bool, mut given: Values) -> Result<Self, SettingsError> {
        let base = match take_flag(&mut given, "published")? {
            true => Self::published(learn_scale),
            false => Self { learn_scale, ..Self::default() },
        };
        read_over(&base, given)
    }

    /// The settings that can be chosen.
    pub(crate) fn table(learn_scale: bool) -> Vec<Setting> {
        let about = "Whether the defaults are those of the published experiments, which never settle.";
        let mut table = <Self as Settings>::table();
        table[0].default = learn_scale.into();
        table.push(Setting::new("published", about, &false, ANY));
        table
    }
}

/// N(y, ν²(Σ + εI))
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AdaptiveMetropolis {
    settings: AdaptiveMetropolisSettings,
    covariance: LearnedCovariance,
    scale: Scale,
}

impl AdaptiveMetropolis {
    /// A proposal in `dim` dimensions for a run of the given length.
    pub fn new(settings: &AdaptiveMetropolisSettings, dim: usize, length: Length) -> Result<Self, SettingsError> {
        settings.check()?;
        length.outlasts(settings.discard, settings.until)?;
        let variances = settings.variances.clone().unwrap_or(vec![1.0; dim]);
        SettingsError::length("variances", variances.len(), dim)?;
        let nu = gelman_scale(dim);
        Ok(Self {
            settings: settings.clone(),
            covariance: LearnedCovariance::new(&variances, settings.mean_from_zero),
            scale: Scale::new(nu * nu),
        })
    }
}

impl Proposal for AdaptiveMetropolis {
    type Local = ();

    fn allocate(&self, _dim: usize) {}

    fn draw(&self, x: &[f64], _at: &mut (), rng: &mut Rng, y: &mut [f64]) -> usize {
        y.iter_mut().for_each(|y| *y = rng.sample(StandardNormal));
        multiply_lower(self.covariance.factor(), y);
        let (nu, ridge) = (self.scale.nu(), self.settings.ridge.sqrt());
        for (y, x) in y.iter_mut().zip(x) {
            // The ridge as a second, independent normal: no factor of Σ + εI is needed.
            *y = x + nu * (*y + ridge * rng.sample::<f64, _>(StandardNormal));
        }
        0
    }

    fn adapt(&mut self, x: &[f64], _at: &mut (), step: &Step, _rng: &mut Rng) {
        let s = &self.settings;
        if !s.until.allows(step.warm) || step.t <= s.discard {
            return;
        }
        if let (true, Some(rate)) = (step.t.is_multiple_of(s.every), rate(step.t, s.discard, s.covariance_power)) {
            self.covariance.learn(x, rate);
        }
        if let (true, Some(rate)) = (s.learn_scale, rate(step.t, s.discard, s.scale_power)) {
            self.scale.learn(rate, step.acceptance, ACCEPTANCE);
        }
    }

    fn covariance(&self, x: &[f64], _at: &()) -> Option<Vec<f64>> {
        let mut covariance = vec![0.0; x.len() * x.len()];
        times_transpose(self.covariance.factor(), x.len(), &mut covariance);
        add_to_diagonal(&mut covariance, x.len(), self.settings.ridge);
        covariance.iter_mut().for_each(|c| *c *= self.scale.nu2());
        Some(covariance)
    }

    fn problem(&self, dim: usize) -> Option<&'static str> {
        self.covariance.problem(dim)
    }

    fn scale(&self) -> f64 {
        self.scale.nu()
    }
}
