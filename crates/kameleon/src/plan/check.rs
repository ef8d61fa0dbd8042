//! How draws are checked after a run.

use crate::diagnose::{Stein, stein};
use crate::record::Draws;
use crate::statistics::{Counts, Statistics};
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
    /// What the log densities at the draws of chains say of them, on the scale that the chains moved on. Nothing where chains met points
    /// without a density: Stein's identity has another term at an edge, which the draws do not tell.
    pub fn stein<'a>(
        self,
        chains: &[&Draws],
        mut statistics: impl Iterator<Item = &'a Statistics>,
        dim: usize,
    ) -> Option<Stein> {
        let has_edge = |counts: &Counts| counts.outside_support + counts.invalid > 0;
        if self == Self::Off || statistics.any(|statistics| has_edge(&statistics.sampling)) {
            return None;
        }
        let chains: Vec<(&[f64], &[f64])> =
            chains.iter().map(|draws| (draws.points.as_slice(), draws.log_density.as_slice())).collect();
        stein(&chains, dim)
    }
}
