//! Runs the chains of a study on all threads, each once: finished ones come from the cache.

use crate::StudyError;
use crate::cache::Cache;
use crate::record::Record;
use crate::settings::{Settings, Watch};
use crate::spec::{Replicates, Spec};
use crate::stopwatch::Stopwatch;
use kameleon::any_chain::AnyChain;
use kameleon::engine::{Engine, Job, Rule};
use kameleon::record::{self, Draw, Keep, Moment, RecordError, Recorded};
use kameleon::{Control, Ending, Target};
use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Runs chains, or finds them in the cache.
pub struct Scheduler<'a> {
    cache: Cache,
    pub settings: &'a Settings<'a>,
}

impl<'a> Scheduler<'a> {
    /// With a cache in the folder of the results.
    pub fn new(settings: &'a Settings<'a>) -> Result<Self, StudyError> {
        Ok(Self { cache: Cache::open(&settings.out.join("cache"))?, settings })
    }

    /// The records of all replicates, in order, from the cache or run now.
    pub fn run(&self, what: &str, all: &[Replicates]) -> Result<Vec<Vec<Record>>, StudyError> {
        let most = all.iter().map(|replicates| replicates.count).max().unwrap_or(0);
        // One replicate of each in turn, so that the time left can be estimated from the time taken.
        let turn = |number: usize| {
            all.iter().enumerate().filter(move |(_, r)| number < r.count).map(move |(k, _)| (k, number))
        };
        let jobs: Vec<(usize, usize)> = (0..most).flat_map(turn).collect();
        let records: Vec<Mutex<Option<Record>>> =
            jobs.iter().map(|(k, number)| Mutex::new(self.cache.get(&all[*k].spec(*number)))).collect();
        let ahead: Vec<usize> = (0..jobs.len()).filter(|job| lock(&records[*job]).is_none()).collect();
        let work = |job: &usize| {
            let spec = &all[jobs[*job].0].first;
            spec.iterations() * spec.chains() as u64
        };
        let watch = self.settings.watch;
        watch.begin(what, ahead.iter().map(work).sum(), jobs.len() - ahead.len(), jobs.len());
        let done = self.work(&ahead, |job| {
            let (k, number) = jobs[job];
            *lock(&records[job]) = Some(self.replicate(&all[k], number)?);
            Ok(())
        });
        watch.end();
        done?;
        let mut sorted: Vec<Vec<Record>> = all.iter().map(|_| Vec::new()).collect();
        for ((k, _), record) in jobs.iter().zip(records) {
            sorted[*k].extend(record.into_inner().unwrap_or_else(PoisonError::into_inner));
        }
        Ok(sorted)
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
            for _ in 1..self.settings.threads.min(jobs.len()) {
                scope.spawn(worker);
            }
            worker();
        });
        error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    fn replicate(&self, replicates: &Replicates, number: usize) -> Result<Record, StudyError> {
        let spec = replicates.spec(number);
        let (target, sampler) = (replicates.target.clone(), replicates.sampler.clone());
        let record = record(&spec, self.settings).map_err(|what| StudyError::Chain { target, sampler, what })?;
        let record = record.ok_or(StudyError::Stopped)?;
        self.cache.put(&spec, record.clone())?;
        Ok(record)
    }
}

/// Chains that have ended, with their draws.
pub type Chains = Vec<(Box<dyn AnyChain>, Recorded)>;

/// What is kept of a chain, or of the chains of a group; none if the run was stopped before its end.
fn record(spec: &Spec, settings: &Settings<'_>) -> Result<Option<Record>, String> {
    let watch = Stopwatch::start();
    let Some(chains) = run(spec, settings)? else { return Ok(None) };
    Ok(Some(Record::new(spec, &spec.build()?, &chains, watch.seconds())))
}

/// Runs a chain, or the chains of a group, to the end, on this thread alone; none if the run was stopped before.
pub fn run(spec: &Spec, settings: &Settings<'_>) -> Result<Option<Chains>, String> {
    let target = spec.build()?;
    let job = |member: usize| {
        let record = Watched { recorded: Recorded::default(), seen: 0, watch: settings.watch };
        Ok(Job::new(spec.chain(target.normals(), member)?, Box::new(spec.build()?), record))
    };
    let jobs = (0..spec.chains()).map(job).collect::<Result<Vec<_>, String>>()?;
    let keep = Keep { thin: spec.thin, warmup: false, jumps: false };
    let control = Control { stop: Some(settings.stop), ..Control::default() };
    let engine = Engine { keep, threads: Some(1), limit: None, runner: None, control };
    let finish = engine.run(jobs, &mut Rule::draws(spec.sampling / spec.thin, spec.thin));
    let finish = finish.map_err(|error| error.to_string())?;
    match finish.ending {
        Ending::Complete | Ending::Limited => {}
        Ending::Stopped => return Ok(None),
        Ending::Failed(error) => return Err(error.to_string()),
    }
    let chains = finish.jobs.into_iter().map(Job::into_parts).collect::<Result<Chains, _>>();
    chains.map(Some).map_err(|error| error.to_string())
}

/// The draws of a chain, which tells a watcher how far it is.
struct Watched<'a> {
    recorded: Recorded,
    seen: u64,
    watch: &'a dyn Watch,
}

impl record::Record for Watched<'_> {
    fn push(&mut self, draw: Draw<'_>) -> Result<(), RecordError> {
        self.recorded.push(draw);
        Ok(())
    }

    fn save(&mut self, chain: &dyn AnyChain, _moment: Moment) -> Result<(), RecordError> {
        self.watch.advance(chain.iterations() - self.seen);
        self.seen = chain.iterations();
        Ok(())
    }

    fn recorded(&self) -> Result<Cow<'_, Recorded>, RecordError> {
        Ok(Cow::Borrowed(&self.recorded))
    }
}

/// The lock, even after a panic elsewhere: what it guards is never half changed.
fn lock<V>(mutex: &Mutex<V>) -> MutexGuard<'_, V> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
