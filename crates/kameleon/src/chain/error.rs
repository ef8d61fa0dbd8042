//! Why a chain stopped or could not start, in words that a person can act on.

use crate::target::WrongSlope;
use crate::words;
use std::any::Any;
use thiserror::Error;

/// Why a chain stopped or could not start.
#[derive(Debug, Error)]
pub enum ChainError {
    /// The start is no place to start from.
    #[error("chain {chain} cannot start at {}: {why}", words::point(point, names))]
    Start {
        /// Which chain, from 0.
        chain: usize,
        /// Where.
        point: Vec<f64>,
        /// The names of the parameters, where they are known.
        names: Vec<String>,
        /// What is wrong there, and what to do.
        why: String,
        /// Whether the model failed there; if not, it has no finite value there.
        failed: bool,
    },
    /// The gradient is not that of the log density.
    #[error("{}", wrong.words(names))]
    Gradient {
        /// Which chain, from 0.
        chain: usize,
        /// Which parameter, where, and what it should be.
        wrong: WrongSlope,
        /// The names of the parameters.
        names: Vec<String>,
    },
    /// A value was told without the gradient that the sampler needs.
    #[error(
        "chain {chain}: the sampler needs the gradient of the log density, {wanted} numbers, with every value; {told} were told"
    )]
    GradientWanted {
        /// Which chain, from 0.
        chain: usize,
        /// The number of parameters.
        wanted: usize,
        /// The numbers that were told.
        told: usize,
    },
    /// The target can no longer be evaluated. What was drawn so far is kept.
    #[error("chain {chain} stopped at iteration {t}, at {}: {source}", words::point(point, names))]
    Fatal {
        /// Which chain, from 0.
        chain: usize,
        /// The iteration.
        t: u64,
        /// The point it was asked for.
        point: Vec<f64>,
        /// The names of the parameters, where they are known.
        names: Vec<String>,
        /// What the target said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The target can no longer be evaluated, or the state not be stored, in a population before the chains.
    #[error("the population stopped after {evaluations} evaluations{}: {source}", at(point, names))]
    Population {
        /// The evaluations that it had made.
        evaluations: u64,
        /// The point it was asked for; empty where that is not known.
        point: Vec<f64>,
        /// The names of the parameters, where they are known.
        names: Vec<String>,
        /// What went wrong.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A draw could not be recorded. What was recorded before is kept.
    #[error("chain {chain} stopped because its draws cannot be recorded: {source}")]
    Record {
        /// Which chain, from 0.
        chain: usize,
        /// What went wrong.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A step, a refresh or a record panicked: an error of this program, not of the target. What was recorded before is kept.
    #[error(
        "chain {chain} stopped after {t} iterations because of an error in kameleon itself: {said}. Please report it; \
         everything recorded before is kept"
    )]
    Internal {
        /// Which chain, from 0.
        chain: usize,
        /// The iterations it had made.
        t: u64,
        /// What the panic said.
        said: String,
    },
    /// A stored chain that cannot be what was stored.
    #[error("chain {chain} cannot be resumed: {why}; the stored state is damaged, or of another version")]
    State {
        /// Which chain, from 0.
        chain: usize,
        /// What does not fit.
        why: &'static str,
    },
    /// The chain learns with others and waits for them.
    #[error("chain {chain} waits for the others of its group: bring them to the same refresh, and call pool::refresh")]
    Waiting {
        /// Which chain, from 0.
        chain: usize,
    },
    /// A value was told that was not asked for.
    #[error("chain {chain}: nothing was asked, so nothing can be told; call ask() first")]
    NothingAsked {
        /// Which chain, from 0.
        chain: usize,
    },
}

impl ChainError {
    /// Whether it is one of the start, so that nothing was run.
    pub fn is_at_start(&self) -> bool {
        matches!(self, Self::Start { .. } | Self::Gradient { .. })
    }

    /// The same error, which tells its point by these names.
    pub fn with_names(mut self, given: &[String]) -> Self {
        if let Self::Start { names, .. }
        | Self::Fatal { names, .. }
        | Self::Population { names, .. }
        | Self::Gradient { names, .. } = &mut self
        {
            *names = given.to_vec();
        }
        self
    }
}

/// ", at a = 1.2", or nothing where the point is not known.
fn at(point: &[f64], names: &[String]) -> String {
    if point.is_empty() { String::new() } else { format!(", at {}", words::point(point, names)) }
}

/// What a panic said.
pub(crate) fn said(panic: &(dyn Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().map(ToString::to_string);
    said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it did not say why".into())
}
