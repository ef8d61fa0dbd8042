//! The points of a population, evaluated on other processes or machines: a batch is cut into tasks, which are all sent at once.

use super::{NOT_OF_TASK, Remote, RemoteError, Work, write};
use crate::error::RunError;
use crate::prepare::Prepared;
use kameleon::population::{Evaluator, OnThreads, Stop};
use kameleon::{Control, EvalError};
use kameleon_models::Likelihood;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The most tasks that the points of a batch are cut into, and how many they are before it is known how long a point takes.
pub const MOST_TASKS: usize = 256;
const FIRST_TASKS: usize = 32;
/// The seconds of work that make a task of points worth sending.
const WORTH_SENDING: f64 = 0.05;

/// What comes back of points.
#[derive(Serialize, Deserialize)]
struct PointsResult {
    /// At the first points, if it was stopped before the others.
    values: Vec<f64>,
    /// How long that took.
    seconds: f64,
    failure: Option<String>,
}

/// Does such a task.
pub(super) fn evaluate(
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

impl Remote<'_> {
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
