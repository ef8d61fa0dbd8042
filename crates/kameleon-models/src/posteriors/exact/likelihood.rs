//! A likelihood of real data with a proper prior for each parameter: what an exact posterior is made of.

use crate::bounds::Bounded;
use crate::error::ModelError;
use crate::number::{self, Dual, Number};
use crate::posteriors::{usable, wrong_length};
use crate::prior::{Prior, WithPrior};
use kameleon::any_target::AnyTarget;
use kameleon::registry::Entry;
use kameleon::{Evaluation, Noise, Target};

/// The likelihood of a data set that comes with the crate.
pub(crate) trait Likelihood: Clone + Send + 'static {
    /// Its name in the registry.
    const NAME: &'static str;
    /// A line about it.
    const ABOUT: &'static str;
    /// The Python class.
    const CLASS: &'static str;
    /// Every parameter with its prior, as it is written in a run file.
    const PARAMETERS: &'static [(&'static str, &'static str)];

    /// With its data read.
    fn new() -> Self;

    /// ln p(y|x). `x` has one coordinate for each parameter, inside the support of its prior.
    fn log_likelihood<N: Number>(&self, x: &[N]) -> N;
}

/// A posterior whose log density is exact and whose likelihood and prior are known apart, so that it can be sampled from
/// the prior on.
pub struct Exact {
    /// Its entry in the registry, which makes the log likelihood.
    pub entry: Entry<AnyTarget<'static>>,
    /// Every parameter with its prior, as it is written in a run file.
    pub parameters: &'static [(&'static str, &'static str)],
}

impl Exact {
    pub(super) const fn of<L: Likelihood>() -> Self {
        let entry = Entry {
            name: L::NAME,
            about: L::ABOUT,
            class: L::CLASS,
            settings: Vec::new,
            make: |_| Ok(AnyTarget::new(LogLikelihood { likelihood: L::new(), room: Vec::new() })),
        };
        Self { entry, parameters: L::PARAMETERS }
    }

    /// The log likelihood as a function of the parameters in their own units.
    pub fn log_likelihood(&self) -> Result<AnyTarget<'static>, ModelError> {
        let made = self.entry.build(&Default::default());
        made.map_err(|error| ModelError::new(self.entry.name, error.to_string()))
    }

    /// The prior of each parameter.
    pub fn priors(&self) -> Result<Vec<Prior>, ModelError> {
        self.parameters.iter().map(|(_, prior)| prior.parse()).collect()
    }

    /// The posterior on the whole space: each parameter is transformed by the support of its prior.
    pub fn posterior(&self) -> Result<Bounded<WithPrior<AnyTarget<'static>>>, ModelError> {
        let priors = self.priors()?;
        let bounds = priors.iter().map(Prior::support).collect();
        let target = WithPrior::new(self.log_likelihood()?, priors.into_iter().map(Some).collect())?;
        Bounded::new(target, bounds)
    }
}

/// The log likelihood as a target.
#[derive(Clone)]
struct LogLikelihood<L> {
    likelihood: L,
    /// For a point with its slopes.
    room: Vec<Dual>,
}

impl<L: Likelihood> Target for LogLikelihood<L> {
    fn dim(&self) -> Option<usize> {
        Some(L::PARAMETERS.len())
    }

    fn names(&self, _dim: usize) -> Vec<String> {
        L::PARAMETERS.iter().map(|(name, _)| (*name).into()).collect()
    }

    fn log_density(&mut self, x: &[f64], _noise: Noise<'_>) -> Evaluation {
        if x.len() != L::PARAMETERS.len() {
            return Err(wrong_length(L::PARAMETERS.len(), x.len()));
        }
        usable(self.likelihood.log_likelihood(x))
    }

    fn has_gradient(&self) -> bool {
        true
    }

    fn gradient(&mut self, x: &[f64], _noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        if x.len() != L::PARAMETERS.len() {
            return Err(wrong_length(L::PARAMETERS.len(), x.len()));
        }
        usable(number::gradient(x, &mut self.room, gradient, |x| self.likelihood.log_likelihood(x)))
    }
}
