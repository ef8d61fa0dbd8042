//! One chain of a study: what it is, and what is kept of it.

use crate::study::{self, Scale, TargetEntry};
use crate::team::{self, TEAM, TeamFigures};
use kameleon::any_chain::AnyChain;
use kameleon::any_target::AnyTarget;
use kameleon::diagnose::{mean_norm, quantile_deviations};
use kameleon::random::{Purpose, stream};
use kameleon::{ChainSettings, Choice, Length, Sampler, Step, Target};
use rand::RngExt;
use serde::{Deserialize, Serialize};
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

    /// Whether a step ends in a state that is counted.
    pub fn keeps(&self, step: &Step) -> bool {
        step.is_draw(self.thin)
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

    /// The chain at its start.
    pub fn chain(&self, built: &AnyTarget<'_>) -> Result<Box<dyn AnyChain>, String> {
        self.chain_at(built, 0)
    }

    /// A chain of a team at its start, from 0.
    pub fn chain_at(&self, built: &AnyTarget<'_>, member: usize) -> Result<Box<dyn AnyChain>, String> {
        // Chains of different samplers and targets must not share their random numbers.
        let key = serde_json::to_string(&(&self.target, &self.sampler)).expect("plain data");
        let index = if self.team { self.chain * TEAM + member } else { self.chain };
        let settings = ChainSettings {
            index,
            seed: self.seed ^ hash(&key),
            warmup: self.warmup,
            normals: built.normals(),
            correlation: 0.0,
        };
        let length = Length { warmup: self.warmup, sampling: self.sampling };
        // Starts are the same for all samplers.
        let mut starts = stream(self.seed, index as u64, Purpose::Start);
        let start: Vec<f64> =
            (0..self.dim).map(|_| self.start + self.scatter * starts.random_range(-1.0..1.0)).collect();
        self.sampler.chain(&start, settings, length).map_err(|error| error.to_string())
    }

    /// Runs the chain to its end; none if `go_on` said no. It is asked every so often, with the iterations made since.
    pub fn run(&self, go_on: impl Fn(u64) -> bool) -> Result<Option<Record>, String> {
        if self.team {
            return team::run(self, go_on);
        }
        const TURN: u64 = 64;
        let started = Instant::now();
        let mut built = self.build()?;
        let mut chain = self.chain(&built)?;
        let mut draws = Vec::with_capacity((self.sampling / self.thin) as usize * self.dim);
        for t in 1..=self.iterations() {
            let step = chain.step(&mut built).map_err(|error| error.to_string())?;
            if !step.warm && (t - self.warmup).is_multiple_of(self.thin) {
                draws.extend_from_slice(chain.position());
            }
            if t.is_multiple_of(TURN) && !go_on(TURN) {
                return Ok(None);
            }
        }
        go_on(self.iterations() % TURN);
        let counts = &chain.statistics().sampling;
        let mut record = Record {
            acceptance: counts.accepted as f64 / counts.total() as f64,
            seconds: started.elapsed().as_secs_f64(),
            checkpoints: Vec::new(),
            draws,
            team: None,
        };
        record.compare(self, &built);
        Ok(Some(record))
    }
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
