//! Runs the chains of a study on all threads, each once.

use crate::StudyError;
use crate::cache::Cache;
use crate::record::{Record, Spec};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Somebody who watches the run.
pub trait Watch: Sync {
    /// So many iterations are ahead, after those of chains that are in the cache.
    fn begin(&self, what: &str, iterations: u64, reused: usize, chains: usize);
    /// So many more are done.
    fn advance(&self, iterations: u64);
    /// All are done.
    fn end(&self);
}

/// Nobody.
impl Watch for () {
    fn begin(&self, _what: &str, _iterations: u64, _reused: usize, _chains: usize) {}
    fn advance(&self, _iterations: u64) {}
    fn end(&self) {}
}

/// What runs the chains.
pub struct Engine<'a> {
    /// Where finished chains are.
    pub cache: Cache,
    /// How many threads.
    pub threads: usize,
    /// Set it, and the run stops.
    pub stop: &'a AtomicBool,
    /// Who is told.
    pub watch: &'a dyn Watch,
}

/// Chains that differ in nothing but their number.
pub struct Group {
    /// The target's name.
    pub target: String,
    /// The sampler's name.
    pub sampler: String,
    /// The first of them.
    pub spec: Spec,
    /// How many.
    pub chains: usize,
}

impl Engine<'_> {
    /// The records of each group, in order of chains, from the cache or run now.
    pub fn run(&self, what: &str, groups: &[Group]) -> Result<Vec<Vec<Record>>, StudyError> {
        let most = groups.iter().map(|group| group.chains).max().unwrap_or(0);
        // One chain of each group in turn, so that the time left can be told from the time taken.
        let turn = |chain: usize| (0..groups.len()).map(move |group| (group, chain));
        let all: Vec<(usize, usize)> =
            (0..most).flat_map(turn).filter(|(g, chain)| *chain < groups[*g].chains).collect();
        let slots: Vec<Mutex<Option<Record>>> = all
            .iter()
            .map(|(group, chain)| Mutex::new(self.cache.get(&groups[*group].spec.chain_number(*chain))))
            .collect();
        let ahead: Vec<usize> = (0..all.len()).filter(|job| lock(&slots[*job]).is_none()).collect();
        let iterations = ahead.iter().map(|job| groups[all[*job].0].spec.work()).sum();
        self.watch.begin(what, iterations, all.len() - ahead.len(), all.len());
        let result = self.work(&ahead, |job| {
            let (group, chain) = all[job];
            let record = self.chain(&groups[group], chain)?;
            *lock(&slots[job]) = Some(record);
            Ok(())
        });
        self.watch.end();
        result?;
        let mut records: Vec<Vec<Record>> = groups.iter().map(|_| Vec::new()).collect();
        for ((group, _), slot) in all.iter().zip(slots) {
            let record = slot.into_inner().unwrap_or_else(PoisonError::into_inner);
            records[*group].extend(record);
        }
        Ok(records)
    }

    /// Does all jobs on all threads. After the first error no new job is begun.
    fn work(&self, jobs: &[usize], job: impl Fn(usize) -> Result<(), StudyError> + Sync) -> Result<(), StudyError> {
        let next = AtomicUsize::new(0);
        let error = Mutex::new(None);
        let worker = || {
            while let Some(index) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(what) = job(*index) {
                    next.store(jobs.len(), Ordering::Relaxed);
                    lock(&error).get_or_insert(what);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads.min(jobs.len()) {
                scope.spawn(worker);
            }
            worker();
        });
        error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    fn chain(&self, group: &Group, chain: usize) -> Result<Record, StudyError> {
        let spec = group.spec.chain_number(chain);
        let (target, sampler) = (group.target.clone(), group.sampler.clone());
        let record = spec.run(self.stop, self.watch).map_err(|what| StudyError::Chain { target, sampler, what })?;
        let record = record.ok_or(StudyError::Stopped)?;
        self.cache.put(&spec, record.clone())?;
        Ok(record)
    }
}

/// The lock, even after a panic elsewhere: what it guards is never half changed.
fn lock<V>(mutex: &Mutex<V>) -> MutexGuard<'_, V> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
