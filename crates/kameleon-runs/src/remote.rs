//! Chains that are run, and points that are evaluated, on other processes or machines, a task at a time: a chain goes out as bytes,
//! and comes back as bytes with what it drew.
//!
//! The run itself stays here: chains are refreshed, draws recorded, rules checked. The result of a task follows from the chain
//! it begins with, so a task that was lost can be done again, anywhere, with the same result.

mod fits;
mod points;

pub use points::MOST_TASKS;

use crate::error::RunError;
use crate::prepare::Prepared;
use crate::settings::RunSettings;
use fits::{Bytes, Fits};
use kameleon::any_chain::{AnyChain, SavedChain};
use kameleon::any_target::AnyTarget;
use kameleon::chain::ChainError;
use kameleon::engine::{Job, Runner};
use kameleon::learner::Learner;
use kameleon::record::{Keep, Recorded};
use kameleon::target::WrongSlope;
use kameleon::{Control, EvalError, Evaluation, Target};
use kameleon_models::JointPrior;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::time::{Duration, Instant};

/// Tasks take at most this share of the time that the run has taken so far, or what the runner says, if that is more.
const SHARE_OF_RUN: f64 = 0.05;
/// The longest task, in multiples of what the runner says.
const LONGEST_TASK: f64 = 6.0;
/// The shortest task of a run, as a share of the longest: tasks that all begin at once should not all end at once.
const SHORTEST_SHARE: f64 = 0.6;
const NOT_OF_TASK: &str = "the result is not that of the task that was sent";
/// Has tasks done on other processes or machines.
pub trait RemoteRunner: Sync {
    /// Has a task of this number, which is that of its chain or of its part of a batch, done there by [`run_task`], and brings back
    /// what that returned; none if it was stopped before.
    fn send(&self, number: usize, task: Vec<u8>, stop: &dyn Fn() -> bool) -> Result<Option<Vec<u8>>, RemoteError>;

    /// How long a task may take at first: what is lost with it is computed again. Tasks of a long run take longer, up to six times.
    fn task_time(&self) -> Duration;
}

/// Why a task could not be done.
pub type RemoteError = Box<dyn Error + Send + Sync>;

/// What is sent.
#[derive(Serialize, Deserialize)]
struct Task {
    settings: String,
    work: Work,
}

/// What is to be done.
#[derive(Serialize, Deserialize)]
enum Work {
    /// A chain is to be advanced. Its fit comes by itself, where it can.
    Chain { chain: Box<SavedChain>, fit: Option<Bytes>, sampling: u64, time: Duration },
    /// The point where a chain is, is to be evaluated again.
    Again { chain: Box<SavedChain> },
    /// Points of a population, on the unbounded scale, are to be evaluated, of which the first is evaluation number `first`.
    Points { points: Vec<f64>, first: u64 },
}

/// What comes back of a chain.
#[derive(Serialize, Deserialize)]
struct TaskResult {
    chain: SavedChain,
    /// Whether its fit is left out, since it is the one that the chain was sent with.
    same_fit: bool,
    recorded: Recorded,
    failure: Option<Failure>,
}

/// An error of a chain that can travel.
#[derive(Serialize, Deserialize)]
enum Failure {
    Start { point: Vec<f64>, why: String, failed: bool },
    Fatal { t: u64, point: Vec<f64>, why: String },
    Internal { t: u64, said: String },
    Gradient { wrong: WrongSlope, names: Vec<String> },
}

/// Does a task of a run on another process or machine than the one that the run belongs to. `target` is what is sampled, under the
/// `prior` that the run has from elsewhere ([`crate::Outside`]), if it has one.
pub fn run_task(
    task: &[u8],
    target: impl Target + Clone + Send,
    prior: Option<JointPrior>,
    control: Control<'_>,
) -> Result<Vec<u8>, RunError> {
    let Task { settings, work } = read(task)?;
    let settings = RunSettings::from_toml(&settings, "the settings of the run")?;
    let prepared = Prepared::new(&settings, AnyTarget::new(target), prior)?;
    match work {
        Work::Chain { mut chain, fit, sampling, time } => {
            if let Some(fit) = fit {
                fits::put_back(fit, chain.learner_mut())?;
            }
            advance_chain(&prepared, *chain, sampling, time, control)
        }
        Work::Again { chain } => {
            let value = chain.resume()?.evaluate_again(&mut prepared.target.clone());
            write(&value.map_err(|error| (matches!(error, EvalError::Fatal(_)), error.to_string())))
        }
        Work::Points { points: u, first } => points::evaluate(&prepared, &u, first, control),
    }
}

fn advance_chain(
    prepared: &Prepared<'_>,
    chain: SavedChain,
    sampling: u64,
    time: Duration,
    control: Control<'_>,
) -> Result<Vec<u8>, RunError> {
    let (before, fit) = (chain.clone(), chain.learner().map(Learner::refreshes));
    let mut job = Job::new(chain.resume()?, Box::new(prepared.target.clone()), Recorded::default());
    prepared.engine(None, control).run_alone(&mut job, sampling, time);
    let failure = job.error.take().map(|error| Failure::of(error, &job));
    let broken = matches!(failure, Some(Failure::Internal { .. }));
    let (chain, recorded) = job.into_parts()?;
    // After a panic of ours nothing of this task is used.
    let (mut chain, recorded) = if broken { (before, Recorded::default()) } else { (chain.save(), recorded) };
    let same_fit = fit.is_some() && chain.learner().map(Learner::refreshes) == fit;
    chain.learner_mut().filter(|_| same_fit).into_iter().for_each(|learner| learner.leave_out_fit());
    write(&TaskResult { chain, same_fit, recorded, failure })
}

/// A run whose chains are advanced, and whose points are evaluated, by a [`RemoteRunner`].
pub struct Remote<'a> {
    runner: &'a dyn RemoteRunner,
    settings: String,
    started: Instant,
    deadline: Option<Instant>,
    /// How long an evaluation takes there, as far as that is known.
    seconds_each: Option<f64>,
    /// What chains have learned, as bytes.
    fits: Fits,
}

impl<'a> Remote<'a> {
    /// Of this run.
    pub fn new(prepared: &Prepared<'_>, runner: &'a dyn RemoteRunner) -> Result<Self, RunError> {
        let deadline = prepared.time_limit().map(|(started, limit)| started + limit);
        let (settings, started) = (prepared.settings.to_toml()?, prepared.started);
        Ok(Self { runner, settings, started, deadline, seconds_each: None, fits: Fits::new() })
    }

    fn send<V: DeserializeOwned>(
        &self,
        number: usize,
        work: Work,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<V>, RemoteError> {
        let task = write(&Task { settings: self.settings.clone(), work })?;
        let result = self.runner.send(number, task, stop)?;
        Ok(result.map(|bytes| read(&bytes)).transpose()?)
    }

    /// The log density where a chain is; none if it was stopped before.
    pub fn evaluate_again(&self, job: &Job<'_>, stop: &dyn Fn() -> bool) -> Option<Evaluation> {
        let work = Work::Again { chain: Box::new(job.chain.save()) };
        let sent = self.send::<Result<f64, (bool, String)>>(job.chain.index(), work, stop);
        let answer = sent.map_err(EvalError::Fatal).transpose()?;
        Some(answer.and_then(|value| {
            value.map_err(|(is_fatal, why)| if is_fatal { EvalError::fatal(why) } else { EvalError::reject(why) })
        }))
    }

    fn fetch(&self, job: &Job<'_>, sampling: u64, stop: &dyn Fn() -> bool) -> Result<Option<TaskResult>, RemoteError> {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let time = task_time(self.runner.task_time(), self.started.elapsed(), job.chain.index());
        let time = time.min(left.unwrap_or(Duration::MAX));
        let mut chain = Box::new(job.chain.save());
        let fit = chain.learner_mut().and_then(|learner| self.fits.take_out(learner));
        self.send(job.chain.index(), Work::Chain { chain, fit, sampling, time }, stop)
    }
}

/// How long a task of this chain may take in a run that has taken `so_far`. What is lost with a task stays a small share of the
/// run, and the time it takes to send one too. The draws do not depend on it.
fn task_time(usual: Duration, so_far: Duration, chain: usize) -> Duration {
    let longest = so_far.mul_f64(SHARE_OF_RUN).clamp(usual, usual.mul_f64(LONGEST_TASK));
    // The golden ratio spreads any number of chains evenly.
    let place = (chain as f64 * 0.618_033_988_749_894_9).fract();
    longest.mul_f64(SHORTEST_SHARE + (1.0 - SHORTEST_SHARE) * place)
}

/// The chain as it came back, with all of the fit that it was sent with; none if it had another.
fn with_fit(mut chain: SavedChain, sent: &dyn AnyChain) -> Option<SavedChain> {
    let fit = sent.learner()?.shared_fit();
    chain.learner_mut()?.put_back_fit(&fit).then_some(chain)
}

impl Runner for Remote<'_> {
    fn advance(
        &self,
        job: &mut Job<'_>,
        _keep: Keep,
        sampling: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), ChainError> {
        if job.chain.waits() || job.has(sampling) || stop() {
            return Ok(());
        }
        let lost = |source: RemoteError| {
            let (chain, t) = (job.chain.index(), job.chain.iterations());
            ChainError::Fatal { chain, t, point: job.chain.position().to_vec(), names: Vec::new(), source }
        };
        let Some(result) = self.fetch(job, sampling, stop).map_err(lost)? else { return Ok(()) };
        let chain = if result.same_fit { with_fit(result.chain, &*job.chain) } else { Some(result.chain) };
        let (chain, dim) = (chain.ok_or_else(|| lost(NOT_OF_TASK.into()))?.resume()?, job.chain.position().len());
        let steps = job.chain.iterations()..=job.chain.warmup().saturating_add(sampling);
        let is_of_task = (chain.index(), chain.position().len()) == (job.chain.index(), dim);
        if !is_of_task || !steps.contains(&chain.iterations()) || !result.recorded.fits(dim) {
            return Err(lost(NOT_OF_TASK.into()));
        }
        job.chain = chain;
        result.recorded.iter(dim).try_for_each(|draw| job.push(draw))?;
        result.failure.map_or(Ok(()), |failure| Err(failure.error(job.chain.index())))
    }
}

impl Failure {
    fn of(error: ChainError, job: &Job<'_>) -> Self {
        match error {
            ChainError::Start { point, why, failed, .. } => Self::Start { point, why, failed },
            ChainError::Fatal { t, point, source, .. } => Self::Fatal { t, point, why: source.to_string() },
            ChainError::Internal { t, said, .. } => Self::Internal { t, said },
            ChainError::Gradient { wrong, names, .. } => Self::Gradient { wrong, names },
            other => {
                let (t, point) = (job.chain.iterations(), job.chain.position().to_vec());
                Self::Fatal { t, point, why: other.to_string() }
            }
        }
    }

    fn error(self, chain: usize) -> ChainError {
        match self {
            Self::Start { point, why, failed } => ChainError::Start { chain, point, names: Vec::new(), why, failed },
            Self::Fatal { t, point, why } => {
                ChainError::Fatal { chain, t, point, names: Vec::new(), source: why.into() }
            }
            Self::Internal { t, said } => ChainError::Internal { chain, t, said },
            Self::Gradient { wrong, names } => ChainError::Gradient { chain, wrong, names },
        }
    }
}

/// The version comes first: every other version can read that much.
fn write(value: &impl Serialize) -> Result<Vec<u8>, RunError> {
    postcard::to_stdvec(&(env!("CARGO_PKG_VERSION"), value))
        .map_err(|error| RunError::Task(format!("it cannot be serialised: {error}")))
}

/// The words for data that cannot be read.
fn garbled(error: postcard::Error) -> RunError {
    RunError::Task(format!("the data received cannot be read: {error}"))
}

fn read<V: DeserializeOwned>(bytes: &[u8]) -> Result<V, RunError> {
    let (version, rest): (String, &[u8]) = postcard::take_from_bytes(bytes).map_err(garbled)?;
    let here = env!("CARGO_PKG_VERSION");
    if version != here {
        let what = format!("it was sent by version {version} of kameleon, but this is version {here}");
        return Err(RunError::Task(what));
    }
    postcard::from_bytes(rest).map_err(garbled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_grow_with_the_run_within_limits_and_do_not_end_together() {
        let seconds =
            |so_far: u64, chain| task_time(Duration::from_secs(5), Duration::from_secs(so_far), chain).as_secs_f64();
        assert_eq!(seconds(0, 0), 3.0);
        assert_eq!(seconds(400, 0), 12.0);
        assert_eq!(seconds(100_000, 0), 18.0);
        let mut all: Vec<f64> = (0..64).map(|chain| seconds(0, chain)).collect();
        all.sort_by(f64::total_cmp);
        assert!(all.windows(2).all(|pair| pair[1] - pair[0] > 0.01) && all[63] < 5.0);
    }
}
