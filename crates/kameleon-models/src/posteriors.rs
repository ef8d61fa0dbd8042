//! Posteriors of real data, as test problems for samplers.
//!
//! [`EXACT`] has those whose log density can be computed, each as a likelihood with a proper prior for each parameter:
//!
//! ```
//! use kameleon_models::posteriors;
//!
//! let schools = posteriors::exact("eight-schools").ok_or("not there")?;
//! assert_eq!(schools.parameters[1], ("tau", "half-cauchy(5)"));
//! let target = schools.posterior()?; // on the unbounded space, ready to be sampled
//! assert_eq!(target.bounds()[1].lower(), Some(0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`NOISY`] has those whose likelihood is known only through an unbiased estimate, with the prior in the density:
//!
//! * [`Cbpp`]: cases of a cattle disease in 15 herds; a logistic regression with a random effect for each herd, integrated
//!   out by importance sampling.
//! * [`StochasticVolatility`]: daily returns whose variance is a latent process, integrated out by a particle filter.
//!
//! ```
//! use kameleon::{Control, Plan, Target, Warmup, sample};
//! use kameleon_models::posteriors::Cbpp;
//!
//! let target = Cbpp::new(Cbpp::N_IMP)?;
//! assert_eq!(target.names(5), ["intercept", "period2", "period3", "period4", "log_sd"]);
//! let plan = Plan { warmup: Warmup::Iterations(2_000), draws: Some(2_000), ..Plan::default() };
//! let run = sample(target, &[vec![-1.0, 0.0, 0.0, 0.0, 0.0]], &plan, Control::default())?;
//! println!("{}", run.summary());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Formulae, priors and sources are in `docs/models.md`.

mod cbpp;
mod exact;
mod herd;
mod observed;
mod particle_filter;
mod stochastic_volatility;
mod table;

pub use cbpp::{Cbpp, CbppSettings};
pub use exact::{EXACT, Exact, exact};
pub use observed::observed;
pub use stochastic_volatility::{StochasticVolatility, StochasticVolatilitySettings};

use crate::number::Number;
use kameleon::any_target::AnyTarget;
use kameleon::registry::{Entry, Range, Settings, read};
use kameleon::{EvalError, Evaluation};

/// Every posterior by name: the exact ones, whose entries make the likelihood, then the noisy ones.
pub fn entries() -> impl Iterator<Item = &'static Entry<AnyTarget<'static>>> + Clone {
    EXACT.iter().map(|posterior| &posterior.entry).chain(NOISY)
}

/// Every noisy posterior by name.
pub const NOISY: &[Entry<AnyTarget<'static>>] = &[
    Entry {
        name: "cbpp",
        about: "cattle disease in 15 herds: logistic regression with random effects, by importance sampling",
        class: "Cbpp",
        settings: CbppSettings::table,
        make: |given| read(given).and_then(|CbppSettings { n_imp }| Ok(AnyTarget::new(Cbpp::new(n_imp)?))),
    },
    Entry {
        name: "sv",
        about: "stochastic volatility of 945 daily returns of sterling, by a particle filter",
        class: "StochasticVolatility",
        settings: StochasticVolatilitySettings::table,
        make: |given| {
            let StochasticVolatilitySettings { particles } = read(given)?;
            Ok(AnyTarget::new(StochasticVolatility::new(&StochasticVolatility::sterling(), particles)?))
        },
    },
];

/// log N(x; 0, sd²)
fn log_normal<N: Number>(x: N, sd: N) -> N {
    let z = x / sd;
    z * z * -0.5 - sd.ln() - HALF_LN_TAU
}

/// ½ ln 2π
const HALF_LN_TAU: f64 = 0.918_938_533_204_672_8;

/// The number of samples that an estimate may take; more would need an unreasonable amount of memory.
const SAMPLES: Range = Range::within(1.0, 1e6);

/// Rejects a value that no log likelihood, or log of an estimate of it, can have; −∞, a likelihood of zero, is allowed.
fn usable(log_likelihood: f64) -> Evaluation {
    match log_likelihood.is_nan() || log_likelihood == f64::INFINITY {
        true => Err(EvalError::reject("the likelihood is not a number: these parameters are too extreme")),
        false => Ok(log_likelihood),
    }
}

/// For a point with the wrong number of coordinates.
fn wrong_length(wanted: usize, found: usize) -> EvalError {
    EvalError::fatal(format!("a point must have {wanted} coordinates, not {found}"))
}
