//! The jobs that threads take turns with, and where chains wait for the others of their group.

use super::Job;
use crate::any_chain::AnyChain;
use crate::pool;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A job and its place among all.
type Numbered<T, R> = (usize, Job<T, R>);

/// Teaches the chains of a group that can be taught.
fn teach<T, R>(group: &mut [Numbered<T, R>]) {
    group.sort_by_key(|(index, _)| *index);
    let mut chains: Vec<&mut dyn AnyChain> = group.iter_mut().map(|(_, job)| &mut *job.chain as _).collect();
    while pool::refresh(&mut chains) {}
}

/// Jobs that are ready, waiting for their group, or finished.
pub(super) struct Queue<T, R> {
    state: Mutex<State<T, R>>,
    changed: Condvar,
    /// The group of each job.
    groups: Vec<usize>,
}

struct State<T, R> {
    ready: VecDeque<Numbered<T, R>>,
    /// Chains that wait, group by group.
    waiting: Vec<Vec<Numbered<T, R>>>,
    finished: Vec<Numbered<T, R>>,
    /// How many jobs threads are busy with.
    busy: usize,
}

impl<T, R> Queue<T, R> {
    pub(super) fn new(jobs: Vec<Job<T, R>>) -> Self {
        let groups = pool::chain_groups(jobs.len());
        let mut jobs: Vec<Numbered<T, R>> = jobs.into_iter().enumerate().collect();
        // Of chains that were saved while they learned, some may wait for what others know already.
        jobs.chunk_by_mut(|(a, _), (b, _)| groups[*a] == groups[*b]).for_each(teach);
        let waiting = (0..=groups.last().copied().unwrap_or(0)).map(|_| Vec::new()).collect();
        let state = State { ready: jobs.into(), waiting, finished: Vec::new(), busy: 0 };
        Self { state: Mutex::new(state), changed: Condvar::new(), groups }
    }

    /// The lock, even after a panic elsewhere: what it guards are lists, never half changed.
    fn lock(&self) -> MutexGuard<'_, State<T, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job that is ready; none when there will be no more.
    pub(super) fn next(&self) -> Option<Numbered<T, R>> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.ready.pop_front() {
                state.busy += 1;
                return Some(job);
            }
            if state.busy == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes a job back after its turn. The last of a group to come to a refresh brings about that all learn.
    pub(super) fn give_back(&self, index: usize, job: Job<T, R>, done: bool) {
        let group = self.groups[index];
        let mut state = self.lock();
        if done {
            state.finished.push((index, job));
        } else if job.chain.waits() {
            state.waiting[group].push((index, job));
        } else {
            state.ready.push_back((index, job));
        }
        if state.waiting[group].len() == self.groups.iter().filter(|g| **g == group).count() {
            let mut members = std::mem::take(&mut state.waiting[group]);
            // Learning takes a while: other groups go on meanwhile.
            drop(state);
            teach(&mut members);
            state = self.lock();
            let (waiting, ready) = members.into_iter().partition(|(_, job)| job.chain.waits());
            state.waiting[group] = waiting;
            state.ready.extend::<Vec<_>>(ready);
        }
        state.busy -= 1;
        drop(state);
        self.changed.notify_all();
    }

    /// All jobs, in order.
    pub(super) fn into_jobs(self) -> Vec<Job<T, R>> {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut jobs = std::mem::take(&mut state.finished);
        jobs.extend(state.waiting.into_iter().flatten());
        jobs.sort_by_key(|(index, _)| *index);
        jobs.into_iter().map(|(_, job)| job).collect()
    }
}
