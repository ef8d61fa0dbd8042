//! Chains on threads: each chain with its target and its record, taking turns until they end or are stopped.

use super::queue::Queue;
use super::{Control, Progress};
use crate::any_chain::AnyChain;
use crate::chain::{ChainError, Step};
use crate::record::Record;
use crate::staged::Staged;
use crate::target::Target;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A chain with the target it samples and the record of its draws.
pub struct Job<T, R> {
    /// The chain.
    pub chain: Box<dyn AnyChain>,
    target: T,
    /// Where its draws go.
    pub record: R,
    /// Why it ended early, if it did.
    pub error: Option<ChainError>,
}

impl<T, R> Job<T, R> {
    /// A chain that has yet to run.
    pub fn new(chain: Box<dyn AnyChain>, target: T, record: R) -> Self {
        Self { chain, target, record, error: None }
    }
}

/// How long a thread stays with a chain before it takes the next, so that chains keep pace when they outnumber threads.
const TURN: Duration = Duration::from_millis(20);

/// Runs every job through its warm-up and `sampling` iterations more, on threads that take the next unfinished one when
/// they are free. Chains that learn together are taught when all of a group have come to a refresh. One that fails stops
/// the others. Returns the jobs in order.
pub fn run_jobs<T, R>(
    jobs: Vec<Job<T, R>>,
    sampling: u64,
    threads: Option<usize>,
    control: Control<'_>,
) -> Vec<Job<T, R>>
where
    T: Target + Send,
    R: Record,
{
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.unwrap_or(cores).min(jobs.len());
    let failed = AtomicBool::new(false);
    let stop = || failed.load(Ordering::Relaxed) || control.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    let queue = Queue::new(jobs);
    let work = || {
        while let Some((index, mut job)) = queue.next() {
            let progress = control.progress.and_then(|progress| progress.get(index));
            let end = job.chain.warmup().saturating_add(sampling);
            let done = job.turn(end, progress, stop);
            if job.error.is_some() {
                failed.store(true, Ordering::Relaxed);
            }
            queue.give_back(index, job, done);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let mut jobs = queue.into_jobs();
    if !stop() {
        // Saved chains that were never of one group.
        for job in jobs.iter_mut().filter(|job| job.waits()) {
            job.error = Some(ChainError::Waiting { chain: job.chain.index() });
        }
    }
    jobs
}

impl<T: Target, R: Record> Job<T, R> {
    /// Whether the chain waits for its group.
    fn waits(&self) -> bool {
        self.chain.staged().is_some_and(Staged::waits)
    }

    /// Steps until the turn is over; true if the chain has ended.
    fn turn(&mut self, end: u64, progress: Option<&Progress>, stop: impl Fn() -> bool) -> bool {
        let done = match self.steps(end, stop) {
            Ok(done) => done,
            Err(error) => {
                self.error = Some(error);
                true
            }
        };
        if let Some(progress) = progress {
            progress.update(&*self.chain);
            progress.done.store(done, Ordering::Relaxed);
        }
        done
    }

    fn steps(&mut self, end: u64, stop: impl Fn() -> bool) -> Result<bool, ChainError> {
        let started = Instant::now();
        let result = loop {
            if self.chain.iterations() >= end || stop() {
                break Ok(true);
            }
            if self.waits() {
                self.record.wait(&*self.chain).map_err(|error| self.unrecorded(error))?;
                return Ok(false);
            }
            let step = match self.step() {
                Ok(step) => step,
                Err(error) => break Err(error),
            };
            self.record.step(&*self.chain, &step).map_err(|error| self.unrecorded(error))?;
            if step.t.is_multiple_of(16) && started.elapsed() > TURN {
                break Ok(false);
            }
        };
        // Also after an error: what was drawn before must be safe.
        let done = !matches!(result, Ok(false));
        self.record.pause(&*self.chain, done).map_err(|error| self.unrecorded(error))?;
        result
    }

    /// One step. A target that panics ends its chain like one that says it cannot go on.
    fn step(&mut self) -> Result<Step, ChainError> {
        let (chain, target) = (&mut self.chain, &mut self.target);
        catch_unwind(AssertUnwindSafe(|| chain.step(target))).unwrap_or_else(|panic| {
            let said = panic.downcast_ref::<&str>().map(ToString::to_string);
            let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
            let said = format!("the target panicked: {}", said.unwrap_or("it did not say why".into()));
            let (chain, t, point) = (self.chain.index(), self.chain.iterations(), self.chain.ask().to_vec());
            Err(ChainError::Fatal { chain, t, point, source: said.into() })
        })
    }

    fn unrecorded(&self, source: crate::record::RecordError) -> ChainError {
        ChainError::Record { chain: self.chain.index(), source }
    }
}
