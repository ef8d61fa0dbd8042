//! A population whose likelihood is a [`Target`], on threads; and the posterior that its chains sample.

use super::{Found, Population, Prior};
use crate::random::{Purpose, stream};
use crate::target::{EvalError, Evaluation, Noise, Target};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

impl Population {
    /// Runs it to its end, each batch on this many threads, each with a clone of the log likelihood. What is found does not depend on
    /// the number of threads: every evaluation has random numbers of its own. None if the stop flag was set; an error if the
    /// likelihood cannot be evaluated any more. In both cases it can be run again, and goes on with the same batch.
    pub fn run_on<T: Target + Clone + Send>(
        &mut self,
        threads: usize,
        prior: &dyn Prior,
        log_likelihood: &T,
        stop: Option<&AtomicBool>,
    ) -> Result<Option<&Found>, EvalError> {
        let (dim, seed) = (self.dim, self.seed);
        let mut targets = vec![log_likelihood.clone(); threads.max(1)];
        while self.ask(prior).is_some() {
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Ok(None);
            }
            let first = self.evaluations();
            let Some(points) = self.ask(prior) else { break };
            let points: Vec<&[f64]> = points.chunks_exact(dim).collect();
            let values = evaluate(&mut targets, &points, seed, first)?;
            self.tell(prior, &values).map_err(EvalError::fatal)?;
        }
        Ok(self.found())
    }
}

/// The values at all points, of which the first is evaluation number `first`. Threads take points one by one.
fn evaluate<T: Target + Send>(
    targets: &mut [T],
    points: &[&[f64]],
    seed: u64,
    first: u64,
) -> Result<Vec<f64>, EvalError> {
    let next = AtomicUsize::new(0);
    let work = |target: &mut T| -> Result<Vec<(usize, f64)>, EvalError> {
        let mut done = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(x) = points.get(i) else { return Ok(done) };
            match value(target, x, seed, first + i as u64) {
                Ok(value) => done.push((i, value)),
                Err(EvalError::Reject(_)) => done.push((i, f64::NAN)),
                Err(fatal) => {
                    // The others end after the point they are at.
                    next.store(points.len(), Ordering::Relaxed);
                    return Err(fatal);
                }
            }
        }
    };
    let all: Vec<Result<Vec<(usize, f64)>, EvalError>> = std::thread::scope(|scope| {
        let running: Vec<_> = targets.iter_mut().map(|target| scope.spawn(|| work(target))).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|_| Err(EvalError::fatal("the likelihood panicked")))
        };
        running.into_iter().map(join).collect()
    });
    let mut values = vec![f64::NAN; points.len()];
    for done in all {
        done?.into_iter().for_each(|(i, value)| values[i] = value);
    }
    Ok(values)
}

/// The log likelihood at a point, with random numbers that belong to this evaluation.
fn value<T: Target>(target: &mut T, x: &[f64], seed: u64, number: u64) -> Evaluation {
    let mut rng = stream(seed, super::STREAM + number, Purpose::Noise);
    let normals: Vec<f64> = (0..target.normals()).map(|_| rng.sample(StandardNormal)).collect();
    target.log_density(x, Noise { rng: &mut rng, normals: &normals })
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
