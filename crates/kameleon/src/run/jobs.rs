//! Chains on threads: each chain with its target and its record, taking turns until they end or are stopped.

use super::queue::Queue;
use super::{Control, Progress};
use crate::any_chain::AnyChain;
use crate::chain::{ChainError, Step};
use crate::record::{Record, RecordError};
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

/// How a job goes on for a while: towards an iteration, and no further than to where its chain waits for its group. It is
/// asked now and then whether to stop.
pub type Advance<'a, T, R> = dyn Fn(&mut Job<T, R>, u64, &dyn Fn() -> bool) -> Result<(), ChainError> + Sync + 'a;

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
    run_jobs_by(&|job, end, stop| job.steps(end, stop), jobs, sampling, threads.unwrap_or(cores), control)
}

/// [`run_jobs`] for chains that are advanced in another way than by steps on these threads.
pub fn run_jobs_by<T, R>(
    advance: &Advance<'_, T, R>,
    jobs: Vec<Job<T, R>>,
    sampling: u64,
    threads: usize,
    control: Control<'_>,
) -> Vec<Job<T, R>>
where
    T: Send,
    R: Record,
{
    let threads = threads.min(jobs.len());
    let failed = AtomicBool::new(false);
    let stop = || failed.load(Ordering::Relaxed) || control.is_stopped();
    let queue = Queue::new(jobs);
    let work = || {
        while let Some((index, mut job)) = queue.next() {
            let progress = control.progress.and_then(|progress| progress.get(index));
            let end = job.chain.warmup().saturating_add(sampling);
            let done = job.turn(advance, end, progress, &stop);
            job.forgive(control);
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
        for job in jobs.iter_mut().filter(|job| job.chain.waits()) {
            job.error = Some(ChainError::Waiting { chain: job.chain.index() });
        }
    }
    jobs
}

impl<T, R: Record> Job<T, R> {
    /// Goes on until the turn is over; true if the chain has ended.
    fn turn(
        &mut self,
        advance: &Advance<'_, T, R>,
        end: u64,
        progress: Option<&Progress>,
        stop: &dyn Fn() -> bool,
    ) -> bool {
        self.error = advance(self, end, stop).err();
        let done = self.error.is_some() || self.chain.iterations() >= end || stop();
        if let Err(error) = self.record_turn(done) {
            self.error.get_or_insert(error);
        }
        if let Some(progress) = progress {
            progress.update(&*self.chain);
            progress.done.store(done, Ordering::Relaxed);
        }
        done || self.error.is_some()
    }

    /// A target that fails when the run is stopped was stopped with it, by Ctrl-C for one: what it was asked is asked again
    /// when the run is gone on with.
    fn forgive(&mut self, control: Control<'_>) {
        if control.is_stopped() && matches!(self.error, Some(ChainError::Fatal { .. })) {
            self.error = None;
        }
    }

    /// Tells the record that a turn is over; also after an error of the target, since what was drawn before must be safe.
    /// A record that has lost a draw must not save the chain that made it.
    fn record_turn(&mut self, done: bool) -> Result<(), ChainError> {
        let told = match self.error {
            Some(ChainError::Record { .. }) => Ok(()),
            None if !done && self.chain.waits() => self.record.wait(&*self.chain),
            _ => self.record.pause(&*self.chain, done),
        };
        told.map_err(|error| self.unrecorded(error))
    }

    /// A draw of this chain could not be recorded.
    pub fn unrecorded(&self, source: RecordError) -> ChainError {
        ChainError::Record { chain: self.chain.index(), source }
    }
}

impl<T: Target, R: Record> Job<T, R> {
    /// Runs the chain alone towards an iteration, for so long at most; a chain that waits for its group is left waiting.
    pub fn run_alone(&mut self, end: u64, time: Duration, control: Control<'_>) {
        let (started, progress) = (Instant::now(), control.progress.and_then(<[Progress]>::first));
        let (advance, stop) =
            (|job: &mut Self, end, stop: &dyn Fn() -> bool| job.steps(end, stop), || control.is_stopped());
        while !self.turn(&advance, end, progress, &stop) && !self.chain.waits() && started.elapsed() < time {}
        self.forgive(control);
    }

    /// Steps for the time of a turn.
    fn steps(&mut self, end: u64, stop: &dyn Fn() -> bool) -> Result<(), ChainError> {
        let started = Instant::now();
        while self.chain.iterations() < end && !self.chain.waits() && !stop() {
            let step = self.step()?;
            self.record.step(&*self.chain, &step).map_err(|error| self.unrecorded(error))?;
            if step.t.is_multiple_of(16) && started.elapsed() > TURN {
                break;
            }
        }
        Ok(())
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
}
