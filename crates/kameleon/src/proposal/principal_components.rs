//! AM-PCA: a mixture of one-dimensional walks along the principal directions of the learned covariance.

use super::Proposal;
use crate::Rng;
use crate::adapt::{Scale, Until, rate};
use crate::covariance::LearnedCovariance;
use crate::linalg::{eigen, times_transpose};
use crate::registry::{ANY, AT_LEAST_ONE, Range, Settings, SettingsError};
use crate::step::Step;
use crate::{Length, settings};
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

/// The acceptance rate that suits a one-dimensional walk (Gelman et al. 1996).
const ACCEPTANCE_ON_A_LINE: f64 = 0.44;

/// No direction is chosen less often than this share of an even split, so that none is left out.
const LEAST_SHARE: f64 = 0.1;

/// Eigenpairs are found again when the history has grown by this factor, and by d states: one search costs O(d³).
const GROWTH: f64 = 1.05;

settings! {
    /// The settings of [`PrincipalComponents`].
    pub struct PrincipalComponentsSettings {
        /// The number m of principal directions; all d if not given. With fewer, a frozen chain stays in a subspace.
        components: Option<usize> = None, AT_LEAST_ONE;
        /// The number of iterations before anything is learned.
        discard: u64 = 500, ANY;
        /// When learning ends.
        until: Until = Until::Warmup, ANY;
    }
}

/// Σ_j ω_j N(y, ν_j² λ_j v_j v_jᵀ)
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PrincipalComponents {
    settings: PrincipalComponentsSettings,
    covariance: LearnedCovariance,
    /// √λ_j v_j, row by row, largest first.
    directions: Vec<f64>,
    /// ω_1, ω_1 + ω_2, …, 1
    cumulative: Vec<f64>,
    scales: Vec<Scale>,
    /// The iteration at which eigenpairs are found next.
    refresh: u64,
    /// Room for the eigenproblem: Σ, its eigenvectors, and their order.
    work: Work,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Work {
    sigma: Vec<f64>,
    vectors: Vec<f64>,
    order: Vec<usize>,
}

impl PrincipalComponents {
    /// A proposal in `dim` dimensions for a run of the given length.
    pub fn new(settings: &PrincipalComponentsSettings, dim: usize, length: Length) -> Result<Self, SettingsError> {
        settings.check()?;
        length.outlasts(settings.discard, settings.until)?;
        let m = settings.components.unwrap_or(dim);
        Range::within(1.0, dim as f64).check("components", &m)?;
        let work = Work { sigma: vec![0.0; dim * dim], vectors: vec![0.0; dim * dim], order: (0..dim).collect() };
        let mut proposal = Self {
            settings: settings.clone(),
            covariance: LearnedCovariance::new(&vec![1.0; dim], false),
            directions: vec![0.0; m * dim],
            cumulative: vec![0.0; m],
            scales: vec![Scale::new(2.38 * 2.38); m],
            refresh: settings.discard,
            work,
        };
        proposal.find_directions(dim);
        Ok(proposal)
    }

    fn find_directions(&mut self, d: usize) {
        let (factor, work) = (self.covariance.factor(), &mut self.work);
        times_transpose(factor, d, &mut work.sigma);
        eigen(&mut work.sigma, &mut work.vectors, d);
        let value = |j: usize| work.sigma[j * d + j].max(0.0);
        work.order.sort_unstable_by(|a, b| value(*b).total_cmp(&value(*a)).then(a.cmp(b)));
        let m = self.scales.len();
        let sum: f64 = work.order[..m].iter().map(|j| value(*j)).sum();
        for (k, &j) in work.order[..m].iter().enumerate() {
            let root = value(j).sqrt();
            for i in 0..d {
                self.directions[k * d + i] = root * work.vectors[j * d + i];
            }
            self.cumulative[k] = value(j) / sum;
        }
        shares(&mut self.cumulative);
    }
}

/// Turns weights that sum to one into floored cumulative ones.
pub(super) fn shares(weights: &mut [f64]) {
    let floor = LEAST_SHARE / weights.len() as f64;
    weights.iter_mut().for_each(|w| *w = if w.is_finite() { w.max(floor) } else { floor });
    let sum: f64 = weights.iter().sum();
    let mut cumulative = 0.0;
    for w in weights.iter_mut() {
        cumulative += *w / sum;
        *w = cumulative;
    }
}

/// Which component a uniform number picks.
pub(super) fn pick(cumulative: &[f64], u: f64) -> usize {
    cumulative.partition_point(|c| *c <= u).min(cumulative.len() - 1)
}

/// Σ_j ω_j ν_j² u_j u_jᵀ: the covariance of a mixture of walks, one along each direction u_j.
pub(super) fn mixture_covariance(cumulative: &[f64], scales: &[Scale], directions: &[f64], d: usize) -> Vec<f64> {
    let mut covariance = vec![0.0; d * d];
    let mut before = 0.0;
    for ((u, scale), cumulative) in directions.chunks(d).zip(scales).zip(cumulative) {
        let weight = (cumulative - before) * scale.nu2();
        before = *cumulative;
        covariance.iter_mut().enumerate().for_each(|(k, c)| *c += weight * u[k / d] * u[k % d]);
    }
    covariance
}

impl Proposal for PrincipalComponents {
    type Local = ();

    fn allocate(&self, _dim: usize) {}

    fn draw(&self, x: &[f64], _at: &mut (), rng: &mut Rng, y: &mut [f64]) -> usize {
        let j = pick(&self.cumulative, rng.random());
        let step = self.scales[j].nu() * rng.sample::<f64, _>(StandardNormal);
        let direction = &self.directions[j * x.len()..(j + 1) * x.len()];
        for ((y, x), v) in y.iter_mut().zip(x).zip(direction) {
            *y = x + step * v;
        }
        j
    }

    fn adapt(&mut self, x: &[f64], _at: &mut (), step: &Step, _rng: &mut Rng) {
        let discard = self.settings.discard;
        if !self.settings.until.allows(step.warm) || step.t <= discard {
            return;
        }
        if let Some(rate) = rate(step.t, discard, 1.0) {
            self.covariance.learn(x, rate);
            if step.t >= self.refresh {
                self.find_directions(x.len());
                let grown = discard + ((step.t - discard + 20) as f64 * GROWTH) as u64;
                self.refresh = grown.max(step.t + x.len() as u64);
            }
        }
        if let Some(rate) = rate(step.t, discard, 0.5) {
            self.scales[step.component].learn(rate, step.acceptance, ACCEPTANCE_ON_A_LINE);
        }
    }

    fn covariance(&self, x: &[f64], _at: &()) -> Option<Vec<f64>> {
        Some(mixture_covariance(&self.cumulative, &self.scales, &self.directions, x.len()))
    }

    fn problem(&self, dim: usize) -> Option<&'static str> {
        let (m, work) = (self.scales.len(), &self.work);
        let room = work.sigma.len() == dim * dim && work.vectors.len() == dim * dim && work.order.len() == dim;
        let order = work.order.iter().all(|j| *j < dim);
        let lengths = (1..=dim).contains(&m) && self.cumulative.len() == m && self.directions.len() == m * dim;
        if room && order && lengths { self.covariance.problem(dim) } else { Some("its directions do not fit together") }
    }

    fn scale(&self) -> f64 {
        self.scales[0].nu()
    }
}
