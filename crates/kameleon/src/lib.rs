//! Kernel adaptive Metropolis-Hastings.

pub mod adapt;
pub mod any_chain;
pub mod bandwidth;
pub mod chain;
mod covariance;
pub mod diagnose;
pub mod history;
pub mod kernel;
pub mod linalg;
pub mod points;
pub mod proposal;
pub mod random;
pub mod record;
pub mod run;
pub mod sampler;
pub mod simd;
mod spread;
pub mod statistics;
mod subsample;
pub mod target;

pub use chain::{Chain, ChainSettings, Outcome, Step};
pub use kernel::Kernel;
pub use proposal::Proposal;
pub use random::Rng;
pub use run::{Control, Ending, Plan, Progress, Run, sample};
pub use sampler::{Length, Sampler};
pub use target::{EvalError, Evaluation, Known, Noise, Target};
