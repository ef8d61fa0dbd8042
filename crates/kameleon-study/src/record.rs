//! One chain of a study: what it is, and what is kept of it.

use crate::engine::Watch;
use crate::study::{self, Scale, TargetEntry};
use crate::team::{self, TEAM, TeamFigures};
use kameleon::any_chain::AnyChain;
use kameleon::any_target::AnyTarget;
use kameleon::diagnose::{mean_norm, quantile_deviations};
use kameleon::engine::{Engine, Job, Rule};
use kameleon::random::{Purpose, stream};
use kameleon::record::{Draw, Keep, Moment, RecordError, Recorded};
use kameleon::{ChainSettings, Choice, Control, Ending, Length, Sampler, Target};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// At how many lengths of the chain the truth is compared with.
pub const CHECKPOINTS: usize = 20;

/// Everything that decides what a chain draws: the key of the cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// Draws may change with the program.
    version: String,
    /// The target.
    pub target: Choice,
    /// Its dimension.
    pub dim: usize,
    start: f64,
    scatter: f64,
    /// Whether it is a team of chains that are run and judged together.
    team: bool,
    /// The sampler, fitted to the target.
    pub sampler: Sampler,
    warmup: u64,
    sampling: u64,
    thin: u64,
    seed: u64,
    chain: usize,
}

/// What is kept of a finished chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The share of accepted points after the burn-in.
    pub acceptance: f64,
    /// How long it took.
    pub seconds: f64,
    /// How far the first so many draws are from the truth, if that is known.
    pub checkpoints: Vec<Checkpoint>,
    /// The draws, one after another, if the truth is not known.
    pub draws: Vec<f64>,
    /// What is known of a team, whose chains have a checkpoint each: their ends.
    pub team: Option<TeamFigures>,
}

/// How far the draws up to here are from the truth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// How many iterations after the burn-in.
    pub iterations: u64,
    /// ‖mean of the draws − true mean‖
    pub mean_norm: f64,
    /// The deviations of the 0.1, …, 0.9-quantiles.
    pub deviations: [f64; 9],
}

impl Spec {
    /// A chain of a study's target; the sampler is fitted to it.
    pub fn of(target: &TargetEntry, sampler: &Sampler, scale: Scale, seed: u64) -> Self {
        let length = target.length(scale);
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            target: target.choice(),
            dim: target.dim,
            start: target.start,
            scatter: target.scatter,
            team: false,
            sampler: target.fit(sampler),
            warmup: length.warmup,
            sampling: length.sampling,
            thin: target.thin.at(scale),
            seed,
            chain: 0,
        }
    }

    /// The same for teams of chains.
    pub fn in_teams(self) -> Self {
        Self { team: true, ..self }
    }

    /// Iterations after the burn-in.
    pub fn sampling(&self) -> u64 {
        self.sampling
    }

    /// The same for another chain, or another team.
    pub fn chain_number(&self, chain: usize) -> Self {
        Self { chain, ..self.clone() }
    }

    /// How many iterations a chain makes.
    pub fn iterations(&self) -> u64 {
        self.warmup + self.sampling
    }

    /// How many iterations it makes in all.
    pub fn work(&self) -> u64 {
        self.iterations() * if self.team { TEAM as u64 } else { 1 }
    }

    /// The key as text: equal keys, equal draws.
    pub fn key(&self) -> String {
        serde_json::to_string(self).expect("a spec is plain data")
    }

    /// The target, ready to be evaluated.
    pub fn build(&self) -> Result<AnyTarget<'static>, String> {
        study::build(&self.target).map_err(|error| error.to_string())
    }

    /// An error if target, sampler and start do not fit together.
    pub fn check(&self) -> Result<(), String> {
        self.chain(self.build()?.normals(), 0).map(drop)
    }

    /// The chain at its start; of a team, its member of this number, from 0.
    fn chain(&self, normals: usize, member: usize) -> Result<Box<dyn AnyChain>, String> {
        // Chains of different samplers and targets must not share their random numbers.
        let key = serde_json::to_string(&(&self.target, &self.sampler)).expect("plain data");
        let index = if self.team { self.chain * TEAM + member } else { self.chain };
        let settings =
            ChainSettings { index, seed: self.seed ^ hash(&key), warmup: self.warmup, normals, correlation: 0.0 };
        let length = Length { warmup: self.warmup, sampling: self.sampling };
        // Starts are the same for all samplers.
        let mut starts = stream(self.seed, index as u64, Purpose::Start);
        let start: Vec<f64> =
            (0..self.dim).map(|_| self.start + self.scatter * starts.random_range(-1.0..1.0)).collect();
        self.sampler.chain(&start, settings, length).map_err(|error| error.to_string())
    }

    /// Runs the chain, or the chains of a team, to the end; none if `stop` was set before.
    pub fn run(&self, stop: &AtomicBool, watch: &dyn Watch) -> Result<Option<Record>, String> {
        let started = Instant::now();
        let members = if self.team { TEAM } else { 1 };
        let mut jobs = Vec::with_capacity(members);
        for member in 0..members {
            let target = self.build()?;
            let mut chain = self.chain(target.normals(), member)?;
            if self.team {
                chain.join();
            }
            jobs.push(Job::new(chain, Box::new(target), Watched { recorded: Recorded::default(), seen: 0, watch }));
        }
        let keep = Keep { thin: self.thin, warmup: false };
        let control = Control { stop: Some(stop), progress: None };
        let engine = Engine { keep, threads: Some(1), limit: None, runner: None, control };
        let finish = engine.run(jobs, &mut Rule::draws(self.sampling / self.thin, self.thin));
        let finish = finish.map_err(|error| error.to_string())?;
        match finish.ending {
            Ending::Complete => {}
            Ending::Stopped => return Ok(None),
            Ending::Failed(error) => return Err(error.to_string()),
        }
        let chains = finish.jobs.into_iter().map(Job::into_parts).collect::<Result<Vec<_>, _>>();
        let chains: Vec<Member> = chains.map_err(|error| error.to_string())?.into_iter().map(Member::of).collect();
        let (seconds, built) = (started.elapsed().as_secs_f64(), self.build()?);
        Ok(Some(if self.team {
            team::record(self, &built, &chains, seconds)
        } else {
            single(self, &built, chains, seconds)
        }))
    }
}

/// A chain that has ended, and its draws.
pub struct Member {
    /// The chain.
    pub chain: Box<dyn AnyChain>,
    /// Its draws, one point after another.
    pub draws: Vec<f64>,
}

impl Member {
    fn of((chain, recorded): (Box<dyn AnyChain>, Recorded)) -> Self {
        Self { chain, draws: recorded.draws.points }
    }
}

/// The record of a chain, which tells a watcher how far the chain is.
struct Watched<'a> {
    recorded: Recorded,
    seen: u64,
    watch: &'a dyn Watch,
}

impl kameleon::record::Record for Watched<'_> {
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

    fn into_recorded(self: Box<Self>) -> Result<Recorded, RecordError> {
        Ok(self.recorded)
    }
}

/// The record of a chain that is judged alone.
fn single(spec: &Spec, built: &AnyTarget<'_>, chains: Vec<Member>, seconds: f64) -> Record {
    let accepted: u64 = chains.iter().map(|member| member.chain.statistics().sampling.accepted).sum();
    let total: u64 = chains.iter().map(|member| member.chain.statistics().sampling.total()).sum();
    let draws = chains.into_iter().flat_map(|member| member.draws).collect();
    let acceptance = accepted as f64 / total as f64;
    let mut record = Record { acceptance, seconds, checkpoints: Vec::new(), draws, team: None };
    record.compare(spec, built);
    record
}

impl Record {
    /// Draws are kept only where there is no truth to compare with.
    fn compare(&mut self, spec: &Spec, built: &AnyTarget<'_>) {
        let Some(truth) = built.known() else { return };
        let (mean, dim) = (truth.mean(), spec.dim);
        let levels: Vec<f64> = self.draws.chunks(dim).map(|x| truth.level(x)).collect();
        let at = |count: usize| Checkpoint {
            iterations: count as u64 * spec.thin,
            mean_norm: mean_norm(&self.draws[..count * dim], &mean),
            deviations: quantile_deviations(&levels[..count]),
        };
        self.checkpoints = checkpoints(levels.len()).map(at).collect();
        self.draws = Vec::new();
    }
}

/// At most [`CHECKPOINTS`] equally spaced counts of draws, the last of them all.
pub fn checkpoints(count: usize) -> impl Iterator<Item = usize> {
    let pieces = CHECKPOINTS.min(count);
    (1..=pieces).map(move |k| k * count / pieces)
}

/// FNV-1a, for names of files and seeds of streams: stable for ever, which the standard hasher does not promise.
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
