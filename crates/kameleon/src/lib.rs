//! Gradient-free sampling of awkward posteriors: bent, ring-shaped, badly scaled, noisy, or known only through a program
//! that returns a number.
//!
//! The heart is MCMC Kameleon (*Kernel Adaptive Metropolis-Hastings*, Sejdinovic, Strathmann, Lomeli Garcia, Andrieu and
//! Gretton, ICML 2014): the chain's past is embedded in a reproducing-kernel space, and its covariance there gives a
//! Gaussian proposal whose shape follows the target around the current point. All it needs are values of the log density,
//! or of an unbiased estimate of the density.
//!
//! ```
//! use kameleon::{Control, Plan, Sampler, Warmup, sample};
//!
//! // A twisted Gaussian: any closure of a point is a target.
//! let banana = |x: &[f64]| -x[0].powi(2) / 200.0 - (x[1] - 0.1 * (x[0].powi(2) - 100.0)).powi(2) / 2.0;
//!
//! let plan = Plan { sampler: Sampler::kamh_ls(), warmup: Warmup::Iterations(5_000), draws: Some(20_000), seed: 42, ..Plan::default() };
//! let run = sample(banana, &[vec![0.0, 0.0]], &plan, Control::default())?;
//!
//! println!("{}", run.summary()); // means, quantiles, effective sizes, R-hat, and what these two say in words
//! let first = &run.chains[0]; // its draws, one point after another, and what happened to it
//! assert_eq!(first.draws.points.len(), 2 * 20_000);
//! assert!((0.1..0.5).contains(&first.statistics.acceptance()));
//! # Ok::<(), kameleon::sampler::StartError>(())
//! ```
//!
//! # Where things are
//!
//! Data flows one way: [`target`] → [`chain`] (with a [`proposal`], which may use a [`kernel`]) → [`run`] → [`diagnose`].
//!
//! * A [`Target`] is a log density; built-in ones whose truth is [`Known`] serve to judge samplers.
//! * A [`Sampler`] is plain settings; it makes chains. The default is [`proposal::Kameleon`], a mixture of [`moves`]
//!   learned in its [`warmup`]; each of the paper's samplers is one
//!   [`Proposal`]: SM, AM-FS, AM-LS, AM-PCA, KAMH, KAMH-LS and PCA-Kameleon.
//! * Every sampler, kernel and target is an entry of the [`registry`], with its settings, their defaults and ranges.
//! * A [`Chain`] asks for a point and is told its log density; [`sample`] does that for many chains on threads.
//!   The same seed gives the same draws on any number of threads, interrupted and resumed or not.
//! * An [`ensemble`] asks for a point of every chain at once, for users who evaluate them on a scheduler of their own.
//! * A noisy target is sampled exactly, because the estimate at the current point is kept, never made anew
//!   (pseudo-marginal MCMC). Targets that are functions of standard normals ([`Target::normals`]) can be sampled by
//!   correlated pseudo-marginal chains ([`Plan::correlation`]).
//! * A [`population`] needs no start: from draws of a proper prior it finds modes and the evidence, and chains go on from there
//!   ([`sample_from_prior`]).
//! * Values that cannot be used (NaN, +∞) are rejected, counted and shown; see [`statistics::Statistics`].
//!
//! # What stays exact
//!
//! By default everything that is learned is frozen at the end of the warm-up, so the draws come from one fixed
//! Metropolis-Hastings kernel that leaves the target as it is. [`adapt::Until::Forever`] keeps learning.

pub mod adapt;
pub mod any_chain;
pub mod bandwidth;
pub mod chain;
pub mod circles;
mod covariance;
pub mod diagnose;
mod drift;
pub mod engine;
pub mod ensemble;
mod gradient_covariance;
pub mod handover;
pub mod history;
pub mod kernel;
pub mod learner;
mod length;
pub mod linalg;
pub mod mixture;
pub mod moves;
pub mod nearby;
mod normal_step;
pub mod plan;
pub mod points;
pub mod pool;
pub mod population;
pub mod proposal;
pub mod random;
pub mod record;
pub mod registry;
pub mod report;
pub mod run;
pub mod sampler;
pub mod simd;
pub mod statistics;
pub mod step;
pub mod target;
pub mod warmup;
pub mod words;

pub use chain::{Chain, ChainCore, ChainError, ChainSettings};
pub use engine::{Control, Ending, Ensemble, Progress};
pub use kernel::Kernel;
pub use length::Length;
pub use plan::{Plan, Warmup};
pub use proposal::Proposal;
pub use random::Rng;
pub use registry::{Choice, SettingsError};
pub use report::Report;
pub use run::{Run, resume, sample, sample_from, sample_from_prior};
pub use sampler::Sampler;
pub use statistics::Statistics;
pub use step::{Drawn, Outcome, Step};
pub use target::{EvalError, Evaluation, Known, Noise, Target, any_target};

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The example of the page about populations.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/population.md")]
struct PopulationPage;
