//! Log densities from outside Rust as targets of `kameleon`: expressions, programs in any language, shared libraries
//! and UM-Bridge servers; with bounds and priors for any target.
//!
//! ```
//! use kameleon::{Control, Plan, Warmup, sample};
//! use kameleon_models::{Bound, Bounded, Expression, Prior, WithPrior};
//!
//! let names = ["rate".to_string()];
//! let likelihood = Expression::new("7*ln(rate) - 3*rate", &names)?; // 7 events in 3 hours
//! let posterior = WithPrior::new(likelihood, vec![Some("gamma(2, 1)".parse::<Prior>()?)])?;
//! let target = Bounded::new(posterior, vec![Bound::above(0.0)?])?; // sampled through the logarithm
//!
//! let start = target.to_unbounded(&[1.0])?;
//! let plan = Plan { warmup: Warmup::Iterations(1_000), draws: Some(1_000), ..Plan::default() };
//! let run = sample(target.clone(), &[start], &plan, Control::default())?;
//!
//! let mut rate = [0.0];
//! target.to_bounded(&run.chains[0].draws.points[..1], &mut rate); // in the user's units again
//! assert!(rate[0] > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A model's replies are not trusted: each is bounded in size, nesting depth and time.

pub mod batch;
mod bounds;
pub mod error;
pub mod expression;
mod failure_budget;
mod from_prior;
pub mod library;
pub mod noise;
mod number;
mod plain_words;
pub mod posteriors;
pub mod prior;
#[cfg(unix)]
pub mod program;
mod reply;
pub mod umbridge;

pub use bounds::{Bound, Bounded};
pub use error::ModelError;
pub use expression::Expression;
pub use from_prior::Likelihood;
pub use library::{LibrarySettings, SharedLibrary};
pub use noise::NoiseInput;
pub use plain_words::plain_words;
pub use prior::{JointPrior, Prior, WithPrior};
#[cfg(unix)]
pub use program::{Program, ProgramSettings};
pub use umbridge::{UmBridge, UmBridgeSettings};
