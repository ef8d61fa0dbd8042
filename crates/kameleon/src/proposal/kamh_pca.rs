//! PCA-Kameleon (Appendix C): a mixture of walks along the principal directions found in feature space.
//!
//! Component j is N(y, γ²I + ν_j² u_j u_jᵀ) with u_j = M H α_j, α_j a unit eigenvector of the centred kernel matrix HKH.
//! Each is a rank-one change of γ²I, so its density costs O(d) by the Sherman-Morrison formula.

use super::principal_components::{mixture_covariance, pick, shares};
use super::subsample::Subsample;
use super::{KamhSettings, Proposal};
use crate::Rng;
use crate::adapt::{ACCEPTANCE, Scale, rate};
use crate::gradient_covariance::{Scratch, directions};
use crate::linalg::{LeadingScratch, add_to_diagonal, dot, leading_eigenpairs};
use crate::points::Points;
use crate::registry::{AT_LEAST_ONE, Range, Setting, Settings, SettingsError, Values, read};
use crate::step::Step;
use crate::{Length, settings};
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

/// The largest n: eigenvectors take n² numbers of memory.
const LARGEST_EIGENPROBLEM: usize = 10_000;

/// The number of principal directions, unless another is given.
const USUAL_COMPONENTS: usize = 20;

/// The eigenvectors are found anew when the history has grown by this factor.
const GROWTH: f64 = 1.3;

settings! {
    /// What [`KamhPca`] has besides the settings of the Kameleon.
    pub struct ComponentsSettings {
        /// The number m of principal directions, fewer than n; the smaller of 20 and n − 1 if not given.
        components: Option<usize> = None, AT_LEAST_ONE;
    }
}

/// The settings of [`KamhPca`].
#[derive(Clone, Debug, PartialEq)]
pub struct KamhPcaSettings {
    /// m, the number of principal directions.
    pub components: Option<usize>,
    /// All that it shares with the Kameleon; a smaller n by default, since eigenvectors cost O(n²m).
    pub kamh: KamhSettings,
}

impl Default for KamhPcaSettings {
    fn default() -> Self {
        Self { components: None, kamh: KamhSettings { n: 200, ..KamhSettings::default() } }
    }
}

impl KamhPcaSettings {
    /// As chosen, in one table.
    pub(crate) fn chosen(mut given: Values) -> Result<Self, SettingsError> {
        let own = given.remove_entry("components").into_iter().collect();
        let ComponentsSettings { components } = read(own)?;
        Ok(Self { components, kamh: KamhSettings::chosen(Self::default().kamh, given)? })
    }

    /// The settings that can be chosen.
    pub(crate) fn table() -> Vec<Setting> {
        let mut table = ComponentsSettings::table();
        let shared = KamhSettings::table(&Self::default().kamh);
        table.extend(shared.into_iter().filter(|setting| !KamhSettings::WHOLE_STEPS.contains(&setting.key.as_str())));
        table
    }

    /// All settings, in the form in which they are chosen.
    pub(crate) fn values(&self) -> Values {
        let mut values = self.kamh.values();
        values.retain(|key, _| !KamhSettings::WHOLE_STEPS.contains(&key.as_str()));
        values.insert("components".into(), self.components.into());
        values
    }
}

/// Σ_j ω_j N(y, γ²I + ν_j² u_j u_jᵀ)
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KamhPca {
    learn_scale: bool,
    subsample: Subsample,
    /// α_1, α_2, …, one after another, each with one number per point of z.
    alphas: Vec<f64>,
    /// ω_1, ω_1 + ω_2, …, 1
    cumulative: Vec<f64>,
    scales: Vec<Scale>,
    /// The iteration at which eigenvectors are found next.
    refresh: u64,
    #[serde(skip)]
    work: Option<Work>,
}

/// What the PCA-Kameleon knows at a point.
#[derive(Clone, Debug)]
pub struct Local {
    /// u_1, u_2, …, one after another.
    directions: Vec<f64>,
    scratch: Scratch,
}

impl Local {
    /// u_1, u_2, …, one after another.
    pub fn directions(&self) -> &[f64] {
        &self.directions
    }
}

impl KamhPca {
    /// A proposal in `dim` dimensions for a run of the given length.
    pub fn new(settings: &KamhPcaSettings, dim: usize, length: Length) -> Result<Self, SettingsError> {
        let shared = &settings.kamh;
        let plain = !shared.drift && shared.acceptance == ACCEPTANCE;
        SettingsError::demand("drift", plain, "and acceptance are settings of KAMH and KAMH-LS, not of PCA-Kameleon")?;
        let subsample = Subsample::new(shared, dim, length)?;
        let n = shared.z.as_ref().map_or(shared.n, Vec::len);
        let m = settings.components.unwrap_or(USUAL_COMPONENTS.min(n.saturating_sub(1)).max(1));
        let what = format!("must be at least 1 and fewer than the {n} points of z, not {m}");
        SettingsError::demand("components", (1..n).contains(&m), &what)?;
        Range::within(1.0, LARGEST_EIGENPROBLEM as f64).check("n", &n)?;
        let mut cumulative = vec![1.0; m];
        shares(&mut cumulative);
        let mut proposal = Self {
            learn_scale: shared.learn_scale,
            subsample,
            alphas: Vec::with_capacity(m * shared.n),
            cumulative,
            scales: vec![Scale::new(shared.nu2); m],
            refresh: shared.discard,
            work: None,
        };
        proposal.work = Some(Work::new(&proposal.subsample.z, m));
        proposal.find_alphas();
        Ok(proposal)
    }

    /// The leading eigenvectors of HKH and their weights, once z has more points than there are components.
    fn find_alphas(&mut self) {
        let (n, m) = (self.subsample.z.len(), self.scales.len());
        if n <= m {
            return;
        }
        let work = self.work.get_or_insert_with(|| Work::new(&self.subsample.z, m));
        work.centred_kernel_matrix(&self.subsample);
        // Any start will do that is the same each time.
        self.alphas.clear();
        self.alphas.extend((0..m * n).map(|i| ((i as f64 + 1.0) * 0.754_877_666).fract() - 0.5));
        leading_eigenpairs(&work.k[..n * n], n, &mut self.alphas, &mut work.values, &mut work.subspace);
        for alpha in self.alphas.chunks_mut(n) {
            let mean = alpha.iter().sum::<f64>() / n as f64;
            alpha.iter_mut().for_each(|a| *a -= mean);
        }
        if !self.alphas.iter().all(|alpha| alpha.is_finite()) {
            self.alphas.clear();
            return;
        }
        let sum: f64 = work.values.iter().map(|v| v.max(0.0)).sum();
        self.cumulative.iter_mut().zip(&work.values).for_each(|(c, v)| *c = v.max(0.0) / sum);
        shares(&mut self.cumulative);
    }

    /// ln q(y|x) for the difference δ = y − x of either direction, up to a constant.
    fn log_density(&self, at: &Local, x: &[f64], y: &[f64]) -> f64 {
        let gamma2 = self.subsample.gamma().powi(2);
        // The largest term so far, and the sum of all relative to it.
        let (mut largest, mut sum) = (f64::NEG_INFINITY, 0.0);
        let mut before = 0.0;
        for ((u, scale), cumulative) in at.directions.chunks(x.len()).zip(&self.scales).zip(&self.cumulative) {
            let squared = dot(u, u);
            let along: f64 = u.iter().zip(x).zip(y).map(|((u, x), y)| u * (y - x)).sum();
            let share = if squared > 0.0 { along / squared } else { 0.0 };
            // What δ has across u, formed directly: as a difference of squares it would drown in rounding when γ is small.
            let across: f64 = u.iter().zip(x).zip(y).map(|((u, x), y)| (y - x - share * u).powi(2)).sum();
            let variance = gamma2 + scale.nu2() * squared;
            let weight = cumulative - before;
            before = *cumulative;
            let term = libm::log(weight / variance.sqrt()) - 0.5 * (across / gamma2 + share * along / variance);
            if term > largest {
                sum = sum * libm::exp(largest - term) + 1.0;
                largest = term;
            } else {
                sum += libm::exp(term - largest);
            }
        }
        largest + libm::log(sum)
    }
}

/// Room for the eigenproblem.
#[derive(Clone, Debug)]
struct Work {
    rows: Vec<f64>,
    k: Vec<f64>,
    means: Vec<f64>,
    values: Vec<f64>,
    subspace: LeadingScratch,
}

impl Work {
    fn new(z: &Points, m: usize) -> Self {
        let n = z.capacity();
        Self {
            rows: vec![0.0; n * z.dim()],
            k: vec![0.0; n * n],
            means: Vec::with_capacity(n),
            values: vec![0.0; m],
            subspace: LeadingScratch::new(n, m),
        }
    }

    /// H K H, row by row.
    fn centred_kernel_matrix(&mut self, subsample: &Subsample) {
        let (z, kernel) = (&subsample.z, &subsample.kernel);
        let (n, d) = (z.len(), z.dim());
        let (rows, k) = (&mut self.rows[..n * d], &mut self.k[..n * n]);
        rows.chunks_mut(d).enumerate().for_each(|(a, row)| z.get(a, row));
        for (a, x) in rows.chunks(d).enumerate() {
            for (b, y) in rows.chunks(d).take(a + 1).enumerate() {
                let value = kernel.value(x, y);
                (k[a * n + b], k[b * n + a]) = (value, value);
            }
        }
        self.means.clear();
        self.means.extend(k.chunks(n).map(|row| row.iter().sum::<f64>() / n as f64));
        let grand = self.means.iter().sum::<f64>() / n as f64;
        for (row, mean) in k.chunks_mut(n).zip(&self.means) {
            row.iter_mut().zip(&self.means).for_each(|(k, other)| *k += grand - mean - other);
        }
    }
}

impl Proposal for KamhPca {
    type Local = Local;

    fn allocate(&self, dim: usize) -> Local {
        Local { directions: vec![0.0; self.scales.len() * dim], scratch: Scratch::new(dim) }
    }

    fn locate(&self, x: &[f64], at: &mut Local) {
        let s = &self.subsample;
        if !self.alphas.is_empty() {
            directions(&s.kernel, &s.z, x, &self.alphas, &mut at.scratch, &mut at.directions);
        }
        // Without eigenvectors, or where they lead nowhere, every component is N(x, γ²I): a function of the point only.
        if self.alphas.is_empty() || !at.directions.iter().all(|u| u.is_finite()) {
            at.directions.fill(0.0);
        }
    }

    fn draw(&self, x: &[f64], at: &mut Local, rng: &mut Rng, y: &mut [f64]) -> usize {
        let j = pick(&self.cumulative, rng.random());
        let along = self.scales[j].nu() * rng.sample::<f64, _>(StandardNormal);
        let u = &at.directions[j * x.len()..(j + 1) * x.len()];
        let gamma = self.subsample.gamma();
        for ((y, x), u) in y.iter_mut().zip(x).zip(u) {
            *y = x + along * u + gamma * rng.sample::<f64, _>(StandardNormal);
        }
        j
    }

    fn log_ratio(&self, x: &[f64], at_x: &Local, y: &[f64], at_y: &mut Local, _component: usize) -> f64 {
        self.locate(y, at_y);
        self.log_density(at_y, x, y) - self.log_density(at_x, x, y)
    }

    fn adapt(&mut self, x: &[f64], at: &mut Local, step: &Step, rng: &mut Rng) {
        if !self.subsample.until.allows(step.warm) {
            return;
        }
        self.subsample.remember(x, step.t, rng);
        if step.t >= self.refresh && self.subsample.renew(step.t, rng) {
            let discard = self.subsample.discard();
            self.refresh = discard + ((step.t - discard + 20) as f64 * GROWTH) as u64;
            self.find_alphas();
            self.locate(x, at);
        }
        if let (true, Some(rate)) = (self.learn_scale, rate(step.t, self.subsample.discard(), 0.5)) {
            self.scales[step.component].learn(rate, step.acceptance, ACCEPTANCE);
        }
    }

    fn covariance(&self, x: &[f64], at: &Local) -> Option<Vec<f64>> {
        let mut covariance = mixture_covariance(&self.cumulative, &self.scales, &at.directions, x.len());
        add_to_diagonal(&mut covariance, x.len(), self.subsample.gamma().powi(2));
        Some(covariance)
    }

    fn scale(&self) -> f64 {
        self.scales[0].nu()
    }

    fn problem(&self, dim: usize) -> Option<&'static str> {
        let (m, n) = (self.scales.len(), self.subsample.z.len());
        let lengths = m > 0 && self.cumulative.len() == m && (self.alphas.is_empty() || self.alphas.len() == m * n);
        let room = self.subsample.z.capacity() <= LARGEST_EIGENPROBLEM;
        if lengths && room { self.subsample.problem(dim) } else { Some("its principal directions do not fit together") }
    }

    fn bandwidth(&self) -> Option<f64> {
        self.subsample.kernel.bandwidth()
    }
}
