//! Chains that are run elsewhere, a piece at a time: a chain goes out as bytes, and comes back as bytes with what it drew.
//!
//! The run itself stays here: chains are taught, draws recorded, rules checked. A piece follows from the chain it begins
//! with, so that one that was lost can be done again, anywhere, with the same result.

use crate::error::RunError;
use crate::prepare::{ChainTarget, Prepared};
use crate::record::{MemoryRecord, Raw, RunRecord};
use crate::settings::RunSettings;
use kameleon::any_chain::SavedChain;
use kameleon::any_target::AnyTarget;
use kameleon::chain::ChainError;
use kameleon::record::RecordError;
use kameleon::run::Job;
use kameleon::{Control, Target};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::time::{Duration, Instant};

/// Where pieces of a run are sent: to other processes, or machines.
pub trait Elsewhere: Sync {
    /// Has a piece of a chain done there by [`work`], and brings back what that returned; none if it was stopped before.
    fn send(&self, chain: usize, piece: Vec<u8>, stop: &dyn Fn() -> bool) -> Result<Option<Vec<u8>>, Trouble>;

    /// How long a piece may take: what is lost with it is computed again.
    fn patience(&self) -> Duration;
}

/// Why a piece could not be done.
pub type Trouble = Box<dyn Error + Send + Sync>;

/// What is sent.
#[derive(Serialize, Deserialize)]
struct Piece {
    version: String,
    settings: String,
    chain: SavedChain,
    end: u64,
    time: Duration,
}

/// What comes back.
#[derive(Serialize, Deserialize)]
struct Done {
    chain: SavedChain,
    raw: Raw,
    failure: Option<Failure>,
}

/// An error of a chain that can travel.
#[derive(Serialize, Deserialize)]
enum Failure {
    Start { point: Vec<f64>, why: String },
    Fatal { t: u64, point: Vec<f64>, why: String },
}

/// Does a piece of a run on another process or machine than the one that it belongs to. `target` is what is sampled.
pub fn work<T>(piece: &[u8], target: T, control: Control<'_>) -> Result<Vec<u8>, RunError>
where
    T: Target + Clone + Send,
{
    work_any(piece, AnyTarget::new(target), control)
}

fn work_any(piece: &[u8], target: AnyTarget<'_>, control: Control<'_>) -> Result<Vec<u8>, RunError> {
    // The version alone is understood by all of them.
    let version: String = postcard::take_from_bytes(piece).map_err(garbled)?.0;
    let here = env!("CARGO_PKG_VERSION");
    if version != here {
        return Err(RunError::Piece(format!("it was sent by version {version} of kameleon, and here is {here}")));
    }
    let Piece { settings, chain, end, time, .. } = read(piece)?;
    let settings = RunSettings::from_toml(&settings, "the settings of the run")?;
    let prepared = Prepared::new(&settings, target)?;
    let record = MemoryRecord::new(prepared.keep());
    let mut job = Job::new(chain.resume()?, prepared.target, record);
    job.run_alone(end, time, control);
    let failure = job.error.take().map(|error| Failure::of(error, &job));
    write(&Done { chain: job.chain.save(), raw: job.record.raw, failure })
}

/// A run whose chains are run elsewhere.
pub struct Away<'a> {
    elsewhere: &'a dyn Elsewhere,
    settings: String,
    deadline: Option<Instant>,
}

impl<'a> Away<'a> {
    /// A run with these settings, which are complete, that begins now.
    pub fn new(settings: &RunSettings, elsewhere: &'a dyn Elsewhere) -> Result<Self, RunError> {
        let deadline = settings.run.max_minutes.map(|minutes| Instant::now() + Duration::from_secs_f64(60.0 * minutes));
        Ok(Self { elsewhere, settings: settings.to_toml()?, deadline })
    }

    /// Has the next piece of a chain done.
    pub fn advance(
        &self,
        job: &mut Job<ChainTarget<'_>, RunRecord>,
        end: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), ChainError> {
        if job.chain.waits() || job.chain.iterations() >= end || stop() {
            return Ok(());
        }
        let lost = |source: Trouble| {
            let (t, point) = (job.chain.iterations(), job.chain.position().to_vec());
            ChainError::Fatal { chain: job.chain.index(), t, point, source }
        };
        let Some(done) = self.fetch(job, end, stop).map_err(lost)? else { return Ok(()) };
        job.chain = done.chain.resume()?;
        record(&mut job.record, done.raw, job.chain.position().len()).map_err(|error| job.unrecorded(error))?;
        done.failure.map_or(Ok(()), |failure| Err(failure.error(job.chain.index())))
    }

    fn fetch(
        &self,
        job: &Job<ChainTarget<'_>, RunRecord>,
        end: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Done>, Trouble> {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let time = self.elsewhere.patience().min(left.unwrap_or(Duration::MAX));
        let (version, settings) = (env!("CARGO_PKG_VERSION").into(), self.settings.clone());
        let piece = write(&Piece { version, settings, chain: job.chain.save(), end, time })?;
        let done = self.elsewhere.send(job.chain.index(), piece, stop)?;
        Ok(done.map(|bytes| read(&bytes)).transpose()?)
    }
}

/// Draws from elsewhere, as if they had been made here.
fn record(record: &mut RunRecord, raw: Raw, dim: usize) -> Result<(), RecordError> {
    for entry in raw.entries(dim) {
        record.push(entry)?;
    }
    Ok(())
}

impl Failure {
    fn of<T, R>(error: ChainError, job: &Job<T, R>) -> Self {
        match error {
            ChainError::Start { point, why, .. } => Self::Start { point, why },
            ChainError::Fatal { t, point, source, .. } => Self::Fatal { t, point, why: source.to_string() },
            other => {
                let (t, point) = (job.chain.iterations(), job.chain.position().to_vec());
                Self::Fatal { t, point, why: other.to_string() }
            }
        }
    }

    fn error(self, chain: usize) -> ChainError {
        match self {
            Self::Start { point, why } => ChainError::Start { chain, point, why },
            Self::Fatal { t, point, why } => ChainError::Fatal { chain, t, point, source: why.into() },
        }
    }
}

fn write(value: &impl Serialize) -> Result<Vec<u8>, RunError> {
    postcard::to_stdvec(value).map_err(|error| RunError::Piece(format!("it cannot be sent: {error}")))
}

fn read<V: DeserializeOwned>(bytes: &[u8]) -> Result<V, RunError> {
    postcard::from_bytes(bytes).map_err(garbled)
}

fn garbled(error: postcard::Error) -> RunError {
    RunError::Piece(format!("what was sent cannot be understood: {error}"))
}
