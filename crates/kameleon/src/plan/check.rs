//! How draws are checked after a run.

use crate::diagnose::{Differences, Stein, stein};
use crate::record::Draws;
use crate::registry::SettingsError;
use crate::statistics::Statistics;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// The largest share of the evaluations of a run that `auto` spends.
const LARGEST_SHARE: f64 = 0.05;

/// Whether a chain met points without a density after its warm-up: Stein's identity has another term at an edge.
pub fn has_edge(statistics: &Statistics) -> bool {
    statistics.sampling.outside_support + statistics.sampling.invalid > 0
}

/// How draws are checked, besides by R-hat and effective sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// By what is stored anyway; where that says nothing of the means, by slopes of the log density that are measured after the run, for
    /// at most 5 % of its evaluations and within `max-evaluations`.
    #[default]
    Auto,
    /// By what is stored anyway: no evaluation is made for it.
    Free,
    /// By slopes that are measured after the run, for as many evaluations as are useful.
    Full,
    /// Not at all.
    Off,
}

impl FromStr for Check {
    type Err = SettingsError;

    fn from_str(text: &str) -> Result<Self, SettingsError> {
        let wrong = |_| SettingsError::new("check", format!("must be auto, free, full or off, not \"{text}\""));
        serde_json::from_value(text.into()).map_err(wrong)
    }
}

impl Check {
    /// How slopes are measured after a run that has made this number of evaluations, of which `left` more are allowed and which is
    /// checked by what is stored (`free`) or not; none where they are not.
    pub fn differences(self, evaluations: u64, left: Option<u64>, free: Option<&Stein>) -> Option<Differences> {
        match self {
            Self::Full => Some(Differences::Central),
            Self::Auto if free.is_none_or(|free| !free.speaks()) => {
                let most = (LARGEST_SHARE * evaluations as f64) as u64;
                Some(Differences::Forward(left.map_or(most, |left| most.min(left))))
            }
            _ => None,
        }
    }

    /// What the log densities at the draws of chains say of them, on the scale that the chains moved on. Nothing where chains met points
    /// without a density: Stein's identity has another term at an edge, which the draws do not tell.
    pub fn stein<'a>(
        self,
        chains: &[&Draws],
        mut statistics: impl Iterator<Item = &'a Statistics>,
        dim: usize,
    ) -> Option<Stein> {
        if self == Self::Off || statistics.any(has_edge) {
            return None;
        }
        let chains: Vec<(&[f64], &[f64])> =
            chains.iter().map(|draws| (draws.points.as_slice(), draws.log_density.as_slice())).collect();
        stein(&chains, dim)
    }
}
