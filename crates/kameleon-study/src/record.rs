//! What is kept of a chain, or of a group of chains, that has ended.

use crate::spec::Spec;
use kameleon::Target;
use kameleon::any_chain::AnyChain;
use kameleon::any_target::AnyTarget;
use kameleon::diagnose::{mean_norm, quantile_deviations, summarise};
use kameleon::record::Recorded;
use kameleon::target::Known;
use serde::{Deserialize, Deserializer, Serialize};

/// What is kept of a finished chain or group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The acceptance rate after the burn-in.
    pub acceptance: f64,
    /// The processor time it took, with the burn-in.
    pub seconds: f64,
    /// The error after more and more draws of a chain, or at the end of each chain of a group, if the truth is known.
    pub checkpoints: Vec<Checkpoint>,
    /// The draws of a chain, one after another, if the truth is not known.
    pub draws: Vec<f64>,
    /// What describes a group as a whole.
    pub group: Option<GroupFigures>,
}

/// How far the draws up to an iteration are from the truth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Iterations after the burn-in.
    pub iterations: u64,
    /// ‖mean of the draws − true mean‖
    pub mean_norm: f64,
    /// The deviations of the 0.1, …, 0.9-quantiles.
    pub deviations: [f64; 9],
}

impl Checkpoint {
    /// The mean deviation of the nine quantiles.
    pub fn quantile_deviation(&self) -> f64 {
        self.deviations.iter().sum::<f64>() / 9.0
    }
}

/// What describes a group of chains as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupFigures {
    /// The smallest bulk ESS of any parameter, per 1000 evaluations after the burn-in. NaN if one never moved.
    #[serde(deserialize_with = "number")]
    pub ess: f64,
    /// The same for each second of processor time, the burn-in included.
    #[serde(deserialize_with = "number")]
    pub ess_per_second: f64,
    /// The largest R-hat of any parameter. NaN if one never moved.
    #[serde(deserialize_with = "number")]
    pub r_hat: f64,
    /// Evaluations of the target by all chains.
    pub evaluations: u64,
}

/// A number, with NaN for the null that JSON has in its place.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

impl Record {
    /// The record of chains that have ended: those of a group, or one.
    pub fn new(spec: &Spec, target: &AnyTarget<'_>, chains: &[(Box<dyn AnyChain>, Recorded)], seconds: f64) -> Self {
        let draws: Vec<&[f64]> = chains.iter().map(|(_, recorded)| recorded.draws.points.as_slice()).collect();
        let statistics = || chains.iter().map(|(chain, _)| chain.statistics());
        let steps: u64 = statistics().map(|all| all.sampling.total()).sum();
        let accepted: u64 = statistics().map(|all| all.sampling.accepted).sum();
        let group = || {
            let parameters = summarise(&[], &draws, spec.dim).parameters;
            // Of what never moved it is no number, or infinite, and the draws are worth nothing that could be told.
            let r_hat = largest(parameters.iter().map(|p| p.r_hat));
            let (r_hat, least) = match r_hat.is_finite() {
                true => (r_hat, parameters.iter().map(|p| p.ess_bulk).fold(f64::INFINITY, f64::min)),
                false => (f64::NAN, f64::NAN),
            };
            GroupFigures {
                ess: 1000.0 * least / steps as f64,
                ess_per_second: least / seconds,
                r_hat,
                evaluations: statistics().map(|all| all.evaluations).sum(),
            }
        };
        let truth = target.known();
        let compared = |truth| draws.iter().flat_map(|draws| compare(spec, truth, draws)).collect();
        Self {
            acceptance: accepted as f64 / steps as f64,
            seconds,
            checkpoints: truth.map_or_else(Vec::new, compared),
            group: spec.grouped.then(group),
            draws: if spec.grouped || truth.is_some() { Vec::new() } else { draws.concat() },
        }
    }
}

/// The errors of a chain's draws: on the way and at the end, or at the end only for a chain of a group.
fn compare(spec: &Spec, truth: &dyn Known, draws: &[f64]) -> Vec<Checkpoint> {
    let levels: Vec<f64> = draws.chunks(spec.dim).map(|x| truth.level(x)).collect();
    let mean = truth.mean();
    let at = |count: usize| Checkpoint {
        iterations: count as u64 * spec.thin,
        mean_norm: mean_norm(&draws[..count * spec.dim], &mean),
        deviations: quantile_deviations(&levels[..count]),
    };
    if spec.grouped { vec![at(levels.len())] } else { checkpoints(levels.len()).map(at).collect() }
}

/// The largest of them. NaN if one is, which `f64::max` would leave out.
pub fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.reduce(|a, b| if a.is_nan() || a > b { a } else { b }).unwrap_or(f64::NAN)
}

/// At most 20 equally spaced numbers of draws, the last of them all draws.
pub fn checkpoints(count: usize) -> impl Iterator<Item = usize> {
    let most = count.min(20);
    (1..=most).map(move |k| k * count / most)
}
