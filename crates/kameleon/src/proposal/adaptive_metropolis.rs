//! AM-FS and AM-LS, adaptive Metropolis: N(y, ν²Σ_t) with Σ_t learned, and ν fixed or learned.

use super::Proposal;
use super::random_walk::gelman_scale;
use crate::Rng;
use crate::adapt::{ACCEPTANCE, Scale, Until, rate};
use crate::covariance::LearnedCovariance;
use crate::linalg::{add_to_diagonal, multiply_lower, times_transpose};
use crate::settings::{Length, SettingsError};
use crate::step::Step;
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

/// The settings of [`AdaptiveMetropolis`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AdaptiveMetropolisSettings {
    /// Whether ν is learned too (AM-LS; Andrieu & Thoms 2008, Algorithm 4) or stays at 2.38/√d (AM-FS; Haario).
    pub learn_scale: bool,
    /// The variances that Σ starts from; ones if none are given.
    pub variances: Option<Vec<f64>>,
    /// Whether the mean starts at zero, or at the first state that is learned from.
    pub mean_from_zero: bool,
    /// Iterations before anything is learned.
    pub discard: u64,
    /// Mean and Σ learn from one state in this many.
    pub every: u64,
    /// The step size of mean and Σ falls as t to the minus this: 1 averages the whole history, as Haario does;
    /// the published experiments used ½, with which Σ never settles.
    pub covariance_power: f64,
    /// The step size of ln ν² falls as t to the minus this.
    pub scale_power: f64,
    /// ε of the ridge: the proposal covariance is ν²(Σ + εI).
    pub ridge: f64,
    /// When learning ends.
    pub until: Until,
}

impl Default for AdaptiveMetropolisSettings {
    fn default() -> Self {
        Self {
            learn_scale: true,
            variances: None,
            mean_from_zero: false,
            discard: 500,
            every: 1,
            covariance_power: 1.0,
            scale_power: 0.5,
            ridge: 1e-10,
            until: Until::Warmup,
        }
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
        length.outlasts(settings.discard, settings.until)?;
        let variances = settings.variances.clone().unwrap_or(vec![1.0; dim]);
        SettingsError::length("variances", variances.len(), dim)?;
        variances.iter().try_for_each(|v| SettingsError::positive("variances", *v))?;
        SettingsError::at_least_one("every", settings.every)?;
        SettingsError::positive("covariance-power", settings.covariance_power)?;
        SettingsError::positive("scale-power", settings.scale_power)?;
        SettingsError::not_negative("ridge", settings.ridge)?;
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

    fn locate(&self, _x: &[f64], _at: &mut ()) {}

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

    fn log_ratio(&self, _x: &[f64], _at_x: &(), _y: &[f64], _at_y: &mut (), _component: usize) -> f64 {
        0.0
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
