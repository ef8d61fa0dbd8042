//! Figures of all draws of a run that is too large for memory.

use serde::Serialize;

/// What all draws of a run say, where only some of them are in memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AllDraws {
    /// The fewest and the most draws of a chain.
    pub of_chain: (u64, u64),
    /// One draw out of this many is in memory.
    pub every: u64,
    /// Figures of each parameter.
    pub parameters: Vec<Figures>,
}

impl AllDraws {
    /// Which draws the figures of a summary are of, and what else is shown.
    pub fn words(&self, others: &str) -> String {
        format!("means, sds and quantiles are of all draws, ESS, R-hat, MCSE and {others} of one in {}", self.every)
    }
}

/// Figures of one parameter over all draws.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// The mean.
    pub mean: f64,
    /// The standard deviation (over n − 1).
    pub sd: f64,
    /// The quantiles at 5, 50 and 95 %.
    pub quantiles: [f64; 3],
}

/// The least and the most of the numbers of draws that chains have; none of no chains.
pub(crate) fn least_and_most(draws: impl IntoIterator<Item = u64>) -> (u64, u64) {
    let all = draws.into_iter().map(|draws| (draws, draws));
    all.reduce(|(least, most), (draws, _)| (least.min(draws), most.max(draws))).unwrap_or((0, 0))
}
