//! A chain whatever its proposal, for programs that choose the sampler at run time; and its stored form.

use crate::Rng;
use crate::chain::{Chain, ChainCore, ChainError, ChainState, Step};
use crate::learner::{Learner, SharedFit};
use crate::proposal::*;
use crate::report::{Regions, Report};
use crate::target::{Evaluation, Noise, Target};
use crate::warmup::Fit;
use serde::{Deserialize, Serialize};
use std::ops::Deref;
use std::sync::Arc;

/// A [`Chain`] of any built-in sampler, without the type of its proposal.
pub trait AnyChain: Deref<Target = ChainCore> + Send {
    /// See [`Chain::ask`].
    fn ask(&mut self) -> &[f64];
    /// See [`Chain::tell`].
    fn tell(&mut self, value: Evaluation) -> Result<Option<Step>, ChainError> {
        self.tell_with_gradient(value, &[])
    }
    /// See [`Chain::tell_with_gradient`].
    fn tell_with_gradient(&mut self, value: Evaluation, gradient: &[f64]) -> Result<Option<Step>, ChainError>;
    /// See [`Chain::needs_gradient`].
    fn needs_gradient(&self) -> bool;
    /// See [`Chain::step`].
    fn step(&mut self, target: &mut dyn Target) -> Result<Step, ChainError>;
    /// See [`Chain::check_gradient`].
    fn check_gradient(&self, target: &mut dyn Target) -> Result<(), ChainError>;
    /// See [`Chain::question`].
    fn question(&mut self) -> Option<(&[f64], Noise<'_>)>;
    /// See [`Chain::put_back_noise`].
    fn put_back_noise(&mut self);
    /// See [`Chain::evaluate_again`].
    fn evaluate_again(&self, target: &mut dyn Target) -> Evaluation;
    /// The proposal's scale ν.
    fn scale(&self) -> f64;
    /// The covariance of the proposal at `x`, row by row, where the proposal knows it.
    fn covariance_at(&self, x: &[f64]) -> Option<Vec<f64>>;
    /// This many points from the proposal at `x` as it is now, one after another, for people to look at. A proposal that needs the
    /// gradient of the log density there takes it from `gradient`; others do not look at it.
    fn proposals_at(&self, x: &[f64], gradient: &[f64], count: usize, rng: &mut Rng) -> Vec<f64>;
    /// See [`Proposal::log_jump_density_at`].
    fn log_jump_density_at(&self, x: &[f64]) -> Option<f64>;
    /// See [`Proposal::shares_of_parts`].
    fn shares_of_parts(&self) -> Vec<f64>;
    /// See [`Proposal::regions`].
    fn regions(&self, _draws: &[&[f64]]) -> Option<Regions> {
        None
    }
    /// Its proposal, where that can learn together with others.
    fn learner(&self) -> Option<&dyn Learner>;
    /// See [`Proposal::report`].
    fn report(&self) -> Report;
    /// See [`Proposal::advice`].
    fn advice(&self, names: &[String]) -> Vec<String>;
    /// See [`Chain::set_circles`].
    fn set_circles(&mut self, coordinates: &[usize]);
    /// See [`Chain::join`].
    fn join(&mut self);
    /// See [`Chain::waits`].
    fn waits(&self) -> bool {
        self.learner().is_some_and(Learner::waits)
    }
    /// See [`Chain::learn`].
    fn learn(&mut self, fit: &SharedFit);
    /// Everything the chain is at this moment, to be stored.
    fn save(&self) -> SavedChain;
}

impl<P> AnyChain for Chain<P>
where
    P: Proposal + Clone + Send,
    SavedChain: From<ChainState<P>>,
{
    fn ask(&mut self) -> &[f64] {
        Chain::ask(self)
    }

    fn tell_with_gradient(&mut self, value: Evaluation, gradient: &[f64]) -> Result<Option<Step>, ChainError> {
        Chain::tell_with_gradient(self, value, gradient)
    }

    fn needs_gradient(&self) -> bool {
        Chain::needs_gradient(self)
    }

    fn step(&mut self, target: &mut dyn Target) -> Result<Step, ChainError> {
        Chain::step(self, target)
    }

    fn check_gradient(&self, target: &mut dyn Target) -> Result<(), ChainError> {
        Chain::check_gradient(self, target)
    }

    fn question(&mut self) -> Option<(&[f64], Noise<'_>)> {
        Chain::question(self)
    }

    fn put_back_noise(&mut self) {
        Chain::put_back_noise(self);
    }

    fn evaluate_again(&self, target: &mut dyn Target) -> Evaluation {
        Chain::evaluate_again(self, target)
    }

    fn scale(&self) -> f64 {
        self.proposal().scale()
    }

    fn covariance_at(&self, x: &[f64]) -> Option<Vec<f64>> {
        if x.len() != self.position().len() {
            return None;
        }
        let mut at = self.proposal().allocate(x.len());
        self.proposal().locate(x, &mut at);
        self.proposal().covariance(x, &at)
    }

    fn proposals_at(&self, x: &[f64], gradient: &[f64], count: usize, rng: &mut Rng) -> Vec<f64> {
        let (proposal, mut points) = (self.proposal(), vec![0.0; x.len() * count]);
        let mut at = proposal.allocate(x.len());
        proposal.take_gradient(gradient, &mut at);
        proposal.locate(x, &mut at);
        points.chunks_exact_mut(x.len()).for_each(|y| _ = proposal.draw(x, &mut at, rng, y));
        points
    }

    fn log_jump_density_at(&self, x: &[f64]) -> Option<f64> {
        self.proposal().log_jump_density_at(x)
    }

    fn shares_of_parts(&self) -> Vec<f64> {
        self.proposal().shares_of_parts()
    }

    fn regions(&self, draws: &[&[f64]]) -> Option<Regions> {
        self.proposal().regions(draws)
    }

    fn learner(&self) -> Option<&dyn Learner> {
        self.proposal().learner()
    }

    fn report(&self) -> Report {
        self.proposal().report()
    }

    fn advice(&self, names: &[String]) -> Vec<String> {
        self.proposal().advice(names)
    }

    fn set_circles(&mut self, coordinates: &[usize]) {
        Chain::set_circles(self, coordinates);
    }

    fn join(&mut self) {
        Chain::join(self);
    }

    fn learn(&mut self, fit: &SharedFit) {
        Chain::learn(self, fit);
    }

    fn save(&self) -> SavedChain {
        self.state().clone().into()
    }
}

macro_rules! saved {
    ($($name:ident),*) => {
        /// A chain of any built-in sampler as plain values: write it with any serde format, resume it bit for bit.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum SavedChain {
            $(#[doc = concat!("A chain with the proposal `", stringify!($name), "`.")] $name(Box<ChainState<$name>>),)*
        }

        impl SavedChain {
            /// The chain, as it was. A state that does not fit together is refused.
            pub fn resume(self) -> Result<Box<dyn AnyChain>, ChainError> {
                Ok(match self {
                    $(Self::$name(state) => Box::new(Chain::resume(*state)?),)*
                })
            }

            /// Its proposal, where that can learn together with others.
            pub fn learner(&self) -> Option<&dyn Learner> {
                match self {
                    $(Self::$name(state) => state.proposal().learner(),)*
                }
            }

            /// The same, to be changed.
            pub fn learner_mut(&mut self) -> Option<&mut dyn Learner> {
                match self {
                    $(Self::$name(state) => state.proposal_mut().learner_mut(),)*
                }
            }
        }

        $(impl From<ChainState<$name>> for SavedChain {
            fn from(state: ChainState<$name>) -> Self {
                Self::$name(Box::new(state))
            }
        })*
    };
}

all_proposals!(saved);

/// What the chains of a group have learned, of any built-in sampler, as plain values.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum SavedFit {
    /// Of chains of the default sampler.
    Model(#[serde(with = "crate::learner::by_value")] Arc<Fit>),
    /// Of chains that keep past states.
    States(#[serde(with = "crate::learner::by_value")] Arc<Vec<f64>>),
}

impl SavedFit {
    /// A fit to be stored; none if it is of a sampler that is not known here.
    pub fn of(fit: &SharedFit) -> Option<Self> {
        let model = fit.clone().downcast().ok().map(Self::Model);
        model.or_else(|| fit.clone().downcast().ok().map(Self::States))
    }

    /// The fit, as it was.
    pub fn into_shared(self) -> SharedFit {
        match self {
            Self::Model(fit) => fit,
            Self::States(states) => states,
        }
    }
}
