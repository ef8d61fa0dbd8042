//! A target whatever its type, so that what runs chains is compiled once and not again for every target.

use super::{Evaluation, Known, Noise, TARGETS, Target};
use crate::registry::{self, Choice, Entry, SettingsError};

/// A [`Target`] of any type that can be cloned, one clone for each chain.
pub struct AnyTarget<'a>(Box<dyn CloneTarget<'a> + 'a>);

impl<'a> AnyTarget<'a> {
    /// This target, without its type.
    pub fn new(target: impl Target + Clone + Send + 'a) -> Self {
        Self(Box::new(target))
    }

    /// One name for each of `dim` parameters, whatever the target says.
    pub fn all_names(&self, dim: usize) -> Vec<String> {
        let mut names = self.names(dim);
        names.truncate(dim);
        names.extend((names.len()..dim).map(|i| format!("x{}", i + 1)));
        names
    }

    /// The built-in target of this name, or one of `more`.
    pub fn named(
        choice: &Choice,
        more: impl Iterator<Item = &'static Entry<AnyTarget<'static>>> + Clone,
    ) -> Result<AnyTarget<'static>, SettingsError> {
        Self::entry(choice, more)?.build(&choice.settings)
    }

    /// The entry that is meant, of a built-in target or one of `more`.
    pub fn entry(
        choice: &Choice,
        more: impl Iterator<Item = &'static Entry<AnyTarget<'static>>> + Clone,
    ) -> Result<&'static Entry<AnyTarget<'static>>, SettingsError> {
        registry::find("target", &choice.name, TARGETS.iter().chain(more))
    }
}

trait CloneTarget<'a>: Target + Send {
    fn clone_target(&self) -> AnyTarget<'a>;
}

impl<'a, T: Target + Clone + Send + 'a> CloneTarget<'a> for T {
    fn clone_target(&self) -> AnyTarget<'a> {
        AnyTarget::new(self.clone())
    }
}

impl Clone for AnyTarget<'_> {
    fn clone(&self) -> Self {
        self.0.clone_target()
    }
}

impl Target for AnyTarget<'_> {
    fn inner(&self) -> Option<&dyn Target> {
        Some(&*self.0)
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        self.0.log_density(x, noise)
    }

    fn log_densities(&mut self, points: &[&[f64]], noise: Vec<Noise<'_>>) -> Vec<Evaluation> {
        self.0.log_densities(points, noise)
    }

    fn has_gradient(&self) -> bool {
        self.0.has_gradient()
    }

    fn gradient(&mut self, x: &[f64], noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        self.0.gradient(x, noise, gradient)
    }

    fn gradients(&mut self, points: &[&[f64]], noise: Vec<Noise<'_>>, gradients: &mut [f64]) -> Vec<Evaluation> {
        self.0.gradients(points, noise, gradients)
    }

    fn known(&self) -> Option<&dyn Known> {
        self.0.known()
    }
}
