//! The one way to run chains: jobs in, recorded draws out, a stopping rule asked in between.
//!
//! A [`Job`] is a chain with its target and its record. The engine advances all jobs on threads, or has a [`Runner`] advance
//! them elsewhere, up to the number of draws that a [`Stopping`] rule names, asks the rule again, and so on until it says
//! that there are enough. `kameleon::sample`, run folders, the Python package and studies differ in their records and rules only.

mod ensemble;
mod job;
mod lockstep;
mod progress;
mod queue;
mod saved;
mod stopping;

pub use ensemble::{Ensemble, Question, TellError};
pub use job::{Job, OnThreads, Restart, Runner};
pub use progress::{PopulationProgress, Progress, SoFar};
pub use saved::SavedEnsemble;
pub use stopping::{Next, Rule, StopRule, Stopping};

use crate::chain::{ChainError, said};
use crate::record::Keep;
use queue::Queue;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often the clock and the stop flag are looked at when time is limited.
const WATCH: Duration = Duration::from_millis(20);
/// The most chains that are advanced elsewhere at the same time: a thread waits for each, which costs little but memory.
const MOST_WAITING: usize = 16_384;

/// How a run ended.
#[derive(Debug)]
pub enum Ending {
    /// All draws were made, or as many as were needed.
    Complete,
    /// A limit ended it before its goal: the draws that were asked for, or a stopping rule.
    Limited,
    /// It was asked to stop; the draws made so far are kept.
    Stopped,
    /// An error ended it; the draws made so far are kept.
    Failed(ChainError),
}

/// How a run is watched and stopped from outside.
#[derive(Clone, Copy, Default)]
pub struct Control<'a> {
    /// Set it, and every chain stops after the step it is in.
    pub stop: Option<&'a AtomicBool>,
    /// One for each chain.
    pub progress: Option<&'a [Progress]>,
    /// What a population before the chains is doing.
    pub population: Option<&'a PopulationProgress>,
}

impl Control<'_> {
    /// Whether the stop flag is set.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// What a run came to.
pub struct Finish<'a> {
    /// The jobs, in order.
    pub jobs: Vec<Job<'a>>,
    /// How it ended.
    pub ending: Ending,
    /// Why, in words.
    pub reason: String,
}

/// How chains are run.
#[derive(Clone, Copy)]
pub struct Engine<'a> {
    /// Which iterations are recorded.
    pub keep: Keep,
    /// The number of threads; as many as there are cores if none is given. The draws do not depend on it.
    pub threads: Option<usize>,
    /// When the run began, and the time from then on after which it stops.
    pub limit: Option<(Instant, Duration)>,
    /// What advances chains elsewhere, if not this machine's threads.
    pub runner: Option<&'a dyn Runner>,
    /// How it is watched and stopped.
    pub control: Control<'a>,
}

impl Engine<'_> {
    /// Runs the jobs until the rule says that there are enough draws. A start that cannot be sampled from is an error; what
    /// goes wrong later is told by the ending.
    pub fn run<'j>(&self, jobs: Vec<Job<'j>>, rule: &mut dyn Stopping) -> Result<Finish<'j>, ChainError> {
        let Some((started, limit)) = self.limit else { return self.stretches(jobs, rule, &|| false) };
        let [stop, late] = &std::array::from_fn(|_| AtomicBool::new(false));
        let deadline = started + limit;
        // The watcher ends when the sender is dropped, also by a panic of this thread.
        std::thread::scope(|scope| {
            let (_running, over) = mpsc::channel::<()>();
            scope.spawn(move || {
                loop {
                    late.store(Instant::now() >= deadline, Ordering::Relaxed);
                    stop.store(self.control.is_stopped() || late.load(Ordering::Relaxed), Ordering::Relaxed);
                    if over.recv_timeout(WATCH) != Err(RecvTimeoutError::Timeout) {
                        return;
                    }
                }
            });
            let control = Control { stop: Some(stop), ..self.control };
            Engine { control, ..*self }.stretches(jobs, rule, &|| late.load(Ordering::Relaxed))
        })
    }

    /// From one question to the rule to the next.
    fn stretches<'j>(
        &self,
        mut jobs: Vec<Job<'j>>,
        rule: &mut dyn Stopping,
        late: &dyn Fn() -> bool,
    ) -> Result<Finish<'j>, ChainError> {
        loop {
            let draws = match next_draws(rule, &jobs) {
                Ok(draws) => draws,
                Err((ending, reason)) => return Ok(Finish { jobs, ending, reason }),
            };
            jobs = self.advance(jobs, draws.saturating_mul(self.keep.thin));
            match first_error(&mut jobs) {
                Some(error) if error.is_at_start() => return Err(error),
                Some(error) => return Ok(failed(jobs, error)),
                None => {}
            }
            let (least, most) = made(&jobs, self.keep.thin);
            if least < draws {
                let (ending, reason) = self.cut_short(late(), least, most);
                return Ok(Finish { jobs, ending, reason });
            }
        }
    }

    fn cut_short(&self, late: bool, least: u64, most: u64) -> (Ending, String) {
        match self.limit.filter(|_| late) {
            Some((_, limit)) => {
                let (minutes, after) = (limit.as_secs_f64() / 60.0, after(least, most));
                (Ending::Limited, format!("the limit of {minutes} minutes (max-minutes) was reached {after}"))
            }
            None => stopped(least, most),
        }
    }

    /// Advances every job through its warm-up and `sampling` iterations more. Chains that learn together wait for
    /// each other as [`crate::pool`] says. A job that fails stops the others. Returns the jobs in order.
    fn advance<'j>(&self, jobs: Vec<Job<'j>>, sampling: u64) -> Vec<Job<'j>> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let on_threads = OnThreads;
        let runner = self.runner.unwrap_or(&on_threads);
        let threads = match self.runner {
            // A thread for each chain, up to a limit: all they do is wait.
            Some(_) => MOST_WAITING,
            None => self.threads.unwrap_or(cores),
        };
        // While one has the chains learn, each of them can go on.
        let threads = threads.min(jobs.len() + 1);
        let in_step = self.runner.is_none() && jobs.iter().all(|job| job.batch() > 1);
        let queue = Queue::new(jobs, !runner.exchanges());
        let stop = || queue.has_failed() || self.control.is_stopped();
        let work = || {
            while let Some((index, mut job)) = queue.next() {
                let progress = self.control.progress.and_then(|progress| progress.get(index));
                let done = job.turn(runner, self.keep, sampling, progress, &stop);
                job.forgive(self.control);
                queue.give_back(index, job, done);
            }
        };
        if in_step {
            lockstep::run(&queue, self.keep, sampling, self.control, &stop);
        } else {
            std::thread::scope(|scope| {
                for _ in 1..threads {
                    // Where the system allows no more threads, those that there are take turns with the chains.
                    if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                        break;
                    }
                }
                work();
            });
        }
        let stopped = stop();
        let mut jobs = queue.into_jobs();
        if !stopped {
            blame_waiting(&mut jobs);
        }
        jobs
    }

    /// Runs one chain alone through its warm-up and towards `sampling` iterations more, for at most `time`; a chain that waits
    /// for its group is left waiting.
    pub fn run_alone(&self, job: &mut Job<'_>, sampling: u64, time: Duration) {
        let (started, progress) = (Instant::now(), self.control.progress.and_then(<[Progress]>::first));
        let stop = || self.control.is_stopped();
        while !job.turn(&OnThreads, self.keep, sampling, progress, &stop)
            && !job.chain.waits()
            && started.elapsed() < time
        {}
        job.forgive(self.control);
    }
}

/// What the rule names next, or how the run ends; also after a panic of the rule.
fn next_draws(rule: &mut dyn Stopping, jobs: &[Job<'_>]) -> Result<u64, (Ending, String)> {
    match catch_unwind(AssertUnwindSafe(|| rule.next(jobs))) {
        Ok(Ok(Next::Draws(draws))) => Ok(draws),
        Ok(Ok(Next::Enough(reason))) => Err((Ending::Complete, reason)),
        Ok(Ok(Next::TooFew(reason))) => Err((Ending::Limited, reason)),
        Ok(Err(source)) => Err(ended_by(ChainError::Record { chain: 0, source })),
        Err(panic) => {
            let (t, said) = (jobs.first().map_or(0, |job| job.chain.iterations()), said(&*panic));
            Err(ended_by(ChainError::Internal { chain: 0, t, said }))
        }
    }
}

/// The error that ended a run, where some did: that of a start comes first.
fn first_error(jobs: &mut [Job<'_>]) -> Option<ChainError> {
    let mut errors: Vec<ChainError> = jobs.iter_mut().filter_map(|job| job.error.take()).collect();
    let at = errors.iter().position(ChainError::is_at_start).unwrap_or(0);
    (!errors.is_empty()).then(|| errors.swap_remove(at))
}

/// Saved chains that were never of one group wait for ever: that is an error.
fn blame_waiting(jobs: &mut [Job<'_>]) {
    for job in jobs.iter_mut().filter(|job| job.chain.waits()) {
        job.error = Some(ChainError::Waiting { chain: job.chain.index() });
    }
}

/// The fewest and the most draws of a chain.
fn made(jobs: &[Job<'_>], thin: u64) -> (u64, u64) {
    let counts = jobs.iter().map(|job| job.draws(thin));
    (counts.clone().min().unwrap_or(0), counts.max().unwrap_or(0))
}

fn after(least: u64, most: u64) -> String {
    match (least, most) {
        (_, 0) => "in the warm-up".into(),
        (least, most) if least == most => format!("after {most} draws in each chain"),
        (least, most) => format!("after {least} to {most} draws in each chain"),
    }
}

/// The ending of a run that somebody stopped.
fn stopped(least: u64, most: u64) -> (Ending, String) {
    (Ending::Stopped, format!("the run was stopped before its end, {}", after(least, most)))
}

/// The ending of a run by an error.
pub(crate) fn ended_by(error: ChainError) -> (Ending, String) {
    let reason = error.to_string();
    (Ending::Failed(error), reason)
}

fn failed(jobs: Vec<Job<'_>>, error: ChainError) -> Finish<'_> {
    let (ending, reason) = ended_by(error);
    Finish { jobs, ending, reason }
}
