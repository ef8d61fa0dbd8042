//! Where the randomness of a noisy model comes from.

use kameleon::Noise;
use serde::{Deserialize, Serialize};

/// Whether a model is noisy, so that it returns the log of an unbiased estimate of the density, and where its randomness
/// comes from.
///
/// With a seed or normals, all randomness follows from the run's seed: a run can be repeated and resumed exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseInput {
    /// The log density is exact.
    #[default]
    Exact,
    /// Noisy, with the model's own randomness: such a run cannot be repeated exactly.
    Own,
    /// Noisy: every evaluation receives an integer below 2⁵³ to seed its generator with.
    Seed,
    /// Noisy: every evaluation receives this number of standard normals, and the estimate is a function of them.
    /// Correlated pseudo-marginal chains need this.
    Normals(usize),
}

impl NoiseInput {
    /// Whether the model is noisy.
    pub fn is_noisy(self) -> bool {
        self != Self::Exact
    }

    /// The number of normals an evaluation receives.
    pub fn normals(self) -> usize {
        if let Self::Normals(count) = self { count } else { 0 }
    }

    /// The seed of one evaluation, if it takes one.
    pub fn seed(self, noise: &mut Noise<'_>) -> Option<u64> {
        (self == Self::Seed).then(|| noise.seed())
    }
}
