//! A chain with its target and its record, and how it is advanced: by steps, a turn at a time, or elsewhere.

use super::{Control, Progress};
use crate::any_chain::AnyChain;
use crate::chain::{ChainError, Step, said};
use crate::learner::{Learner, SharedFit};
use crate::record::{Draw, Keep, Moment, Record, RecordError, Recorded};
use crate::target::{EvalError, Evaluation, Noise, Target};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long a thread stays with one chain before it takes the next.
pub(super) const TURN: Duration = Duration::from_millis(20);

/// A chain with the target it samples and the record of its draws.
pub struct Job<'a> {
    /// The chain.
    pub chain: Box<dyn AnyChain>,
    target: Box<dyn Target + Send + 'a>,
    /// Where its draws go.
    pub record: Box<dyn Record + 'a>,
    /// Why it stopped early, if it did.
    pub error: Option<ChainError>,
    /// Where the chain starts instead, for as long as its start has no density.
    restart: Option<Restart<'a>>,
}

/// Makes the same chain at another start; none when all have been tried.
pub type Restart<'a> = Box<dyn FnMut() -> Option<Box<dyn AnyChain>> + Send + 'a>;

/// Advances chains in another place than on the engine's threads.
pub trait Runner: Sync {
    /// Advances the chain through its warm-up and towards `sampling` iterations more, for as long as suits the runner, and
    /// records the draws that `keep` wants. A chain that waits for its group is left waiting.
    fn advance(&self, job: &mut Job<'_>, keep: Keep, sampling: u64, stop: &dyn Fn() -> bool) -> Result<(), ChainError>;

    /// Whether it also gives chains what they wait for, since others that they learn with are elsewhere.
    fn exchanges(&self) -> bool {
        false
    }
}

/// Steps on the thread that asks, for the time of a turn.
pub struct OnThreads;

impl Runner for OnThreads {
    fn advance(&self, job: &mut Job<'_>, keep: Keep, sampling: u64, stop: &dyn Fn() -> bool) -> Result<(), ChainError> {
        let started = Instant::now();
        while !job.has(sampling) && !job.chain.waits() && !stop() {
            let step = job.chain.step(&mut *job.target)?;
            job.record(&step, keep)?;
            if step.t.is_multiple_of(16) && started.elapsed() > TURN {
                break;
            }
        }
        Ok(())
    }
}

impl<'a> Job<'a> {
    /// A chain that has yet to run.
    pub fn new(chain: Box<dyn AnyChain>, target: Box<dyn Target + Send + 'a>, record: impl Record + 'a) -> Self {
        Self { chain, target, record: Box::new(record), error: None, restart: None }
    }

    /// The same job, whose chain starts elsewhere if it cannot start where it is.
    pub fn with_restart(self, restart: Option<Restart<'a>>) -> Self {
        Self { restart, ..self }
    }

    /// See [`crate::Chain::evaluate_again`].
    pub fn evaluate_again(&mut self) -> Evaluation {
        self.chain.evaluate_again(&mut *self.target)
    }

    /// The target's answer where the chain is, with other noise.
    pub fn evaluate_here(&mut self, noise: Noise<'_>) -> Evaluation {
        self.target.log_density(self.chain.position(), noise)
    }

    /// How many points the target is best asked for at once.
    pub(super) fn batch(&self) -> usize {
        self.target.batch()
    }

    /// The chain and its target.
    pub(super) fn parts(&mut self) -> (&mut dyn AnyChain, &mut (dyn Target + Send + 'a)) {
        (&mut *self.chain, &mut *self.target)
    }

    /// Whether the chain has a question: it has not ended, and waits for nobody.
    pub(super) fn can_go_on(&self, sampling: u64) -> bool {
        self.error.is_none() && !self.has(sampling) && !self.chain.waits()
    }

    /// Tells the chain what the target says, with the gradient where it is needed, and records the draw.
    pub(super) fn tell(&mut self, value: Evaluation, gradient: &[f64], keep: Keep) -> Result<(), ChainError> {
        if matches!(value, Err(EvalError::Fatal(_))) {
            self.chain.put_back_noise();
        }
        match self.chain.tell_with_gradient(value, gradient) {
            Ok(Some(step)) => self.record(&step, keep),
            Ok(None) => Ok(()),
            Err(error) => self.start_elsewhere(error),
        }
    }

    /// Looks at the gradient where the chain has just started, if it needs one.
    pub(super) fn check_start(&mut self) -> Result<(), ChainError> {
        match self.chain.statistics().evaluations {
            1 => self.chain.check_gradient(&mut *self.target),
            _ => Ok(()),
        }
    }

    /// Records the draw that a step ends in, if it is kept.
    pub(super) fn record(&mut self, step: &Step, keep: Keep) -> Result<(), ChainError> {
        match keep.draw(&*self.chain, step) {
            Some(draw) => self.record.push(draw).map_err(|source| unrecorded(&*self.chain, source)),
            None => Ok(()),
        }
    }

    /// Puts the chain at another start if it could not start, and there is another; else the error.
    pub(super) fn start_elsewhere(&mut self, error: ChainError) -> Result<(), ChainError> {
        let is_start = matches!(error, ChainError::Start { .. });
        match self.restart.as_mut().filter(|_| is_start).and_then(|restart| restart()) {
            Some(chain) => {
                self.chain = chain;
                Ok(())
            }
            None => Err(error),
        }
    }

    /// Records a draw that was made elsewhere.
    pub fn push(&mut self, draw: Draw<'_>) -> Result<(), ChainError> {
        self.record.push(draw).map_err(|source| unrecorded(&*self.chain, source))
    }

    /// The chain, and everything that was recorded of it. Its jump proposals are not weighed yet ([`weigh`](crate::record::weigh)).
    pub fn into_parts(self) -> Result<(Box<dyn AnyChain>, Recorded), ChainError> {
        let Self { chain, record, .. } = self;
        let recorded = record.into_recorded().map_err(|source| unrecorded(&*chain, source))?;
        Ok((chain, recorded))
    }

    /// The number of draws so far, one for every `thin` iterations after the warm-up.
    pub fn draws(&self, thin: u64) -> u64 {
        self.chain.iterations().saturating_sub(self.chain.warmup()) / thin
    }

    /// Whether the chain has made its warm-up and `sampling` iterations more. A warm-up may end earlier than it was to.
    pub fn has(&self, sampling: u64) -> bool {
        self.chain.iterations() >= self.chain.warmup().saturating_add(sampling)
    }

    /// Advances the chain for a turn; true if it has ended. A panic of ours ends it with an error, and what was saved before
    /// stays as it is.
    pub(super) fn turn(
        &mut self,
        runner: &dyn Runner,
        keep: Keep,
        sampling: u64,
        progress: Option<&Progress>,
        stop: &dyn Fn() -> bool,
    ) -> bool {
        let worked = catch_unwind(AssertUnwindSafe(|| self.work(runner, keep, sampling, stop)));
        let done = worked.unwrap_or_else(|panic| {
            self.fail(&*panic);
            true
        });
        self.tell_progress(progress, done);
        done
    }

    /// Tells those who watch how far the chain is.
    pub(super) fn tell_progress(&self, progress: Option<&Progress>, done: bool) {
        if let Some(progress) = progress {
            progress.update(&*self.chain);
            progress.done.store(done, Ordering::Relaxed);
        }
    }

    fn work(&mut self, runner: &dyn Runner, keep: Keep, sampling: u64, stop: &dyn Fn() -> bool) -> bool {
        self.error = loop {
            match runner.advance(self, keep, sampling, stop).map_err(|error| self.start_elsewhere(error)) {
                Err(Ok(())) => {}
                Err(Err(error)) => break Some(error),
                Ok(()) => break None,
            }
        };
        self.end_turn(sampling, stop)
    }

    /// Ends a turn: the record may save the chain. True if the chain has ended.
    pub(super) fn end_turn(&mut self, sampling: u64, stop: &dyn Fn() -> bool) -> bool {
        let done = self.error.is_some() || self.has(sampling) || stop();
        if let Err(error) = self.save(done) {
            self.error.get_or_insert(error);
        }
        done || self.error.is_some()
    }

    /// Lets the record save the chain; also after an error of the target, since what was drawn before must be safe. A
    /// record that has lost a draw must not save the chain that made it.
    fn save(&mut self, done: bool) -> Result<(), ChainError> {
        let moment = match self.error {
            // A record that has lost a draw, or a chain that a panic broke.
            Some(ChainError::Record { .. } | ChainError::Internal { .. }) => return Ok(()),
            None if !done && self.brings_where_it_waits() => Moment::Waiting,
            _ if done => Moment::End,
            _ => Moment::Pause,
        };
        self.record.save(&*self.chain, moment).map_err(|source| unrecorded(&*self.chain, source))
    }

    /// Whether others learn next from the chain as it is where it waits.
    fn brings_where_it_waits(&self) -> bool {
        self.chain.learner().is_some_and(|learner| learner.waits() && !learner.runs_ahead())
    }

    /// Gives the chain the fit that it waits for. One that runs ahead is saved: others learn next from what it brings.
    pub fn learn(&mut self, fit: &SharedFit) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.chain.learn(fit))) {
            return self.fail(&*panic);
        }
        if self.chain.learner().is_some_and(Learner::runs_ahead)
            && let Err(source) = self.record.save(&*self.chain, Moment::Waiting)
        {
            self.error = Some(unrecorded(&*self.chain, source));
        }
    }

    /// Marks the job as ended by a panic of ours.
    pub(super) fn fail(&mut self, panic: &(dyn Any + Send)) {
        self.fail_saying(said(panic));
    }

    /// Marks the job as ended by a panic of ours that said this.
    pub(super) fn fail_saying(&mut self, said: String) {
        let (chain, t) = (self.chain.index(), self.chain.iterations());
        self.error = Some(ChainError::Internal { chain, t, said });
    }

    /// A target that fails while the run is being stopped was stopped with it, by Ctrl-C for one: the same point is asked
    /// for again when the run is resumed.
    pub(super) fn forgive(&mut self, control: Control<'_>) {
        if control.is_stopped() && matches!(self.error, Some(ChainError::Fatal { .. })) {
            self.error = None;
        }
    }
}

/// A draw of this chain could not be recorded.
fn unrecorded(chain: &dyn AnyChain, source: RecordError) -> ChainError {
    ChainError::Record { chain: chain.index(), source }
}
