//! What a chain, or a group of chains, of a study is: everything that decides its draws.

use crate::named;
use kameleon::any_chain::AnyChain;
use kameleon::any_target::AnyTarget;
use kameleon::random::{Purpose, stream};
use kameleon::target::NO_GRADIENT;
use kameleon::{Choice, Plan, Sampler, Target, Warmup};
use kameleon_runs::settings::FromPrior;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// The number of chains in a group: they are run and judged together, and learn together if their sampler can.
pub const GROUP: usize = 4;

/// Where the chains of a study start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "start should be a number or \"prior\"")]
pub enum Start {
    /// At the point with all coordinates equal to this.
    At(f64),
    /// Each at a draw from the prior.
    Prior(FromPrior),
}

impl Default for Start {
    fn default() -> Self {
        Self::At(0.0)
    }
}

/// One chain or one group of chains: the key of the cache.
#[derive(Clone, Debug, Serialize)]
pub struct Spec {
    /// Draws may change with the version of the program.
    pub version: &'static str,
    pub target: Choice,
    pub dim: usize,
    pub start: Start,
    pub scatter: f64,
    /// The sampler, with what the target says about its bandwidth and variances.
    pub sampler: Sampler,
    pub warmup: u64,
    pub sampling: u64,
    pub thin: u64,
    pub seed: u64,
    /// Whether it is a group of [`GROUP`] chains, or a single chain.
    pub grouped: bool,
    /// The number of the chain or of the group, from 0.
    pub replicate: usize,
}

/// Chains, or groups of chains, that differ in their number only.
pub struct Replicates {
    /// The target's name in the study.
    pub target: String,
    /// The sampler's name in the study.
    pub sampler: String,
    /// The first of them.
    pub first: Spec,
    /// The number of chains or groups.
    pub count: usize,
}

impl Replicates {
    /// The spec of a replicate, from 0.
    pub fn spec(&self, replicate: usize) -> Spec {
        Spec { replicate, ..self.first.clone() }
    }
}

impl Spec {
    /// The number of chains: those of a group, or one.
    pub fn chains(&self) -> usize {
        if self.grouped { GROUP } else { 1 }
    }

    /// The iterations of each chain.
    pub fn iterations(&self) -> u64 {
        self.warmup + self.sampling
    }

    /// The key as text: equal keys, equal draws.
    pub fn key(&self) -> String {
        serde_json::to_string(self).expect("a spec is plain data")
    }

    /// The target, ready to be evaluated.
    pub fn build(&self) -> Result<AnyTarget<'static>, String> {
        named::build(&self.target).map_err(|error| error.to_string())
    }

    /// The trace of the target's covariance, if it is known.
    pub fn total_variance(&self) -> Option<f64> {
        Some(self.build().ok()?.known()?.total_variance())
    }

    /// An error if target, sampler and start do not fit together.
    pub fn check(&self) -> Result<(), String> {
        let target = self.build()?;
        match self.sampler.needs_gradient() && !target.has_gradient() {
            true => Err(NO_GRADIENT.into()),
            false => self.chain(target.normals(), 0).map(drop),
        }
    }

    /// The chain at its start; in a group, the member of this number, from 0.
    pub fn chain(&self, normals: usize, member: usize) -> Result<Box<dyn AnyChain>, String> {
        // Chains of different samplers and targets must not share their random numbers.
        let key = serde_json::to_string(&(&self.target, &self.sampler)).expect("plain data");
        let index = self.replicate * self.chains() + member;
        let plan = Plan {
            sampler: self.sampler.clone(),
            chains: self.chains(),
            warmup: Warmup::Iterations(self.warmup),
            draws: Some(self.sampling),
            seed: self.seed ^ hash(&key),
            ..Plan::default()
        };
        // The starts are the same for all samplers.
        let mut starts = stream(self.seed, index as u64, Purpose::Start);
        let mut start = match self.start {
            Start::At(x) => vec![x; self.dim],
            Start::Prior(_) => named::prior_draw(&self.target, &mut starts).map_err(|error| error.to_string())?,
        };
        start.iter_mut().for_each(|x| *x += self.scatter * starts.random_range(-1.0..1.0));
        plan.chain_at(index, &start, normals).map_err(|error| error.to_string())
    }
}

/// FNV-1a, for file names and seeds: stable for ever, which the standard hasher does not promise.
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
