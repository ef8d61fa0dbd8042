//! Where the randomness of a noisy model comes from.

use kameleon::Noise;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Whether a model is noisy (it returns the log of an unbiased estimate of the density), and what it is given for that.
///
/// With a seed or normals everything random still follows from the run's seed: a run can be repeated and resumed exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseInput {
    /// The log density is exact.
    #[default]
    Exact,
    /// Noisy, with randomness of the model's own: such a run cannot be repeated exactly.
    Own,
    /// Noisy: every evaluation is given a whole number below 2⁵³ to seed its generator with.
    Seed,
    /// Noisy: every evaluation is given so many standard normals, of which the estimate is a function. This is what
    /// correlated pseudo-marginal chains need.
    Normals(usize),
}

impl NoiseInput {
    /// Whether the model is noisy at all.
    pub fn is_noisy(self) -> bool {
        self != Self::Exact
    }

    /// How many normals it is given.
    pub fn normals(self) -> usize {
        if let Self::Normals(count) = self { count } else { 0 }
    }

    /// The seed for one evaluation, if it takes one. Below 2⁵³, so that every reader of JSON gets it exactly.
    pub(crate) fn seed(self, noise: &mut Noise<'_>) -> Option<u64> {
        (self == Self::Seed).then(|| noise.rng.random::<u64>() >> 11)
    }
}
