//! How draws are checked after a run.

use crate::diagnose::{Stein, stein};
use crate::record::Draws;
use serde::{Deserialize, Serialize};

/// How draws are checked, besides by R-hat and effective sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// By what is stored anyway: no evaluation is made for it.
    #[default]
    Free,
    /// Not at all.
    Off,
}

impl Check {
    /// What the log densities at the draws of chains say of them, on the scale that the chains moved on.
    pub fn stein(self, chains: &[&Draws], dim: usize) -> Option<Stein> {
        let chains: Vec<(&[f64], &[f64])> =
            chains.iter().map(|draws| (draws.points.as_slice(), draws.log_density.as_slice())).collect();
        if self == Self::Off { None } else { stein(&chains, dim) }
    }
}
