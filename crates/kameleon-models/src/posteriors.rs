//! Posteriors of real data whose likelihood is known only through an unbiased estimate, as test problems for samplers.
//!
//! * [`Cbpp`]: cases of a cattle disease in 15 herds; a logistic regression with a random effect for each herd, integrated
//!   out by importance sampling.
//! * [`StochasticVolatility`]: daily returns whose variance is a latent process, integrated out by a particle filter.
//!
//! ```
//! use kameleon::{Control, Plan, Target, sample};
//! use kameleon_models::posteriors::Cbpp;
//!
//! let target = Cbpp::new(Cbpp::N_IMP)?;
//! assert_eq!(target.names(5), ["intercept", "period2", "period3", "period4", "log_sd"]);
//! let plan = Plan { warmup: 2_000, draws: 2_000, ..Plan::default() };
//! let run = sample(target, &[vec![-1.0, 0.0, 0.0, 0.0, 0.0]], &plan, Control::default())?;
//! println!("{}", run.summary());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Formulae, priors and sources are in `docs/models.md` and with the two types.

mod cbpp;
mod herd;
mod particle_filter;
mod stochastic_volatility;
mod table;

pub use cbpp::Cbpp;
pub use stochastic_volatility::StochasticVolatility;

use kameleon::target::TargetError;
use kameleon::{EvalError, Evaluation};

/// log N(x; 0, sd²)
fn log_normal(x: f64, sd: f64) -> f64 {
    -0.5 * (x / sd).powi(2) - sd.ln() - HALF_LN_TAU
}

/// ½ ln 2π
const HALF_LN_TAU: f64 = 0.918_938_533_204_672_8;

/// The largest number of samples for an estimate; more would need an unreasonable amount of memory.
const MOST_SAMPLES: usize = 1_000_000;

fn check_samples(target: &'static str, name: &str, samples: usize) -> Result<(), TargetError> {
    match samples {
        1..=MOST_SAMPLES => Ok(()),
        _ => Err(TargetError { target, what: format!("{name} must be from 1 to {MOST_SAMPLES}, not {samples}") }),
    }
}

/// Rejects a value that no log estimate can have; −∞, an estimate of zero, is allowed.
fn usable(log_estimate: f64) -> Evaluation {
    match log_estimate.is_nan() || log_estimate == f64::INFINITY {
        true => {
            Err(EvalError::reject("the estimate of the likelihood is not a number: these parameters are too extreme"))
        }
        false => Ok(log_estimate),
    }
}

/// For a point with the wrong number of coordinates.
fn wrong_length(wanted: usize, found: usize) -> EvalError {
    EvalError::fatal(format!("a point must have {wanted} coordinates, not {found}"))
}
