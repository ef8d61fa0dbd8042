//! The jobs that threads take turns with, and where chains wait for the others that they learn with.

use super::Job;
use crate::chain::said;
use crate::pool::{Board, NextFit};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A job and its place among all.
pub(super) type Numbered<'a> = (usize, Job<'a>);

/// Jobs that are ready, waiting for the others, or finished.
pub(super) struct Queue<'a> {
    state: Mutex<State<'a>>,
    /// A job is ready for one of the threads that wait, or there will be no more for any.
    is_ready: Condvar,
    failed: AtomicBool,
}

struct State<'a> {
    ready: VecDeque<Numbered<'a>>,
    waiting: Vec<Numbered<'a>>,
    finished: Vec<Numbered<'a>>,
    /// The number of jobs that threads are busy with.
    busy: usize,
    board: Board,
    /// Whether chains learn from each other here.
    learns: bool,
    /// Whether a thread looks after those that wait.
    is_served: bool,
    /// What a panic said while the chains learned.
    broken: Option<String>,
}

type Guard<'q, 'a> = MutexGuard<'q, State<'a>>;

impl<'a> Queue<'a> {
    /// `learns`: chains learn from each other here, and not elsewhere.
    pub(super) fn new(jobs: Vec<Job<'a>>, learns: bool) -> Self {
        let mut board = Board::new(jobs.len());
        // Chains that were saved while they learned bring what they had brought before.
        for (index, job) in jobs.iter().enumerate() {
            job.chain.learner().into_iter().for_each(|learner| board.bring(index, learner));
        }
        let (ready, waiting, finished) = (VecDeque::new(), Vec::new(), Vec::new());
        let mut state = State { ready, waiting, finished, busy: 0, board, learns, is_served: false, broken: None };
        jobs.into_iter().enumerate().for_each(|(index, job)| state.put(index, job));
        let queue = Self { state: Mutex::new(state), is_ready: Condvar::new(), failed: AtomicBool::new(false) };
        drop(queue.serve(queue.lock()));
        queue
    }

    /// The lock, even after a panic elsewhere: what it guards are lists, never half changed.
    fn lock(&self) -> Guard<'_, 'a> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a job has failed, so that all others should stop.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// The next job that is ready; none when there will be no more.
    pub(super) fn next(&self) -> Option<Numbered<'a>> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.ready.pop_front() {
                state.busy += 1;
                return Some(job);
            }
            if state.busy == 0 {
                return None;
            }
            state = self.is_ready.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The next job that is ready, if one is.
    pub(super) fn next_now(&self) -> Option<Numbered<'a>> {
        let mut state = self.lock();
        let job = state.ready.pop_front()?;
        state.busy += 1;
        Some(job)
    }

    /// Takes a job back after its turn. If the chains can learn now, they do.
    pub(super) fn give_back(&self, index: usize, mut job: Job<'a>, done: bool) {
        let mut state = self.lock();
        if let Some(said) = state.broken.clone().filter(|_| job.error.is_none()) {
            job.fail_saying(said);
        }
        if done || job.error.is_some() {
            self.finish(&mut state, index, job);
        } else {
            if let Some(learner) = job.chain.learner().filter(|learner| learner.waits() && !learner.runs_ahead()) {
                state.board.bring(index, learner);
            }
            self.put(&mut state, index, job);
        }
        state = self.serve(state);
        state.busy -= 1;
        if state.busy == 0 && state.ready.is_empty() {
            self.is_ready.notify_all();
        }
    }

    /// Puts a job that is not done where it belongs, and wakes a thread if it is ready. Waking all would cost as many wakes as there
    /// are threads for each of as many jobs.
    fn put(&self, state: &mut State<'a>, index: usize, job: Job<'a>) {
        let before = state.ready.len();
        state.put(index, job);
        if state.ready.len() > before {
            self.is_ready.notify_one();
        }
    }

    fn finish(&self, state: &mut State<'a>, index: usize, job: Job<'a>) {
        if job.error.is_some() {
            self.failed.store(true, Ordering::Relaxed);
        }
        state.finished.push((index, job));
    }

    /// Gives chains what they wait for, and has them learn, until there is nothing to do. Both take a while, in which the other
    /// threads go on.
    fn serve<'q>(&'q self, mut state: Guard<'q, 'a>) -> Guard<'q, 'a> {
        if !state.learns || std::mem::replace(&mut state.is_served, true) {
            return state;
        }
        loop {
            let State { waiting, board, .. } = &mut *state;
            let given: Vec<Numbered<'a>> = waiting.extract_if(.., |(_, job)| board.has_fit_for(&*job.chain)).collect();
            if !given.is_empty() {
                state = self.give(state, given);
            } else if let Some(next) = board.next_fit() {
                state = self.learn(state, &next);
            } else {
                state.is_served = false;
                return state;
            }
        }
    }

    /// Gives chains the fit that they wait for. One that runs ahead is saved before others can learn from what it brings.
    fn give<'q>(&'q self, state: Guard<'q, 'a>, mut given: Vec<Numbered<'a>>) -> Guard<'q, 'a> {
        let fit = state.board.fit();
        drop(state);
        given.iter_mut().zip(fit.iter().cycle()).for_each(|((_, job), fit)| job.learn(fit));
        let mut state = self.lock();
        for (index, job) in given {
            if job.error.is_some() {
                self.finish(&mut state, index, job);
                continue;
            }
            job.chain.learner().into_iter().for_each(|learner| state.board.bring(index, learner));
            self.put(&mut state, index, job);
        }
        state
    }

    /// Works out the next fit. A panic ends every job.
    fn learn<'q>(&'q self, state: Guard<'q, 'a>, next: &NextFit) -> Guard<'q, 'a> {
        drop(state);
        let learned = catch_unwind(AssertUnwindSafe(|| next.work_out()));
        let mut state = self.lock();
        match learned {
            Ok(Some(fit)) => state.board.publish(next.number, fit),
            Ok(None) => state.board.clear(),
            Err(panic) => {
                let said = said(&*panic);
                state.board.clear();
                for (index, mut job) in std::mem::take(&mut state.waiting) {
                    job.fail_saying(said.clone());
                    self.finish(&mut state, index, job);
                }
                state.broken = Some(said);
                self.failed.store(true, Ordering::Relaxed);
            }
        }
        state
    }

    /// Looks at each job that nobody is busy with.
    pub(super) fn look(&self, mut at: impl FnMut(usize, &Job<'a>)) {
        let state = self.lock();
        state.ready.iter().chain(&state.waiting).chain(&state.finished).for_each(|(index, job)| at(*index, job));
    }

    /// All jobs, in order.
    pub(super) fn into_jobs(self) -> Vec<Job<'a>> {
        let State { ready, waiting, finished, .. } = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut jobs: Vec<Numbered<'a>> = finished.into_iter().chain(ready).chain(waiting).collect();
        jobs.sort_by_key(|(index, _)| *index);
        jobs.into_iter().map(|(_, job)| job).collect()
    }
}

impl<'a> State<'a> {
    /// Puts a job that is not done where it belongs.
    fn put(&mut self, index: usize, job: Job<'a>) {
        if self.learns && job.chain.waits() {
            self.waiting.push((index, job));
        } else {
            self.ready.push_back((index, job));
        }
    }
}
