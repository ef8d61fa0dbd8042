//! Whatever Python may sample, as one type.

use crate::callable::Callable;
use crate::pointer::Pointer;
use kameleon::target::{Banana, Flower, Gaussian, Noisy};
use kameleon::{Evaluation, Known, Noise, Target};
use kameleon_gp::GpClassification;
use kameleon_models::{Bounded, Model, WithPrior};
use std::sync::Arc;

/// A target of any kind.
#[derive(Clone)]
pub enum AnyTarget {
    /// A twisted Gaussian.
    Banana(Banana),
    /// A flower or a ring.
    Flower(Flower),
    /// A Gaussian.
    Gaussian(Gaussian),
    /// Gaussian-process classification.
    Gp(Box<GpClassification>),
    /// An expression, a program, a library or a server.
    Model(Box<Model>),
    /// A compiled function.
    Pointer(Pointer),
    /// A Python function.
    Callable(Callable),
    /// Another, made noisy on purpose.
    Noisy(Box<Noisy<AnyTarget>>),
    /// Another, times a prior.
    WithPrior(Box<WithPrior<AnyTarget>>),
    /// Another, on the whole space instead of between bounds.
    Bounded(Box<Bounded<AnyTarget>>),
    /// Another, with names of the user's choice.
    Named(Box<AnyTarget>, Arc<Vec<String>>),
}

impl AnyTarget {
    fn inner(&self) -> &dyn Target {
        match self {
            Self::Banana(target) => target,
            Self::Flower(target) => target,
            Self::Gaussian(target) => target,
            Self::Gp(target) => &**target,
            Self::Model(target) => &**target,
            Self::Pointer(target) => target,
            Self::Callable(target) => target,
            Self::Noisy(target) => &**target,
            Self::WithPrior(target) => &**target,
            Self::Bounded(target) => &**target,
            Self::Named(target, _) => target.inner(),
        }
    }

    /// The target as one whose truth is known, if it is.
    pub fn known(&self) -> Option<&dyn Known> {
        match self {
            Self::Banana(target) => Some(target),
            Self::Flower(target) => Some(target),
            Self::Gaussian(target) => Some(target),
            Self::Named(target, _) => target.known(),
            _ => None,
        }
    }
}

impl Target for AnyTarget {
    fn dim(&self) -> Option<usize> {
        match self {
            Self::Named(_, names) => Some(names.len()),
            _ => self.inner().dim(),
        }
    }

    fn names(&self, dim: usize) -> Vec<String> {
        match self {
            Self::Named(_, names) => names.to_vec(),
            _ => self.inner().names(dim),
        }
    }

    fn normals(&self) -> usize {
        self.inner().normals()
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        match self {
            Self::Banana(target) => target.log_density(x, noise),
            Self::Flower(target) => target.log_density(x, noise),
            Self::Gaussian(target) => target.log_density(x, noise),
            Self::Gp(target) => target.log_density(x, noise),
            Self::Model(target) => target.log_density(x, noise),
            Self::Pointer(target) => target.log_density(x, noise),
            Self::Callable(target) => target.log_density(x, noise),
            Self::Noisy(target) => target.log_density(x, noise),
            Self::WithPrior(target) => target.log_density(x, noise),
            Self::Bounded(target) => target.log_density(x, noise),
            Self::Named(target, _) => target.log_density(x, noise),
        }
    }
}
