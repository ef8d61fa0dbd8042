//! Whatever Python may sample, as one type, in the parameters' own units.

use crate::callable::Callable;
use crate::hub::Batched;
use crate::pointer::Pointer;
use kameleon::target::{Gaussian, Noisy};
use kameleon::{Evaluation, Known, Noise, Target};
use kameleon_gp::GpClassification;
use kameleon_runs::Model;

/// A target of any kind.
#[derive(Clone)]
pub enum AnyTarget {
    /// A model that run files know too.
    Model(Box<Model>),
    /// A Gaussian of any mean and covariance.
    Gaussian(Noisy<Gaussian>),
    /// Gaussian-process classification of arrays.
    Gp(Box<GpClassification>),
    /// A compiled function.
    Pointer(Pointer),
    /// A Python function.
    Callable(Callable),
    /// A Python function that is asked for all chains at once.
    Batched(Batched),
}

impl AnyTarget {
    fn inner(&self) -> &dyn Target {
        match self {
            Self::Model(target) => &**target,
            Self::Gaussian(target) => target,
            Self::Gp(target) => &**target,
            Self::Pointer(target) => target,
            Self::Callable(target) => target,
            Self::Batched(target) => target,
        }
    }

    /// The target as one whose truth is known, if it is.
    pub fn known(&self) -> Option<&dyn Known> {
        match self {
            Self::Model(target) => target.known(),
            Self::Gaussian(target) => Some(target),
            _ => None,
        }
    }
}

impl Target for AnyTarget {
    fn dim(&self) -> Option<usize> {
        self.inner().dim()
    }

    fn names(&self, dim: usize) -> Vec<String> {
        self.inner().names(dim)
    }

    fn normals(&self) -> usize {
        self.inner().normals()
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        match self {
            Self::Model(target) => target.log_density(x, noise),
            Self::Gaussian(target) => target.log_density(x, noise),
            Self::Gp(target) => target.log_density(x, noise),
            Self::Pointer(target) => target.log_density(x, noise),
            Self::Callable(target) => target.log_density(x, noise),
            Self::Batched(target) => target.log_density(x, noise),
        }
    }
}
