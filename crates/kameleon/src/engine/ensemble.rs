//! Chains whose values come from outside: the points of all chains in one question, their values in one answer.
//!
//! The engine calls targets; an ensemble is called. Everything else is the same: who waits for whom, what is recorded, when there
//! are enough draws. So the draws are those of a run on threads with the same seed.

use super::queue::{Numbered, Queue};
use super::saved::SavedEnsemble;
use super::{Ending, Finish, Job, Stopping, blame_waiting, ended_by, first_error, made, next_draws, stopped};
use crate::any_chain::AnyChain;
use crate::chain::ChainError;
use crate::record::Keep;
use crate::target::{EvalError, Evaluation, Noise};
use thiserror::Error;

/// A point whose log density is wanted.
pub struct Question<'a> {
    /// The chain that asks.
    pub chain: usize,
    /// The point.
    pub x: &'a [f64],
    /// The randomness that a noisy target may use there.
    pub noise: Noise<'a>,
}

/// Why values could not be taken.
#[derive(Debug, Error)]
pub enum TellError {
    /// There was no question.
    #[error("nothing was asked, so nothing can be told; call ask() first")]
    NothingAsked,
    /// There will be no question any more.
    #[error("the run has ended ({0}), and asks for nothing more")]
    Ended(String),
    /// There is not one value for each point. The points are still asked for.
    #[error("{asked} points were asked for, so {asked} values are wanted, not {told}")]
    Count {
        /// The number of points.
        asked: usize,
        /// The number of values.
        told: usize,
    },
    /// The sampler needs gradients, and there is not one for each point. The points are still asked for.
    #[error("the sampler needs the gradient at each point with its value: {wanted} numbers, not {told}")]
    Gradients {
        /// The number of points times the number of parameters.
        wanted: usize,
        /// The numbers that were told.
        told: usize,
    },
    /// A chain cannot start, or a state not be restored.
    #[error(transparent)]
    Chain(#[from] ChainError),
}

/// Chains that ask together.
pub struct Ensemble<'a> {
    keep: Keep,
    rule: Box<dyn Stopping + Send + 'a>,
    queue: Queue<'a>,
    /// The jobs that have a question, in the order of their chains.
    active: Vec<Numbered<'a>>,
    /// The iterations after the warm-up that each chain is to make before the rule is asked again.
    sampling: u64,
    asked: bool,
    /// The one point that all chains were given, if they were.
    start: Option<Vec<f64>>,
    /// The jobs, when the run has ended.
    ended: Option<Finish<'a>>,
}

impl<'a> Ensemble<'a> {
    /// The jobs, whose own targets are not called, until the rule says that there are enough draws. `asked` is that of a
    /// [`SavedEnsemble`] they come from.
    pub fn new(
        jobs: Vec<Job<'a>>,
        keep: Keep,
        rule: impl Stopping + Send + 'a,
        asked: bool,
    ) -> Result<Self, ChainError> {
        let (queue, active) = (Queue::new(Vec::new(), true), Vec::new());
        let rule = Box::new(rule);
        let mut this = Self { keep, rule, queue, active, sampling: 0, asked: false, start: None, ended: None };
        this.stretch(jobs)?;
        this.settle()?;
        if asked {
            // The same points will be asked for, with the same noise.
            this.active.iter_mut().for_each(|(_, job)| job.chain.put_back_noise());
        }
        Ok(this)
    }

    /// The same, whose chains were all given this point; it is saved with them.
    pub fn with_start(self, start: Option<Vec<f64>>) -> Self {
        Self { start, ..self }
    }

    /// The points whose log densities are wanted next, one of each chain that goes on, in the order of the chains. Asking again
    /// gives the same until they are told. There are none when the run has ended.
    pub fn ask(&mut self) -> Vec<Question<'_>> {
        if std::mem::replace(&mut self.asked, true) {
            self.active.iter_mut().for_each(|(_, job)| job.chain.put_back_noise());
        }
        let jobs = self.active.iter_mut().map(|(_, job)| (job.chain.index(), job));
        jobs.filter_map(|(chain, job)| {
            let (x, noise) = job.chain.question()?;
            Some(Question { chain, x, noise })
        })
        .collect()
    }

    /// The log densities at the points asked for, in the same order, or the reasons there are none. An error is that of a start
    /// where the density is zero, and ends the run; what goes wrong otherwise is told by [`Ensemble::finish`].
    pub fn tell(&mut self, values: Vec<Evaluation>) -> Result<(), TellError> {
        self.tell_with_gradients(values, &[])
    }

    /// The same with the gradients of the log density there, one after another, for a sampler that needs them; what stands for a point
    /// without a finite log density is not looked at.
    pub fn tell_with_gradients(&mut self, values: Vec<Evaluation>, gradients: &[f64]) -> Result<(), TellError> {
        let (asked, told) = (if self.asked { self.active.len() } else { 0 }, values.len());
        if let Some((_, reason)) = self.ending() {
            return Err(TellError::Ended(reason.into()));
        }
        if asked == 0 {
            return Err(TellError::NothingAsked);
        }
        if asked != told {
            return Err(TellError::Count { asked, told });
        }
        let dim = self.active.iter().find(|(_, job)| job.chain.needs_gradient()).map(|(_, job)| job.chain.base().len());
        let (wanted, numbers) = (told * dim.unwrap_or(0), gradients.len());
        if dim.is_some() && wanted != numbers {
            return Err(TellError::Gradients { wanted, told: numbers });
        }
        self.asked = false;
        for (i, ((_, job), value)) in self.active.iter_mut().zip(values).enumerate() {
            let gradient = dim.map_or(&[][..], |dim| &gradients[i * dim..(i + 1) * dim]);
            job.error = job.tell(value, gradient, self.keep).err();
        }
        Ok(self.settle()?)
    }

    /// How the run has ended, and why; none while chains have questions.
    pub fn ending(&self) -> Option<(&Ending, &str)> {
        self.ended.as_ref().map(|finish| (&finish.ending, finish.reason.as_str()))
    }

    /// What `of` tells of each chain at this moment, in the order of the chains.
    pub fn each<T>(&self, of: impl Fn(&dyn AnyChain) -> T) -> Vec<T> {
        if let Some(finish) = &self.ended {
            return finish.jobs.iter().map(|job| of(&*job.chain)).collect();
        }
        let mut told: Vec<(usize, T)> = self.active.iter().map(|(index, job)| (*index, of(&*job.chain))).collect();
        self.queue.look(|index, job| told.push((index, of(&*job.chain))));
        told.sort_by_key(|(index, _)| *index);
        told.into_iter().map(|(_, told)| told).collect()
    }

    /// Everything the ensemble is at this moment, also between a question and its answer.
    pub fn save(&mut self) -> Result<SavedEnsemble, ChainError> {
        let save = |job: &Job<'a>| {
            let recorded = job.record.recorded();
            let recorded = recorded.map_err(|source| ChainError::Record { chain: job.chain.index(), source })?;
            Ok((job.chain.save(), recorded.into_owned()))
        };
        if let Some(finish) = &self.ended {
            let chains = finish.jobs.iter().map(save).collect::<Result<_, ChainError>>()?;
            return Ok(SavedEnsemble::new(chains, false, self.start.clone()));
        }
        let jobs = self.gather();
        let chains = jobs.iter().map(save).collect::<Result<_, ChainError>>();
        self.queue = Queue::new(jobs, true);
        self.settle()?;
        Ok(SavedEnsemble::new(chains?, self.asked, self.start.clone()))
    }

    /// What the run came to, also before its end.
    pub fn finish(mut self) -> Finish<'a> {
        self.ended.take().unwrap_or_else(|| {
            let jobs = self.gather();
            let (least, most) = made(&jobs, self.keep.thin);
            let (ending, reason) = stopped(least, most);
            Finish { jobs, ending, reason }
        })
    }

    /// Advances to the next question, or to the end.
    fn settle(&mut self) -> Result<(), ChainError> {
        while self.ended.is_none() {
            self.active.extend(std::iter::from_fn(|| self.queue.next_now()));
            self.active.sort_by_key(|(index, _)| *index);
            let failed = self.queue.has_failed();
            if failed || self.active.is_empty() {
                let mut jobs = self.gather();
                if !failed {
                    blame_waiting(&mut jobs);
                }
                self.stretch(jobs)?;
            } else if !self.rest() && !self.pass_over_overflows() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Gives back the jobs that have ended or wait, after which others may be ready. True if there was one.
    fn rest(&mut self) -> bool {
        let before = self.active.len();
        for (index, mut job) in std::mem::take(&mut self.active) {
            let done = job.end_turn(self.sampling, &|| false);
            if done || job.chain.waits() {
                self.queue.give_back(index, job, done);
            } else {
                self.active.push((index, job));
            }
        }
        self.active.len() < before
    }

    /// A point that overflowed has no value, and nobody is asked for it. True if there was one.
    fn pass_over_overflows(&mut self) -> bool {
        let mut any = false;
        for (_, job) in self.active.iter_mut().filter(|(_, job)| job.can_go_on(self.sampling)) {
            if !job.chain.ask().iter().all(|x| x.is_finite()) {
                job.error = job.tell(Err(EvalError::reject("there is no value")), &[], self.keep).err();
                any = true;
            }
        }
        any
    }

    /// All jobs, wherever they are.
    fn gather(&mut self) -> Vec<Job<'a>> {
        for (index, job) in std::mem::take(&mut self.active) {
            self.queue.give_back(index, job, true);
        }
        std::mem::replace(&mut self.queue, Queue::new(Vec::new(), true)).into_jobs()
    }

    /// From one question to the rule to the next; or the end.
    fn stretch(&mut self, mut jobs: Vec<Job<'a>>) -> Result<(), ChainError> {
        let next = match first_error(&mut jobs) {
            Some(error) => Err(ended_by(error)),
            None => next_draws(&mut *self.rule, &jobs),
        };
        match next {
            Ok(draws) => {
                self.sampling = draws.saturating_mul(self.keep.thin);
                self.queue = Queue::new(jobs, true);
                Ok(())
            }
            Err((Ending::Failed(error), reason)) if error.is_at_start() => {
                self.ended = Some(Finish { jobs, ending: Ending::Stopped, reason });
                Err(error)
            }
            Err((ending, reason)) => {
                self.ended = Some(Finish { jobs, ending, reason });
                Ok(())
            }
        }
    }
}
