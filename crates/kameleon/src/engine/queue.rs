//! The jobs that threads take turns with, and where chains wait for the others of their group.

use super::Job;
use crate::any_chain::AnyChain;
use crate::pool;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A job and its place among all.
pub(super) type Numbered<'a> = (usize, Job<'a>);

/// Jobs that are ready, waiting for their group, or finished.
pub(super) struct Queue<'a> {
    state: Mutex<State<'a>>,
    changed: Condvar,
    failed: AtomicBool,
    /// The group of each job.
    groups: Vec<usize>,
}

struct State<'a> {
    ready: VecDeque<Numbered<'a>>,
    /// Chains that wait, group by group.
    waiting: Vec<Vec<Numbered<'a>>>,
    finished: Vec<Numbered<'a>>,
    /// The number of jobs that threads are busy with.
    busy: usize,
}

impl<'a> Queue<'a> {
    pub(super) fn new(jobs: Vec<Job<'a>>) -> Self {
        let groups = pool::chain_groups(jobs.len());
        let mut jobs: Vec<Numbered<'a>> = jobs.into_iter().enumerate().collect();
        // Of chains that were saved while they learned, some may wait for what others know already.
        let groups_of_jobs = jobs.chunk_by_mut(|(a, _), (b, _)| groups[*a] == groups[*b]);
        let failures = groups_of_jobs.map(refresh).filter(|whole| !whole).count();
        let waiting = (0..=groups.last().copied().unwrap_or(0)).map(|_| Vec::new()).collect();
        let (ready, finished) = if failures == 0 { (jobs.into(), Vec::new()) } else { (VecDeque::new(), jobs) };
        let state = State { ready, waiting, finished, busy: 0 };
        Self { state: Mutex::new(state), changed: Condvar::new(), failed: AtomicBool::new(failures > 0), groups }
    }

    /// The lock, even after a panic elsewhere: what it guards are lists, never half changed.
    fn lock(&self) -> MutexGuard<'_, State<'a>> {
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
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The next job that is ready, if one is.
    pub(super) fn next_now(&self) -> Option<Numbered<'a>> {
        let mut state = self.lock();
        let job = state.ready.pop_front()?;
        state.busy += 1;
        Some(job)
    }

    /// Takes a job back after its turn. The last of a group to come to a refresh has the whole group refreshed.
    pub(super) fn give_back(&self, index: usize, job: Job<'a>, done: bool) {
        let group = self.groups[index];
        let mut state = self.lock();
        if job.error.is_some() {
            self.failed.store(true, Ordering::Relaxed);
        }
        if done {
            state.finished.push((index, job));
        } else if job.chain.waits() {
            state.waiting[group].push((index, job));
        } else {
            state.ready.push_back((index, job));
        }
        if state.waiting[group].len() == self.groups.iter().filter(|g| **g == group).count() {
            let mut members = std::mem::take(&mut state.waiting[group]);
            // Learning takes a while: other groups continue meanwhile.
            drop(state);
            let whole = refresh(&mut members);
            state = self.lock();
            if whole {
                let (waiting, ready) = members.into_iter().partition(|(_, job)| job.chain.waits());
                state.waiting[group] = waiting;
                state.ready.extend::<Vec<_>>(ready);
            } else {
                self.failed.store(true, Ordering::Relaxed);
                state.finished.extend(members);
            }
        }
        state.busy -= 1;
        drop(state);
        self.changed.notify_all();
    }

    /// All jobs, in order.
    pub(super) fn into_jobs(self) -> Vec<Job<'a>> {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut jobs = std::mem::take(&mut state.finished);
        jobs.extend(state.waiting.into_iter().flatten());
        jobs.sort_by_key(|(index, _)| *index);
        jobs.into_iter().map(|(_, job)| job).collect()
    }
}

/// Refreshes the chains of a group that can be; false after a panic, which ends every job of the group.
fn refresh(group: &mut [Numbered<'_>]) -> bool {
    group.sort_by_key(|(index, _)| *index);
    let learned = catch_unwind(AssertUnwindSafe(|| {
        let mut chains: Vec<&mut dyn AnyChain> = group.iter_mut().map(|(_, job)| &mut *job.chain as _).collect();
        while pool::refresh(&mut chains) {}
    }));
    learned.map_err(|panic| group.iter_mut().for_each(|(_, job)| job.fail(&*panic))).is_ok()
}
