//! KAMH and KAMH-LS, the Kameleon: N(y, γ²I + ν²S(y)), whose covariance follows the local shape of the target.

use super::Proposal;
use super::subsample::Subsample;
use crate::Rng;
use crate::adapt::{ACCEPTANCE, Scale, Schedule, Until, rate};
use crate::bandwidth::Bandwidth;
use crate::gradient_covariance::{Scratch, gradient_covariance};
use crate::history::HistoryKind;
use crate::kernel::Kernel;
use crate::linalg::{add_to_diagonal, cholesky, dot, log_diagonal, multiply_lower, solve_lower, times_transpose};
use crate::settings::{Length, SettingsError};
use crate::step::Step;
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

/// The settings of [`Kamh`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct KamhSettings {
    /// The kernel k.
    pub kernel: Kernel,
    /// Whether the kernel's bandwidth is set by the median heuristic or stays as given.
    pub bandwidth: Bandwidth,
    /// n, the size of the subsample z.
    pub n: usize,
    /// γ, the exploration term.
    pub gamma: f64,
    /// a: γ falls as (1 + k)^−a with the number k of adaptations of z.
    pub gamma_decay: f64,
    /// ν² at the start.
    pub nu2: f64,
    /// Whether ν² is learned (KAMH-LS) or stays (KAMH).
    pub learn_scale: bool,
    /// The first states, which never enter z; nothing is learned before.
    pub discard: u64,
    /// Where z is drawn from.
    pub history: HistoryKind,
    /// p_t: with what probability z is drawn anew.
    pub schedule: Schedule,
    /// When learning ends.
    pub until: Until,
    /// An oracle: these points are z and stay so, nothing but the scale is learned.
    pub z: Option<Vec<Vec<f64>>>,
}

impl Default for KamhSettings {
    fn default() -> Self {
        Self {
            kernel: Kernel::gaussian(1.0),
            bandwidth: Bandwidth::Median,
            n: 1000,
            gamma: 0.2,
            gamma_decay: 0.0,
            nu2: 0.1,
            learn_scale: true,
            discard: 500,
            history: HistoryKind::Reservoir,
            schedule: Schedule::default(),
            until: Until::Warmup,
            z: None,
        }
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
}

/// N(y, γ²I + ν²S(y))
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kamh {
    learn_scale: bool,
    subsample: Subsample,
    scale: Scale,
}

/// What the Kameleon knows at a point.
#[derive(Clone, Debug)]
pub struct Local {
    /// S = M H Mᵀ: depends on z only, so a new ν or γ does not cost a pass over z.
    gradient_covariance: Vec<f64>,
    /// L with LLᵀ = R = γ²I + ν²S.
    factor: Vec<f64>,
    /// ln |L|
    log_factor: f64,
    /// Room for a difference of two points.
    difference: Vec<f64>,
    scratch: Scratch,
}

impl Local {
    /// R's Cholesky factor, row by row.
    pub fn factor(&self) -> &[f64] {
        &self.factor
    }

    /// S, row by row.
    pub fn gradient_covariance(&self) -> &[f64] {
        &self.gradient_covariance
    }
}

impl Kamh {
    /// A proposal in `dim` dimensions for a run of the given length.
    pub fn new(settings: &KamhSettings, dim: usize, length: Length) -> Result<Self, SettingsError> {
        SettingsError::positive("nu2", settings.nu2)?;
        Ok(Self {
            learn_scale: settings.learn_scale,
            subsample: Subsample::new(settings, dim, length)?,
            scale: Scale::new(settings.nu2),
        })
    }

    /// The factor of R from S: O(d³).
    fn factorise(&self, at: &mut Local) {
        let d = at.gradient_covariance.len().isqrt();
        let (gamma, nu2) = (self.subsample.gamma(), self.scale.nu2());
        for (r, s) in at.factor.iter_mut().zip(&at.gradient_covariance) {
            *r = nu2 * s;
        }
        add_to_diagonal(&mut at.factor, d, gamma * gamma);
        if !cholesky(&mut at.factor, d) {
            // A function of the point only, the same in both directions, so the chain stays exact.
            at.factor.fill(0.0);
            add_to_diagonal(&mut at.factor, d, gamma);
        }
        at.log_factor = log_diagonal(&at.factor, d);
    }

    /// ln N(y; x, R(x)), up to a constant. Uses up `difference`.
    fn log_density(at: &Local, difference: &mut [f64]) -> f64 {
        solve_lower(&at.factor, difference);
        -at.log_factor - 0.5 * dot(difference, difference)
    }
}

impl Proposal for Kamh {
    type Local = Local;

    fn allocate(&self, dim: usize) -> Local {
        Local {
            gradient_covariance: vec![0.0; dim * dim],
            factor: vec![0.0; dim * dim],
            log_factor: 0.0,
            difference: vec![0.0; dim],
            scratch: Scratch::new(dim),
        }
    }

    fn locate(&self, x: &[f64], at: &mut Local) {
        gradient_covariance(
            self.subsample.kernel(),
            self.subsample.z(),
            x,
            &mut at.scratch,
            &mut at.gradient_covariance,
        );
        self.factorise(at);
    }

    fn draw(&self, x: &[f64], at: &mut Local, rng: &mut Rng, y: &mut [f64]) -> usize {
        y.iter_mut().for_each(|y| *y = rng.sample(StandardNormal));
        multiply_lower(&at.factor, y);
        y.iter_mut().zip(x).for_each(|(y, x)| *y += x);
        0
    }

    fn log_ratio(&self, x: &[f64], at_x: &Local, y: &[f64], at_y: &mut Local, _component: usize) -> f64 {
        self.locate(y, at_y);
        let mut difference = std::mem::take(&mut at_y.difference);
        let mut density = |at: &Local| {
            difference.iter_mut().zip(x).zip(y).for_each(|((d, x), y)| *d = y - x);
            Self::log_density(at, &mut difference)
        };
        let ratio = density(at_y) - density(at_x);
        at_y.difference = difference;
        ratio
    }

    fn adapt(&mut self, x: &[f64], at: &mut Local, step: &Step, rng: &mut Rng) {
        if !self.subsample.until().allows(step.warm) {
            return;
        }
        self.subsample.remember(x, step.t, rng);
        let moved = self.subsample.renew(step.t, rng);
        let learned = self.learn_scale.then(|| rate(step.t, self.subsample.discard(), 0.5)).flatten();
        if let Some(rate) = learned {
            self.scale.learn(rate, step.acceptance, ACCEPTANCE);
        }
        if moved {
            self.locate(x, at);
        } else if learned.is_some() {
            self.factorise(at);
        }
    }

    fn covariance(&self, x: &[f64], at: &Local) -> Option<Vec<f64>> {
        let mut covariance = vec![0.0; x.len() * x.len()];
        times_transpose(&at.factor, x.len(), &mut covariance);
        Some(covariance)
    }

    fn scale(&self) -> f64 {
        self.scale.nu()
    }

    fn problem(&self, dim: usize) -> Option<&'static str> {
        self.subsample.problem(dim)
    }

    fn bandwidth(&self) -> Option<f64> {
        self.subsample.kernel().bandwidth()
    }
}
