//! Batches of points for users with a scheduler of their own: the chains of a plan as one ensemble.
//!
//! ```
//! use kameleon::{Ensemble, Plan, Warmup};
//!
//! let plan = Plan { chains: 16, warmup: Warmup::Iterations(700), draws: Some(100), seed: 42, ..Plan::default() };
//! let mut ensemble = kameleon::ensemble::start(&[vec![0.0, 0.0]], &plan, 0)?;
//! while ensemble.ending().is_none() {
//!     // A point of each chain. Evaluate them anywhere, in any order, at the same time.
//!     let values = ensemble.ask().iter().map(|asked| Ok(-asked.x[0].powi(2) - asked.x[1].powi(2))).collect();
//!     ensemble.tell(values)?;
//! }
//! let run = kameleon::ensemble::finish(ensemble)?; // as from `kameleon::sample`
//! assert_eq!(run.chains[15].draws.len(), 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Ensemble::save`] stores it at any moment, also between a question and its answer; [`resume`] goes on bit for bit.

use crate::any_chain::{AnyChain, SavedChain};
use crate::chain::ChainError;
use crate::engine::{Ensemble, Job, SavedEnsemble};
use crate::plan::{Plan, Warmup};
use crate::record::{Keep, Recorded};
use crate::registry::SettingsError;
use crate::run::{Run, chain_of, check_starts, gather, one_or_each, restart_of};
use crate::sampler::StartError;
use crate::target::{EvalError, Evaluation};

/// The target of chains whose values come from outside.
fn outside(_: &[f64]) -> Evaluation {
    Err(EvalError::fatal("the log densities of an ensemble are told"))
}

/// The chains of a plan at their starts, one point for all or one for each, for a log density that takes this number of standard
/// normals. The draws are those of [`sample`](crate::sample) with the same plan.
pub fn start(starts: &[Vec<f64>], plan: &Plan, normals: usize) -> Result<Ensemble<'static>, StartError> {
    plan.check()?;
    let what = "\"population\" has questions of its own: use kameleon::population, and sample_from";
    SettingsError::demand("warmup", plan.warmup != Warmup::Population, what)?;
    check_starts(None, starts, plan.chains)?;
    let starts = one_or_each(starts);
    let job = |index: usize| {
        let chain = chain_of(starts, plan, normals, index, 0)?;
        let room = plan.room(chain.position().len())?;
        Ok(job(chain, room).with_restart(restart_of(starts, plan, normals, index)))
    };
    let jobs = plan.indices().into_iter().map(job).collect::<Result<_, StartError>>()?;
    let common = starts.first().filter(|_| starts.len() == 1).cloned();
    Ok(of_jobs(jobs, plan, false)?.with_start(common))
}

/// An ensemble as it was saved, up to the length of the plan.
pub fn resume(saved: SavedEnsemble, plan: &Plan) -> Result<Ensemble<'static>, StartError> {
    plan.check()?;
    let (found, wanted) = (saved.len(), plan.indices().len());
    let what = format!("there are {found} saved chains where the plan has {wanted}");
    SettingsError::demand("chains", found == wanted, &what)?;
    let (asked, start) = (saved.asked, saved.start.clone());
    let job = |(chain, recorded): (SavedChain, Recorded)| {
        let chain = chain.resume()?;
        let (index, normals) = (chain.index(), chain.normals().len());
        let has_begun = chain.statistics().evaluations > 0;
        let other =
            start.iter().filter(|_| !has_begun).find_map(|x| restart_of(std::slice::from_ref(x), plan, normals, index));
        Ok(job(chain, recorded).with_restart(other))
    };
    let jobs = saved.into_chains()?.into_iter().map(job).collect::<Result<_, ChainError>>()?;
    Ok(of_jobs(jobs, plan, asked)?.with_start(start))
}

/// What the ensemble came to, also before its end.
pub fn finish(ensemble: Ensemble<'_>) -> Result<Run, ChainError> {
    let finish = ensemble.finish();
    let dim = finish.jobs.first().map_or(0, |job| job.chain.position().len());
    gather(finish, (1..=dim).map(|i| format!("x{i}")).collect())
}

fn job(chain: Box<dyn AnyChain>, recorded: Recorded) -> Job<'static> {
    Job::new(chain, Box::new(outside), recorded)
}

fn of_jobs(jobs: Vec<Job<'static>>, plan: &Plan, asked: bool) -> Result<Ensemble<'static>, StartError> {
    let keep = Keep { thin: plan.thin, warmup: false, jumps: true };
    Ok(Ensemble::new(jobs, keep, plan.rule()?, asked)?)
}
