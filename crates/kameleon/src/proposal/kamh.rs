//! KAMH and KAMH-LS, the Kameleon: N(y, γ²I + ν²S(y)), whose covariance follows the local shape of the target; with drift,
//! N(y + ½R(y)∇log π(y), R(y)) with R = γ²I + ν²S.

use super::Proposal;
use super::subsample::Subsample;
use crate::Rng;
use crate::adapt::{ACCEPTANCE, Scale, Schedule, Until, rate};
use crate::bandwidth::Bandwidth;
use crate::drift::Drift;
use crate::gradient_covariance::{Scratch, gradient_covariance};
use crate::history::HistoryKind;
use crate::kernel::Kernel;
use crate::linalg::times_transpose;
use crate::normal_step::NormalStep;
use crate::registry::{
    ANY, NOT_NEGATIVE, OPEN_PROBABILITY, POSITIVE, Range, Setting, Settings, SettingsError, USUAL_SIZE, Values,
    read_over, take_flag, values_of,
};
use crate::step::Step;
use crate::{Length, settings};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

settings! {
    /// The settings of [`Kamh`].
    pub struct KamhSettings {
        /// Whether the scale ν² is learned (KAMH-LS) or stays as given (KAMH).
        learn_scale: bool = true, ANY;
        /// The kernel.
        kernel: Kernel = Kernel::gaussian(1.0), ANY;
        /// The kernel's bandwidth: from z by the median heuristic, fixed as given with the kernel, or a number.
        bandwidth: Bandwidth = Bandwidth::Median, ANY;
        /// The number n of past states in the subsample z.
        n: usize = 1000, Range::within(1.0, 1e6);
        /// The exploration term γ, in the target's own units.
        gamma: f64 = 0.2, POSITIVE;
        /// γ decreases as (1 + k)^−a with the number k of changes of z; this is a.
        gamma_decay: f64 = 0.0, NOT_NEGATIVE;
        /// The scale ν² at the start.
        nu2: f64 = 0.1, POSITIVE;
        /// The number of first iterations, whose states never enter z; nothing is learned before.
        discard: u64 = 500, ANY;
        /// Where z is drawn from: a reservoir of n states, or the whole stored past.
        history: HistoryKind = HistoryKind::Reservoir, ANY;
        /// The probability p_t of a new z at iteration t: a number, {power: a} for t^−a, or {steps: [[t, p], …]}.
        schedule: Schedule = Schedule::default(), ANY;
        /// Whether steps drift along the gradient of the log density: N(y + ½R∇log π, R). The target must have a gradient.
        drift: bool = false, ANY;
        /// The longest drift, in units of √d, about the length of the random part of a step.
        drift_cut: f64 = 0.3, POSITIVE;
        /// The acceptance rate that the scale is learned for.
        acceptance: f64 = ACCEPTANCE, OPEN_PROBABILITY;
        /// When learning ends.
        until: Until = Until::Warmup, ANY;
        /// A fixed z, as a list of points; then only the scale is learned.
        z: Option<Vec<Vec<f64>>> = None, ANY;
    }
}

impl KamhSettings {
    /// As in the published experiments: a Gaussian kernel of given bandwidth, a fresh z at every iteration of the burn-in.
    pub fn published(sigma: f64) -> Self {
        Self {
            kernel: Kernel::gaussian(sigma),
            bandwidth: Bandwidth::Fixed,
            history: HistoryKind::Stored,
            ..Self::default()
        }
    }

    /// With a scale that stays as given: KAMH.
    pub(crate) fn fixed_scale() -> Self {
        Self { learn_scale: false, ..Self::default() }
    }

    /// As chosen, over `base`: a kernel by name, a bandwidth as a number, a schedule as a number, and `published` for a
    /// fresh z at every iteration of the warm-up.
    pub(crate) fn chosen(mut base: Self, mut given: Values) -> Result<Self, SettingsError> {
        if take_flag(&mut given, "published")? {
            base.history = HistoryKind::Stored;
        }
        if let Some(kernel) = given.remove("kernel") {
            base.kernel = Kernel::from_value(&kernel).map_err(|error| error.within("kernel"))?;
        }
        if let Some(sigma) = given.get("bandwidth").and_then(Value::as_f64) {
            USUAL_SIZE.check("bandwidth", &sigma)?;
            base.kernel.set_bandwidth(sigma);
            base.bandwidth = Bandwidth::Fixed;
            given.remove("bandwidth");
        }
        if let Some(p) = given.get_mut("schedule").filter(|value| value.is_number()) {
            *p = json!({ "constant": p });
        }
        read_over(&base, given)
    }

    /// The settings that can be chosen, with the defaults of `base`.
    pub(crate) fn table(base: &Self) -> Vec<Setting> {
        let mut table = <Self as Settings>::table();
        let values = base.all_values();
        table.iter_mut().for_each(|setting| setting.default = values[&setting.key].clone());
        let about = "Whether z is drawn anew from the stored past at every iteration, as in the published experiments.";
        table.push(Setting::new("published", about, &false, ANY));
        table
    }

    /// The settings of steps with drift and of what the scale is learned for, which steps along single directions do not have.
    pub(crate) const WHOLE_STEPS: [&'static str; 3] = ["drift", "drift-cut", "acceptance"];

    /// The settings in the form in which they are chosen; those of steps with drift only where they are not the defaults, so that samplers
    /// without have the names, and the random numbers of studies, that they had before there was any.
    pub(crate) fn values(&self) -> Values {
        let mut values = self.all_values();
        let Self { drift, drift_cut, acceptance, .. } = Self::default();
        if (self.drift, self.drift_cut, self.acceptance) == (drift, drift_cut, acceptance) {
            values.retain(|key, _| !Self::WHOLE_STEPS.contains(&key.as_str()));
        }
        values
    }

    fn all_values(&self) -> Values {
        let mut values = values_of(self);
        values.insert("kernel".into(), self.kernel.to_value());
        if let Schedule::Constant(p) = self.schedule {
            values.insert("schedule".into(), p.into());
        }
        values
    }
}

/// N(y, γ²I + ν²S(y)), or with drift N(y + ½R(y)∇log π(y), R(y))
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kamh {
    learn_scale: bool,
    /// The acceptance rate that the scale is driven to.
    acceptance: f64,
    /// The longest drift, where there is one.
    drift_cut: Option<f64>,
    subsample: Subsample,
    scale: Scale,
}

/// What the Kameleon knows at a point.
#[derive(Clone, Debug)]
pub struct Local {
    /// S = M H Mᵀ: depends on z only, so a new ν or γ does not cost a pass over z.
    gradient_covariance: Vec<f64>,
    /// R = γ²I + ν²S.
    step: NormalStep,
    drift: Option<Drift>,
    scratch: Scratch,
}

impl Local {
    /// R's Cholesky factor, row by row.
    pub fn factor(&self) -> &[f64] {
        &self.step.factor
    }

    /// S, row by row.
    pub fn gradient_covariance(&self) -> &[f64] {
        &self.gradient_covariance
    }

    /// The drift there, and the gradient that it follows; none without drift.
    pub fn drift(&self) -> Option<(&[f64], &[f64])> {
        self.drift.as_ref().map(|drift| (drift.shift(), drift.gradient()))
    }
}

impl Kamh {
    /// A proposal in `dim` dimensions for a run of the given length.
    pub fn new(settings: &KamhSettings, dim: usize, length: Length) -> Result<Self, SettingsError> {
        Ok(Self {
            learn_scale: settings.learn_scale,
            acceptance: settings.acceptance,
            drift_cut: settings.drift.then_some(settings.drift_cut),
            subsample: Subsample::new(settings, dim, length)?,
            scale: Scale::new(settings.nu2),
        })
    }

    /// The factor of R from S, and the drift from both: O(d³).
    fn factorise(&self, at: &mut Local) {
        let gamma = self.subsample.gamma();
        at.step.factorise(self.scale.nu2(), &at.gradient_covariance, gamma * gamma);
        if let (Some(drift), Some(cut)) = (&mut at.drift, self.drift_cut) {
            drift.locate(&at.step, cut);
        }
    }
}

impl Proposal for Kamh {
    type Local = Local;

    fn allocate(&self, dim: usize) -> Local {
        Local {
            gradient_covariance: vec![0.0; dim * dim],
            step: NormalStep::new(dim),
            drift: self.drift_cut.map(|_| Drift::new(dim)),
            scratch: Scratch::new(dim),
        }
    }

    fn needs_gradient(&self) -> bool {
        self.drift_cut.is_some()
    }

    fn take_gradient(&self, gradient: &[f64], at: &mut Local) {
        if let Some(drift) = &mut at.drift {
            drift.take_gradient(gradient);
        }
    }

    fn locate(&self, x: &[f64], at: &mut Local) {
        let Subsample { kernel, z, .. } = &self.subsample;
        gradient_covariance(kernel, z, x, &mut at.scratch, &mut at.gradient_covariance);
        self.factorise(at);
    }

    fn draw(&self, x: &[f64], at: &mut Local, rng: &mut Rng, y: &mut [f64]) -> usize {
        at.step.draw(1.0, rng, y);
        y.iter_mut().zip(x).for_each(|(y, x)| *y += x);
        if let Some(drift) = &at.drift {
            drift.add_to(y);
        }
        0
    }

    fn log_ratio(&self, x: &[f64], at_x: &Local, y: &[f64], at_y: &mut Local, _component: usize) -> f64 {
        self.locate(y, at_y);
        match (&at_x.drift, &at_y.drift) {
            (Some(here), Some(there)) => {
                at_x.step.log_ratio_with_drift((x, here.shift()), (y, there.shift()), &mut at_y.step)
            }
            _ => at_x.step.log_ratio(x, y, &mut at_y.step, 1.0),
        }
    }

    fn adapt(&mut self, x: &[f64], at: &mut Local, step: &Step, rng: &mut Rng) {
        if !self.subsample.until.allows(step.warm) {
            return;
        }
        self.subsample.remember(x, step.t, rng);
        let moved = self.subsample.renew(step.t, rng);
        let learned = self.learn_scale.then(|| rate(step.t, self.subsample.discard(), 0.5)).flatten();
        if let Some(rate) = learned {
            self.scale.learn(rate, step.acceptance, self.acceptance);
        }
        if moved {
            self.locate(x, at);
        } else if learned.is_some() {
            self.factorise(at);
        }
    }

    fn covariance(&self, x: &[f64], at: &Local) -> Option<Vec<f64>> {
        let mut covariance = vec![0.0; x.len() * x.len()];
        times_transpose(&at.step.factor, x.len(), &mut covariance);
        Some(covariance)
    }

    fn scale(&self) -> f64 {
        self.scale.nu()
    }

    fn problem(&self, dim: usize) -> Option<&'static str> {
        self.subsample.problem(dim)
    }

    fn bandwidth(&self) -> Option<f64> {
        self.subsample.kernel.bandwidth()
    }
}
