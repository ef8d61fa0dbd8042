//! One run of a calibration study: made as users make theirs, then compared with the truth.

use super::{Task, run_settings};
use crate::StudyError;
use kameleon::diagnose::{mcse_mean, mcse_quantile, mcse_sd, quantile};
use kameleon::random::{Purpose, stream};
use kameleon::{Control, Ending, Plan, Target, Warmup};
use kameleon_runs::output::{Posterior, numbers};
use kameleon_runs::{Model, RunError, start};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// How long runs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lengths {
    /// Iterations of warm-up in each chain.
    pub warmup: u64,
    /// Draws of each chain.
    pub draws: u64,
}

impl Lengths {
    /// Puts them into the plan of a run.
    pub(super) fn plan(self, plan: &mut Plan, population: bool) {
        plan.warmup = if population { Warmup::Population } else { Warmup::Iterations(self.warmup) };
        plan.draws = Some(self.draws);
    }
}

/// What is kept of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The target's name.
    pub target: String,
    /// How long the run was.
    pub lengths: Lengths,
    /// Its seed.
    pub seed: u64,
    /// The program that made it, and the model.
    #[serde(default)]
    pub made_by: String,
    /// Whether every R-hat and every effective size was good.
    pub passes: bool,
    /// Whether it was called converged.
    pub converged: bool,
    /// What was said against it.
    pub warnings: Vec<String>,
    /// The distance of each mean whose truth is given from that, in standard errors.
    #[serde(deserialize_with = "numbers")]
    pub means: Vec<f64>,
    /// The same of the standard deviations.
    #[serde(deserialize_with = "numbers")]
    pub sds: Vec<f64>,
    /// The same of the 5, 50 and 95 % quantiles, parameter by parameter.
    #[serde(deserialize_with = "numbers")]
    pub quantiles: Vec<f64>,
    /// The largest R-hat.
    pub r_hat: Option<f64>,
    /// The smallest effective size, of the bulk or the tails.
    #[serde(default)]
    pub ess: Option<f64>,
    /// What the jump proposals and the checks said, as `kameleon sample --json` has it.
    pub details: serde_json::Value,
    /// Evaluations of the target.
    pub evaluations: u64,
    /// The time it took.
    pub seconds: f64,
}

/// What tells a run from all others.
pub(super) fn key(target: &str, lengths: Lengths, seed: u64) -> String {
    format!("{target}/{}+{}/{seed}", lengths.warmup, lengths.draws)
}

impl RunRecord {
    /// What tells it from all others.
    pub(super) fn key(&self) -> String {
        key(&self.target, self.lengths, self.seed)
    }

    /// Whether it was called converged and nothing was said against it.
    pub fn is_believed(&self) -> bool {
        self.converged && self.warnings.is_empty()
    }

    /// All distances from the truth.
    pub fn all(&self) -> impl Iterator<Item = f64> {
        self.means.iter().chain(&self.sds).chain(&self.quantiles).copied()
    }
}

/// Makes a run; none if it was stopped.
pub(super) fn one(task: &Task<'_>, keep: Option<&Path>, stop: &AtomicBool) -> Result<Option<RunRecord>, StudyError> {
    let Task { target, seed, .. } = *task;
    let failed = |error: RunError| StudyError::Chain {
        target: target.name.clone(),
        sampler: "kameleon".into(),
        what: error.to_string(),
    };
    let mut settings = run_settings(task);
    let model = Model::open(&settings).map_err(failed)?;
    if !target.population && settings.parameters.0.iter().all(|(_, parameter)| parameter.start.is_none()) {
        let dim = model.dim().unwrap_or(settings.parameters.0.len());
        let [from, to] = target.start;
        let point = |chain| {
            let mut rng = stream(seed, chain as u64, Purpose::Start);
            (0..dim).map(|_| rng.random_range(from..to)).collect()
        };
        settings.start = Some((0..settings.run.chains).map(point).collect());
    }
    settings.output.keep_warmup = keep.is_some();
    let folder = keep.map(|folder| folder.join(task.key().replace(['/', ' '], "_")));
    let control = Control { stop: Some(stop), ..Control::default() };
    let finished = start(&settings, model, folder.as_deref(), control).map_err(failed)?;
    match finished.ending {
        Ending::Complete | Ending::Limited => Ok(Some(record(task, &finished.posterior))),
        Ending::Stopped => Ok(None),
        Ending::Failed(error) => Err(failed(error.into())),
    }
}

/// Compares a run with the truth.
fn record(task: &Task<'_>, posterior: &Posterior) -> RunRecord {
    let Task { target, lengths, seed, .. } = *task;
    let summary = posterior.summary();
    let (mut means, mut sds, mut quantiles) = (vec![], vec![], vec![]);
    for (i, parameter) in summary.parameters.iter().enumerate() {
        let columns = columns(posterior, i);
        let chains: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let mut sorted = columns.concat();
        sorted.sort_by(f64::total_cmp);
        let [mean, sd, rest @ ..] = *target.truth(i);
        let judge = |into: &mut Vec<f64>, truth: f64, found: f64, error: f64| {
            into.extend((!truth.is_nan()).then_some((found - truth) / error));
        };
        judge(&mut means, mean, parameter.mean, mcse_mean(&chains));
        judge(&mut sds, sd, parameter.sd, mcse_sd(&chains));
        for (p, truth) in [0.05, 0.5, 0.95].into_iter().zip(rest) {
            judge(&mut quantiles, truth, quantile(&sorted, p), mcse_quantile(&chains, p));
        }
    }
    RunRecord {
        target: target.name.clone(),
        lengths,
        seed,
        made_by: task.made_by(),
        passes: summary.verdict.agree,
        converged: summary.verdict.converged,
        warnings: posterior.warnings.clone(),
        means,
        sds,
        quantiles,
        r_hat: summary.parameters.iter().map(|p| p.r_hat).reduce(f64::max),
        ess: summary.parameters.iter().flat_map(|p| [p.ess_bulk, p.ess_tail]).reduce(f64::min),
        details: serde_json::json!({ "jumps": posterior.jumps, "check": posterior.stein }),
        evaluations: posterior.evaluations(),
        seconds: posterior.seconds.unwrap_or_default(),
    }
}

/// The draws of a parameter, chain by chain.
fn columns(posterior: &Posterior, i: usize) -> Vec<Vec<f64>> {
    let dim = posterior.dim();
    posterior.points().iter().map(|chain| chain.chunks_exact(dim).map(|x| x[i]).collect()).collect()
}
