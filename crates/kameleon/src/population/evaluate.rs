//! How batches are evaluated: by a [`Target`] on threads, or in any other place; and the posterior that chains sample.

use super::{Found, Population, Prior};
use crate::Rng;
use crate::random::{Purpose, stream};
use crate::target::{EvalError, Evaluation, Noise, Target};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Whether to stop, for any thread to ask.
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// Evaluates the points of a batch.
pub trait Evaluator {
    /// The log likelihood, or its estimate, at each point, of which the first is evaluation number `first`: an estimate depends on
    /// point, seed and number only. NaN where a point was refused. Only the values of the first points if it was stopped before
    /// all of them were there; an error if nothing more can be evaluated.
    fn evaluate(&mut self, points: &[&[f64]], first: u64, stop: Stop<'_>) -> Result<Vec<f64>, EvalError>;

    /// Where the error was, if it was at one point and that is known.
    fn failed_at(&self) -> Option<&[f64]> {
        None
    }
}

impl Population {
    /// Runs it to its end, each batch on this many threads, each with a clone of the log likelihood. What is found does not depend on
    /// the number of threads: every evaluation has random numbers of its own. None if the stop flag was set; an error if the
    /// likelihood cannot be evaluated any more. In both cases it can be run again, and goes on where it was.
    pub fn run_on<T: Target + Clone + Send>(
        &mut self,
        threads: usize,
        prior: &dyn Prior,
        log_likelihood: &T,
        stop: Option<&AtomicBool>,
    ) -> Result<Option<&Found>, EvalError> {
        let mut evaluator = OnThreads::new(threads, log_likelihood, self.seed);
        let stop = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        while !stop() && self.advance(prior, &mut evaluator, usize::MAX, &stop)? {}
        Ok(self.found())
    }

    /// Has at most `most` of the points that it asks for evaluated, and learns from their values: from all of them, or from those
    /// of the first points if it was stopped. False once it is done.
    pub fn advance(
        &mut self,
        prior: &dyn Prior,
        evaluator: &mut dyn Evaluator,
        most: usize,
        stop: Stop<'_>,
    ) -> Result<bool, EvalError> {
        let (dim, first) = (self.dim, self.evaluations());
        let Some(points) = self.ask(prior) else { return Ok(false) };
        let points: Vec<&[f64]> = points.chunks_exact(dim).take(most).collect();
        let values = evaluator.evaluate(&points, first, stop)?;
        self.tell_first(prior, &values).map_err(EvalError::fatal)?;
        Ok(true)
    }
}

/// A log likelihood on threads, a clone for each.
pub struct OnThreads<T> {
    targets: Vec<T>,
    seed: u64,
    failed_at: Option<Vec<f64>>,
}

/// Why an evaluation failed, and at which point if that is known.
type Failed = (EvalError, Option<Vec<f64>>);

impl<T: Target + Clone + Send> OnThreads<T> {
    /// On this many threads.
    pub fn new(threads: usize, log_likelihood: &T, seed: u64) -> Self {
        Self { targets: vec![log_likelihood.clone(); threads.max(1)], seed, failed_at: None }
    }
}

impl<T: Target + Send> Evaluator for OnThreads<T> {
    /// Threads take points one by one, or as many as the target wants at once.
    fn evaluate(&mut self, points: &[&[f64]], first: u64, stop: Stop<'_>) -> Result<Vec<f64>, EvalError> {
        let at_once = self.targets.first().map_or(1, Target::batch).max(1);
        let parts: Vec<&[&[f64]]> = points.chunks(at_once).collect();
        let (next, seed) = (AtomicUsize::new(0), self.seed);
        let work = |target: &mut T| -> Result<Vec<(usize, f64)>, Failed> {
            let mut done = Vec::new();
            while !stop() {
                let part = next.fetch_add(1, Ordering::Relaxed);
                let Some(points) = parts.get(part) else { break };
                let i = part * at_once;
                match values(target, points, seed, first + i as u64) {
                    Ok(values) => done.extend(values.into_iter().enumerate().map(|(k, value)| (i + k, value))),
                    Err(fatal) => {
                        // The others end after the point they are at.
                        next.store(parts.len(), Ordering::Relaxed);
                        return Err((fatal, <[_; 1]>::try_from(*points).ok().map(|[point]| point.to_vec())));
                    }
                }
            }
            Ok(done)
        };
        let panicked = |_| Err((EvalError::fatal("the likelihood panicked"), None));
        let all: Vec<_> = std::thread::scope(|scope| {
            let Some((here, others)) = self.targets.split_first_mut() else { return Vec::new() };
            let running: Vec<_> = others.iter_mut().map(|target| scope.spawn(|| work(target))).collect();
            // The first works on this thread: a target may need it, as one in Python does that holds the interpreter.
            let here = catch_unwind(AssertUnwindSafe(|| work(here))).unwrap_or_else(panicked);
            std::iter::once(here)
                .chain(running.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)))
                .collect()
        });
        let mut values = vec![None; points.len()];
        for done in all {
            let done = done.map_err(|(error, point)| {
                self.failed_at = point;
                error
            })?;
            done.into_iter().for_each(|(i, value)| values[i] = Some(value));
        }
        Ok(values.into_iter().map_while(|value| value).collect())
    }

    fn failed_at(&self) -> Option<&[f64]> {
        self.failed_at.as_deref()
    }
}

/// The log likelihoods at points, each with random numbers that belong to its evaluation; NaN where one was refused.
fn values<T: Target>(target: &mut T, points: &[&[f64]], seed: u64, first: u64) -> Result<Vec<f64>, EvalError> {
    let count = target.normals();
    let mut own: Vec<(Rng, Vec<f64>)> = (0..points.len() as u64)
        .map(|i| {
            let mut rng = stream(seed, super::STREAM + first + i, Purpose::Noise);
            let normals = (0..count).map(|_| rng.sample(StandardNormal)).collect();
            (rng, normals)
        })
        .collect();
    let noise = own.iter_mut().map(|(rng, normals)| Noise { rng, normals: normals.as_slice() }).collect();
    let refused_as_nan = |value: Evaluation| match value {
        Err(EvalError::Reject(_) | EvalError::Failed(_)) => Ok(f64::NAN),
        other => other,
    };
    target.log_densities(points, noise).into_iter().map(refused_as_nan).collect()
}

/// Prior and likelihood together, as the target of chains.
#[derive(Clone, Debug)]
pub struct Posterior<T, P> {
    log_likelihood: T,
    prior: P,
}

impl<T: Target, P: Prior> Posterior<T, P> {
    /// Of this likelihood under this prior.
    pub fn new(log_likelihood: T, prior: P) -> Self {
        Self { log_likelihood, prior }
    }
}

impl<T: Target, P: Prior> Target for Posterior<T, P> {
    fn inner(&self) -> Option<&dyn Target> {
        Some(&self.log_likelihood)
    }

    fn dim(&self) -> Option<usize> {
        Some(self.prior.dim())
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        let log_prior = self.prior.log_density(x);
        if log_prior == f64::NEG_INFINITY {
            return Ok(log_prior);
        }
        Ok(log_prior + self.log_likelihood.log_density(x, noise)?)
    }
}
