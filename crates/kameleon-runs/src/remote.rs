//! Chains that are run, and points that are evaluated, on other processes or machines, a task at a time: a chain goes out as bytes,
//! and comes back as bytes with what it drew.
//!
//! The run itself stays here: chains are refreshed, draws recorded, rules checked. The result of a task follows from the chain
//! it begins with, so a task that was lost can be done again, anywhere, with the same result.

use crate::error::RunError;
use crate::prepare::Prepared;
use crate::settings::RunSettings;
use kameleon::any_chain::SavedChain;
use kameleon::any_target::AnyTarget;
use kameleon::chain::ChainError;
use kameleon::engine::{Job, Runner};
use kameleon::population::{Evaluator, OnThreads, Stop};
use kameleon::record::{Keep, Recorded};
use kameleon::{Control, EvalError, Target};
use kameleon_models::{JointPrior, Likelihood};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const NOT_OF_TASK: &str = "the result is not that of the task that was sent";
/// The most tasks that the points of a batch are cut into, and how many they are before it is known how long a point takes.
const MOST_TASKS: usize = 256;
const FIRST_TASKS: usize = 32;
/// The seconds of work that make a task of points worth sending.
const WORTH_SENDING: f64 = 0.05;

/// Has tasks done on other processes or machines.
pub trait RemoteRunner: Sync {
    /// Has a task of this number, which is that of its chain or of its part of a batch, done there by [`run_task`], and brings back
    /// what that returned; none if it was stopped before.
    fn send(&self, number: usize, task: Vec<u8>, stop: &dyn Fn() -> bool) -> Result<Option<Vec<u8>>, RemoteError>;

    /// How long a task may take: what is lost with it is computed again.
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
    /// A chain is to be advanced.
    Chain { chain: Box<SavedChain>, sampling: u64, time: Duration },
    /// Points of a population, on the unbounded scale, are to be evaluated, of which the first is evaluation number `first`.
    Points { points: Vec<f64>, first: u64 },
}

/// What comes back of a chain.
#[derive(Serialize, Deserialize)]
struct TaskResult {
    chain: SavedChain,
    recorded: Recorded,
    failure: Option<Failure>,
}

/// An error of a chain that can travel.
#[derive(Serialize, Deserialize)]
enum Failure {
    Start { point: Vec<f64>, why: String },
    Fatal { t: u64, point: Vec<f64>, why: String },
    Internal { t: u64, said: String },
}

/// What comes back of points.
#[derive(Serialize, Deserialize)]
struct PointsResult {
    /// At the first points, if it was stopped before the others.
    values: Vec<f64>,
    /// How long that took.
    seconds: f64,
    failure: Option<String>,
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
        Work::Chain { chain, sampling, time } => advance_chain(&prepared, *chain, sampling, time, control),
        Work::Points { points, first } => evaluate_points(&prepared, &points, first, control),
    }
}

fn advance_chain(
    prepared: &Prepared<'_>,
    chain: SavedChain,
    sampling: u64,
    time: Duration,
    control: Control<'_>,
) -> Result<Vec<u8>, RunError> {
    let before = chain.clone();
    let mut job = Job::new(chain.resume()?, Box::new(prepared.target.clone()), Recorded::default());
    prepared.engine(None, control).run_alone(&mut job, sampling, time);
    let failure = job.error.take().map(|error| Failure::of(error, &job));
    let broken = matches!(failure, Some(Failure::Internal { .. }));
    let (chain, recorded) = job.into_parts()?;
    // After a panic of ours nothing of this task is used.
    let (chain, recorded) = if broken { (before, Recorded::default()) } else { (chain.save(), recorded) };
    write(&TaskResult { chain, recorded, failure })
}

fn evaluate_points(
    prepared: &Prepared<'_>,
    points: &[f64],
    first: u64,
    control: Control<'_>,
) -> Result<Vec<u8>, RunError> {
    let started = Instant::now();
    let mut evaluator = OnThreads::new(1, &Likelihood::of(&prepared.target), prepared.settings.run.seed);
    let points: Vec<&[f64]> = points.chunks_exact(prepared.target.bounds().len()).collect();
    let (values, failure) = match evaluator.evaluate(&points, first, &|| control.is_stopped()) {
        Ok(values) => (values, None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    write(&PointsResult { values, seconds: started.elapsed().as_secs_f64(), failure })
}

/// A run whose chains are advanced, and whose points are evaluated, by a [`RemoteRunner`].
pub struct Remote<'a> {
    runner: &'a dyn RemoteRunner,
    settings: String,
    deadline: Option<Instant>,
    /// How long an evaluation takes there, as far as that is known.
    seconds_each: Option<f64>,
}

impl<'a> Remote<'a> {
    /// Of this run.
    pub fn new(prepared: &Prepared<'_>, runner: &'a dyn RemoteRunner) -> Result<Self, RunError> {
        let deadline = prepared.time_limit().map(|(started, limit)| started + limit);
        Ok(Self { runner, settings: prepared.settings.to_toml()?, deadline, seconds_each: None })
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

    fn fetch(&self, job: &Job<'_>, sampling: u64, stop: &dyn Fn() -> bool) -> Result<Option<TaskResult>, RemoteError> {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let time = self.runner.task_time().min(left.unwrap_or(Duration::MAX));
        self.send(job.chain.index(), Work::Chain { chain: Box::new(job.chain.save()), sampling, time }, stop)
    }

    /// How many points go into a task: enough that sending them is worth it, and no more than can be done in the time of a task.
    fn points_each(&self, points: usize) -> usize {
        let least = points.div_ceil(MOST_TASKS);
        let each = match self.seconds_each {
            Some(seconds) => {
                let most = (self.runner.task_time().as_secs_f64() / seconds) as usize;
                ((WORTH_SENDING / seconds) as usize).min(most.max(1))
            }
            None => points.div_ceil(FIRST_TASKS),
        };
        each.clamp(least, points)
    }
}

impl Evaluator for Remote<'_> {
    /// All tasks of a batch are sent at once. How it is cut does not change the values.
    fn evaluate(&mut self, points: &[&[f64]], first: u64, stop: Stop<'_>) -> Result<Vec<f64>, EvalError> {
        let each = self.points_each(points.len());
        let tasks: Vec<&[&[f64]]> = points.chunks(each).collect();
        let (next, this) = (AtomicUsize::new(0), &*self);
        let work = || -> Result<Vec<(usize, PointsResult)>, RemoteError> {
            let mut done = Vec::new();
            while !stop() {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(task) = tasks.get(number) else { break };
                let work = Work::Points { points: task.concat(), first: first + (number * each) as u64 };
                let sent = this.send::<PointsResult>(number, work, &|| stop());
                match sent.and_then(|result| checked(result, task.len())) {
                    Ok(Some(result)) => done.push((number, result)),
                    Ok(None) => break,
                    Err(lost) => {
                        next.store(tasks.len(), Ordering::Relaxed);
                        return Err(lost);
                    }
                }
            }
            Ok(done)
        };
        let results = on_threads(tasks.len().min(MOST_TASKS), work).map_err(EvalError::Fatal)?;
        let (seconds, count) = results.iter().fold((0.0, 0), |(s, n), (_, r)| (s + r.seconds, n + r.values.len()));
        if count > 0 {
            self.seconds_each = Some((seconds / count as f64).max(1e-9));
        }
        let mut values = vec![None; points.len()];
        for (number, result) in results {
            let places = values[number * each..].iter_mut();
            places.zip(result.values).for_each(|(place, value)| *place = Some(value));
        }
        Ok(values.into_iter().map_while(|value| value).collect())
    }
}

/// Does the same work on a number of threads, all of which do nothing but wait, and gathers what came of it.
fn on_threads<R: Send>(
    threads: usize,
    work: impl Fn() -> Result<Vec<R>, RemoteError> + Sync,
) -> Result<Vec<R>, RemoteError> {
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(&work)).collect();
        let mut gathered = Vec::new();
        for thread in running {
            gathered.extend(thread.join().unwrap_or_else(|_| Err("sending a task panicked".into()))?);
        }
        Ok(gathered)
    })
}

/// The values that came back for a task of this many points; an error if it failed, or is of another task.
fn checked(result: Option<PointsResult>, points: usize) -> Result<Option<PointsResult>, RemoteError> {
    match result {
        Some(PointsResult { failure: Some(why), .. }) => Err(why.into()),
        Some(result) if result.values.len() > points => Err(NOT_OF_TASK.into()),
        other => Ok(other),
    }
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
            let (t, point) = (job.chain.iterations(), job.chain.position().to_vec());
            ChainError::Fatal { chain: job.chain.index(), t, point, source }
        };
        let Some(result) = self.fetch(job, sampling, stop).map_err(lost)? else { return Ok(()) };
        let (chain, dim) = (result.chain.resume()?, job.chain.position().len());
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
            ChainError::Start { point, why, .. } => Self::Start { point, why },
            ChainError::Fatal { t, point, source, .. } => Self::Fatal { t, point, why: source.to_string() },
            ChainError::Internal { t, said, .. } => Self::Internal { t, said },
            other => {
                let (t, point) = (job.chain.iterations(), job.chain.position().to_vec());
                Self::Fatal { t, point, why: other.to_string() }
            }
        }
    }

    fn error(self, chain: usize) -> ChainError {
        match self {
            Self::Start { point, why } => ChainError::Start { chain, point, why },
            Self::Fatal { t, point, why } => ChainError::Fatal { chain, t, point, source: why.into() },
            Self::Internal { t, said } => ChainError::Internal { chain, t, said },
        }
    }
}

/// The version comes first: every other version can read that much.
fn write(value: &impl Serialize) -> Result<Vec<u8>, RunError> {
    postcard::to_stdvec(&(env!("CARGO_PKG_VERSION"), value))
        .map_err(|error| RunError::Task(format!("it cannot be serialised: {error}")))
}

fn read<V: DeserializeOwned>(bytes: &[u8]) -> Result<V, RunError> {
    let garbled = |error| RunError::Task(format!("the data received cannot be read: {error}"));
    let (version, rest): (String, &[u8]) = postcard::take_from_bytes(bytes).map_err(garbled)?;
    let here = env!("CARGO_PKG_VERSION");
    if version != here {
        let what = format!("it was sent by version {version} of kameleon, but this is version {here}");
        return Err(RunError::Task(what));
    }
    postcard::from_bytes(rest).map_err(garbled)
}
