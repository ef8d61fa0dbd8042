//! What the jump proposals of a run say: its evidence, and the means of parameters by weights next to those of the chains.

use super::check::name_of;
use super::numbers::numbers;
use kameleon::diagnose::{Evidence, LARGEST_K, LARGEST_Z, LEAST_PROPOSALS, mcse_mean, r_hat, weighted_means};
use kameleon::proposal::FUNNEL;
use kameleon::record::Draws;
use kameleon::report::Regions;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is said of chains that have run away: a verdict that has it says nothing else.
pub const RAN_AWAY: &str = "the chains have run away";

/// What is said of a warm-up that ended before enough was learned.
pub const AT_LIMIT: &str = "The warm-up came to its limit";

/// Jumps whose effective share is below this are poor. With noise of sd 1 in the log density no share is above 0.37.
const GOOD_EFFICIENCY: f64 = 0.2;

/// From this distance on, in standard errors, weighted means that are not those of the draws speak against the draws: their errors may be
/// too small, but not that much.
const GROSS_Z: f64 = 8.0;

/// What the jump proposals say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JumpSummary {
    /// Whether the density is a likelihood times a proper prior, so that its integral is the evidence.
    pub proper_prior: bool,
    /// ln of the integral of the density, and how far to believe it.
    pub evidence: Evidence,
    /// The mean of each parameter by the weights of the jump proposals; empty without jump proposals.
    #[serde(deserialize_with = "numbers")]
    pub means: Vec<f64>,
    /// Their standard errors.
    #[serde(deserialize_with = "numbers")]
    pub errors: Vec<f64>,
    /// The distance of each from the mean of the chains' draws, in standard errors.
    #[serde(deserialize_with = "numbers")]
    pub distances: Vec<f64>,
    /// What became of the regions that the warm-up met.
    #[serde(default)]
    pub regions: Regions,
}

impl JumpSummary {
    /// From the evidence and the draws of each chain, whose points are in the parameters' own units.
    pub fn new(evidence: Evidence, proper_prior: bool, chains: &[&Draws], dim: usize) -> Self {
        let (points, log_weights) = weighted_draws(chains);
        let mut summary = Self {
            proper_prior,
            evidence,
            means: vec![],
            errors: vec![],
            distances: vec![],
            regions: Regions::default(),
        };
        if !log_weights.is_empty() {
            summary.evidence.judge_agreement((0..dim).map(|i| disagreement(chains, dim, i)).fold(f64::NAN, f64::max));
            let weighted = weighted_means(&points, dim, &log_weights);
            let (means, errors): (Vec<f64>, Vec<f64>) = (0..dim).map(|i| mean_of_chains(chains, dim, i)).unzip();
            let mut draws = chains.iter().flat_map(|draws| draws.points.chunks_exact(dim));
            let first = draws.next();
            if draws.all(|draw| Some(draw) == first) {
                summary.evidence.doubt("no chain has moved".into());
            }
            summary.distances = weighted.distance_from(&means, &errors);
            (summary.means, summary.errors) = (weighted.mean, weighted.error);
            summary.judge_distances();
        }
        summary
    }

    /// No evidence, for a reason.
    pub fn none(why: &str, proper_prior: bool) -> Self {
        Self {
            proper_prior,
            evidence: Evidence::none(why),
            means: vec![],
            errors: vec![],
            distances: vec![],
            regions: Regions::default(),
        }
    }

    /// Takes note of weighted means that are not those of the chains.
    fn judge_distances(&mut self) {
        if let Some((_, z)) = self.too_far() {
            self.evidence.doubt(format!(
                "means by weighted jump proposals are {z:.1} standard errors away from those of the draws"
            ));
        }
    }

    /// Takes note of a search for modes that was not finished.
    pub fn doubt_search(&mut self) {
        self.evidence.doubt("the search for modes was not finished, as a warning says".into());
    }

    /// Takes note of a target that looks like a funnel.
    pub fn doubt_funnel(&mut self) {
        self.evidence.doubt(format!("{FUNNEL}, whose narrow end is hard to reach"));
    }

    /// Chains that have run away say nothing, whatever else is wrong with them.
    pub fn doubt_runaway(&mut self) {
        self.evidence.why.clear();
        self.evidence.doubt(RAN_AWAY.into());
    }

    /// Whether jumps reach all that the chains visit, and often enough.
    pub fn are_good(&self) -> bool {
        self.evidence.reliable && self.evidence.efficiency >= GOOD_EFFICIENCY
    }

    /// What the evidence is called.
    pub fn name(&self) -> &'static str {
        if self.proper_prior { "log evidence" } else { "log normalising constant" }
    }

    /// The largest distance of a weighted mean from that of the chains, in standard errors, and its parameter.
    pub fn largest_distance(&self) -> Option<(usize, f64)> {
        let distances = self.distances.iter().map(|z| z.abs()).enumerate().filter(|(_, z)| z.is_finite());
        distances.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The largest distance, if it is too large and the weights can be believed.
    fn too_far(&self) -> Option<(usize, f64)> {
        let believed = self.evidence.pareto_k <= LARGEST_K && self.evidence.proposals >= LEAST_PROPOSALS;
        self.largest_distance().filter(|(_, z)| believed && *z > LARGEST_Z)
    }

    /// What weighted means have against the draws, if they are too far away for any error of the weights.
    pub fn contradiction(&self, names: &[String]) -> Option<String> {
        let (worst, z) = self.too_far().filter(|(_, z)| *z > GROSS_Z)?;
        Some(format!(
            "Chains that agree may have missed a region: the mean of {} over the draws is {z:.1} standard errors away from its mean by the \
             weighted jump proposals, as a warning says. Run longer, or from other starts.",
            name_of(worst, names)
        ))
    }

    /// A warning if the weighted means, where their weights can be believed, are not those of the chains.
    pub fn warning(&self, names: &[String]) -> Option<String> {
        let (worst, z) = self.too_far()?;
        Some(format!(
            "the mean of {} over the draws is {z:.1} standard errors away from its mean by the weighted jump proposals: the \
             chains may not have visited every region in proportion to its probability; run longer, or from other starts",
            name_of(worst, names)
        ))
    }
}

/// A number with its error, or the reason why there is none.
impl fmt::Display for JumpSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Evidence { log, error, reliable, why, proposals, .. } = &self.evidence;
        if !reliable {
            return write!(f, "{}: {why}", if *proposals > 0 { "not reliable" } else { "unknown" });
        }
        // Down to the second digit of the error, and no further than anybody needs.
        let digits = (1.0 - error.log10().floor()).clamp(1.0, 4.0) as usize;
        write!(f, "{log:.digits$} ± {error:.digits$}")
    }
}

/// The jump proposals of all chains, one after another, and the logarithms of their weights.
fn weighted_draws(chains: &[&Draws]) -> (Vec<f64>, Vec<f64>) {
    let jumps = || chains.iter().map(|draws| &draws.jumps);
    (jumps().flat_map(|jumps| &jumps.points).copied().collect(), jumps().flat_map(|j| &j.log_weight).copied().collect())
}

/// R-hat of a parameter.
fn disagreement(chains: &[&Draws], dim: usize, i: usize) -> f64 {
    r_hat(&columns(chains, dim, i).iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// The draws of a parameter, of each chain that has any.
fn columns(chains: &[&Draws], dim: usize, i: usize) -> Vec<Vec<f64>> {
    let column = |draws: &&Draws| draws.points.chunks_exact(dim).map(|x| x[i]).collect::<Vec<f64>>();
    chains.iter().map(column).filter(|column| !column.is_empty()).collect()
}

/// The mean of a parameter over the draws of all chains, and its standard error.
fn mean_of_chains(chains: &[&Draws], dim: usize, i: usize) -> (f64, f64) {
    let columns = columns(chains, dim, i);
    let count: usize = columns.iter().map(Vec::len).sum();
    let mean = columns.iter().flatten().sum::<f64>() / count as f64;
    (mean, mcse_mean(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(log: f64, error: f64, reliable: bool) -> JumpSummary {
        let mut summary = JumpSummary::none("the reason", true);
        let evidence = &mut summary.evidence;
        (evidence.log, evidence.error, evidence.reliable) = (log, error, reliable);
        summary
    }

    #[test]
    fn a_number_comes_with_its_error_or_not_at_all() {
        assert_eq!(summary(-12.34512, 0.0123, true).to_string(), "-12.345 ± 0.012");
        assert_eq!(summary(1234.56, 0.45, true).to_string(), "1234.56 ± 0.45");
        assert_eq!(summary(-1.0, 1e-9, true).to_string(), "-1.0000 ± 0.0000");
        let mut refused = summary(-12.345, 0.0123, false);
        assert_eq!(refused.to_string(), "unknown: the reason");
        refused.evidence.proposals = 1000;
        assert_eq!(refused.to_string(), "not reliable: the reason");
    }

    #[test]
    fn an_evidence_of_chains_that_disagree_is_refused_and_that_of_one_chain_is_not() {
        let mut found = summary(-1.0, 0.1, true).evidence;
        found.judge_agreement(1.04);
        found.judge_agreement(f64::NAN);
        assert!(found.reliable);
        found.why.clear();
        found.judge_agreement(1.2);
        assert!(!found.reliable && found.why == "the chains disagree: R-hat is up to 1.200", "{}", found.why);
    }

    #[test]
    fn an_evidence_of_chains_that_never_moved_is_refused() {
        let judged = |draws: [f64; 6]| {
            let mut chain = Draws { points: draws.to_vec(), ..Draws::default() };
            (chain.jumps.points, chain.jumps.log_weight) = (vec![0.0, 1.0], vec![0.0, 0.0]);
            JumpSummary::new(summary(-1.0, 0.1, true).evidence, true, &[&chain, &chain], 1).evidence
        };
        assert!(judged([1.0, 2.0, 1.5, 1.0, 2.0, 1.2]).reliable);
        let still = judged([1.0; 6]);
        assert!(!still.reliable && still.why.ends_with("no chain has moved"), "{}", still.why);
    }

    #[test]
    fn means_that_differ_are_told_where_the_weights_can_be_believed() {
        let mut found = summary(0.0, 0.1, true);
        found.distances = vec![-1.0, -5.25, f64::NAN];
        (found.evidence.pareto_k, found.evidence.proposals) = (0.2, 1000);
        let names = ["a", "b", "c"].map(String::from);
        let said = found.warning(&names).unwrap();
        assert!(said.starts_with("the mean of b over the draws is 5.2 standard errors away"), "{said}");
        found.evidence.pareto_k = 0.9;
        assert_eq!(found.warning(&names), None);
        found.evidence.pareto_k = 0.2;
        found.distances[1] = 3.9;
        assert_eq!(found.warning(&names), None);
    }

    #[test]
    fn an_evidence_whose_means_differ_is_refused_where_the_weights_can_be_believed() {
        let judged = |z: f64, pareto_k: f64| {
            let mut found = summary(0.0, 0.1, true);
            found.evidence.why.clear();
            found.distances = vec![1.0, -z];
            (found.evidence.pareto_k, found.evidence.proposals) = (pareto_k, 1000);
            found.judge_distances();
            (found.evidence.reliable, found.evidence.why)
        };
        let (reliable, why) = judged(5.25, 0.2);
        assert!(!reliable && why.contains("5.2 standard errors away from those of the draws"), "{why}");
        assert_eq!(judged(3.9, 0.2), (true, String::new()));
        // Weights that cannot be believed are refused for that.
        assert_eq!(judged(5.25, 0.9), (true, String::new()));
    }

    #[test]
    fn numbers_that_are_none_survive_json() {
        let mut found = summary(f64::NAN, f64::NAN, false);
        found.means = vec![1.0, f64::NAN];
        let read: JumpSummary = serde_json::from_str(&serde_json::to_string(&found).unwrap()).unwrap();
        assert!(read.means[1].is_nan() && read.evidence.log.is_nan() && read.means[0] == 1.0);
    }
}
