//! A run as users mean it: settings from a run file, a model with bounds, priors and starts, chains, a folder to resume
//! from, stopping rules, and runs on many machines that are merged.
//!
//! ```
//! use kameleon::Control;
//! use kameleon_runs::{Model, RunSettings, start};
//!
//! let settings = RunSettings::from_toml(
//!     r#"
//!     [model]
//!     log-density = "7*ln(rate) - 3*rate" # 7 events in 3 hours
//!     [parameters.rate]
//!     prior = "gamma(2, 1)"
//!     [run]
//!     warmup = 1000
//!     draws = 2000
//!     "#,
//!     "rate.toml",
//! )?;
//! let model = Model::open(&settings)?;
//! let finished = start(&settings, model, None, Control::default())?;
//! assert_eq!(finished.posterior.names, ["rate"]);
//! assert!(finished.posterior.chains[0].draws.points.iter().all(|rate| *rate > 0.0));
//! # Ok::<(), kameleon_runs::RunError>(())
//! ```
//!
//! Nothing here prints, reads the command line or ends the process: the program and the Python package are made of it.

pub mod atomic_file;
mod edges;
mod ensemble;
mod error;
mod exchange;
mod gp;
mod large;
mod load;
mod meeting;
mod merge;
mod model;
mod one_population;
pub mod output;
mod outside;
mod place;
mod prepare;
mod probe;
mod read;
mod registry;
mod remote;
mod reweight;
mod rule;
mod run;
mod runaway;
mod same_model;
mod search;
pub mod settings;
mod slopes;
mod starts;
mod status;
pub mod store;
mod stuck;
mod watch;

pub use ensemble::{Ensemble, Positions, Rows};
pub use error::RunError;
pub use gp::GpModel;
pub use kameleon_gp::GLASS;
pub use kameleon_models::posteriors;
pub use large::MOST_BYTES;
pub use load::{load, load_limited};
pub use merge::merge;
pub use model::Model;
pub use output::write_files;
pub use outside::{Outside, Resume};
pub use place::Finished;
pub use read::settings_of;
pub use registry::registry;
pub use remote::{RemoteError, RemoteRunner, run_task};
pub use reweight::{Parameter as ReweightedParameter, Reweighted, log_ratios, reweight};
pub use run::{resume, resume_on, start, start_on};
pub use settings::{RunSettings, SettingsError};
pub use status::{How, Status};
pub use stuck::LARGEST_SD;
pub use watch::watched;
