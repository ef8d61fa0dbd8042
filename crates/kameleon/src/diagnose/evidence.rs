//! The evidence, or normalising constant Z = ∫π, from a run whose jump proposals are draws from a known density Q.
//!
//! After the warm-up Q is frozen, and every jump proposal, accepted or not, is a draw from a known part of it. So the ratios
//! π(y)/Q(y) at the proposals, and the same ratios at the draws of the chains, give Z without another evaluation: by importance
//! sampling from the proposals alone, and with a smaller error by bridge sampling between both. For a noisy target the ratio at
//! a draw has the estimate that the chain stored there; the answer is exact then too, because proposals and draws are those of
//! a target on a larger space.

mod bridge;
mod estimate;
mod pareto;
mod weighted;

pub use estimate::Estimate;
pub(crate) use estimate::{effective_number, log_sum_exp};
pub use pareto::pareto_k;
pub use weighted::{Weighted, weighted_means};

use super::verdict::show_r_hat;
use crate::words::share;
use bridge::{Bridge, Sides};
use serde::{Deserialize, Deserializer, Serialize};

/// The least number of jump proposals.
pub const LEAST_PROPOSALS: usize = 400;
/// The least effective number of draws for the bridge, over all chains.
pub const LEAST_DRAWS: f64 = 100.0;
/// The largest Pareto k̂ of the weights of jump proposals.
pub const LARGEST_K: f64 = 0.7;
/// The least efficiency over draws, as a share of that over proposals.
pub const LEAST_SHARE: f64 = 0.3;
/// The largest share of Σw² that a few proposals may have whose weights are far above all others.
pub const LARGEST_OUTLIER: f64 = 0.1;
/// The most standard errors between two estimates of the same.
pub const LARGEST_Z: f64 = 4.0;
/// The largest ratio of the efficiency to that of the last rounds of the warm-up.
pub const LARGEST_RISE: f64 = 3.0;
/// The largest R-hat of a parameter: beyond it the draws are not from the density that the evidence is of.
pub const LARGEST_EVIDENCE_R_HAT: f64 = 1.05;
/// The largest standard error.
pub const LARGEST_ERROR: f64 = 0.5;

/// The log ratios ln π − ln Q of one chain in its sampling phase.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChainRatios<'a> {
    /// At its jump proposals, accepted or not, in the order they were made; −∞ where the density is zero. NaN and +∞ count as
    /// that: chains reject such values.
    pub proposals: &'a [f64],
    /// The logarithm of the weight of each proposal ([`weigh`](crate::record::weigh)); if empty, its log ratio.
    pub log_weights: &'a [f64],
    /// For each proposal, the number of draws that had been stored before it was made; if empty, the proposals were made at
    /// regular intervals. A proposal may become a draw soon after, and the standard error must see that.
    pub made_after: &'a [usize],
    /// At its stored draws, in order, with the log density that the chain stored.
    pub draws: &'a [f64],
}

/// ln Z and how far to believe it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// ln Z by bridge sampling.
    #[serde(deserialize_with = "number")]
    pub log: f64,
    /// Its standard error.
    #[serde(deserialize_with = "number")]
    pub error: f64,
    /// Pareto k̂ of the weights of jump proposals; of several densities, the largest.
    #[serde(deserialize_with = "number")]
    pub pareto_k: f64,
    /// Whether log and error can be believed.
    pub reliable: bool,
    /// If not, why; otherwise empty.
    pub why: String,
    /// ln Z by importance sampling, from the jump proposals alone.
    #[serde(deserialize_with = "number")]
    pub importance: f64,
    /// Its standard error.
    #[serde(deserialize_with = "number")]
    pub importance_error: f64,
    /// The effective share of the jump proposals: (Σw)²/(n Σw²). Of several densities, the smallest.
    #[serde(deserialize_with = "number")]
    pub efficiency: f64,
    /// The same number as the draws see it: 1/mean(w/Z). Much smaller than `efficiency` where the chains visit what Q misses.
    #[serde(deserialize_with = "number")]
    pub efficiency_of_draws: f64,
    /// The share of Σw² that a few proposals have whose weights are more than four times any other; zero if there are none. Of several
    /// densities, the largest.
    #[serde(default = "unknown", deserialize_with = "number")]
    pub outlier_share: f64,
    /// The number of jump proposals.
    pub proposals: usize,
    /// The effective number of draws for what the bridge averages.
    #[serde(deserialize_with = "number")]
    pub effective_draws: f64,
    /// What the jump proposals in the last rounds of the warm-up said, where it is known: of several groups, of the least efficient.
    #[serde(default)]
    pub late: Option<Estimate>,
}

fn unknown() -> f64 {
    f64::NAN
}

/// A number, or NaN for the null that JSON has in place of it.
pub(crate) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    if !deserializer.is_human_readable() {
        return f64::deserialize(deserializer);
    }
    Option::deserialize(deserializer).map(|value| value.unwrap_or(f64::NAN))
}

/// The evidence from groups of chains. The chains of a group share one frozen density; those of different groups may have
/// different ones. Each group gives an estimate of its own; they are independent, and are averaged with the inverse of their
/// variances for weights. One group that cannot be believed, or groups that disagree, make the average unreliable.
pub fn evidence(groups: &[&[ChainRatios<'_>]]) -> Evidence {
    let mut estimates: Vec<Evidence> = groups.iter().map(|chains| of_group(chains)).collect();
    match estimates.len() {
        0 => Evidence::none("there are no chains"),
        1 => estimates.remove(0),
        _ => combined(&estimates),
    }
}

/// The evidence from chains that share one frozen density.
fn of_group(chains: &[ChainRatios<'_>]) -> Evidence {
    let sides = match Sides::new(chains) {
        Ok(sides) => sides,
        Err(why) => return Evidence::none(why),
    };
    let importance = sides.importance();
    let Some(bridge) = Bridge::new(&sides, importance.log) else {
        return Evidence::none("jump proposals and draws have no region in common");
    };
    let mut found = Evidence {
        log: bridge.log,
        error: bridge.error,
        // Of the ratios: what a rare part's weights are corrected by says nothing of what Q reaches.
        pareto_k: pareto_k(&sides.proposals),
        importance: importance.log,
        importance_error: importance.error,
        efficiency: importance.efficiency,
        efficiency_of_draws: sides.efficiency_of_draws(bridge.log),
        outlier_share: importance.outlier_share,
        proposals: sides.proposals.len(),
        effective_draws: bridge.effective_draws,
        ..Evidence::none("")
    };
    found.judge(bridge.from_importance);
    found
}

impl Evidence {
    /// No estimate, for a reason.
    pub fn none(why: &str) -> Self {
        Self {
            log: f64::NAN,
            error: f64::NAN,
            pareto_k: f64::NAN,
            reliable: false,
            why: why.into(),
            importance: f64::NAN,
            importance_error: f64::NAN,
            efficiency: f64::NAN,
            efficiency_of_draws: f64::NAN,
            outlier_share: f64::NAN,
            proposals: 0,
            effective_draws: f64::NAN,
            late: None,
        }
    }

    /// What is said of a density that seems to be much better than all that it was learned from: it has probably lost a region that was
    /// met before.
    pub fn learned_too_little(&self) -> Option<String> {
        let (before, now) = (self.late?.efficiency, self.efficiency);
        (now > LARGEST_RISE * before).then(|| {
            format!(
                "the warm-up was too short to learn where to jump: the efficiency of jump proposals was {} in its last rounds and {} \
                 after it",
                share(before),
                share(now)
            )
        })
    }

    /// Takes note of what the jump proposals of each chain's group said in the last rounds of the warm-up.
    pub fn judge_learning(&mut self, late: impl Iterator<Item = Estimate>) {
        // The rounds before knew less, so that a smaller Z of theirs says nothing.
        let lost = |late: &Estimate| (late.log_z - self.log) / late.error.hypot(self.error).max(1e-9);
        let late: Vec<Estimate> = late.collect();
        let far = late.iter().filter(|late| lost(late) > LARGEST_Z);
        if let Some(most) = far.max_by(|a, b| lost(a).total_cmp(&lost(b))) {
            let (before, now, z) = (most.log_z, self.log, lost(most));
            self.doubt(format!(
                "log Z was {before:.2} in the last rounds of the warm-up and is {now:.2} after it, {z:.1} standard errors less: a region \
                 that was met before may be lost"
            ));
        }
        self.late = late.into_iter().min_by(|a, b| a.efficiency.total_cmp(&b.efficiency));
        if let Some(what) = self.learned_too_little() {
            self.doubt(what);
        }
    }

    /// Takes note of a reason not to believe it.
    pub fn doubt(&mut self, what: String) {
        self.why = if self.why.is_empty() { what } else { format!("{}; {what}", self.why) };
        self.reliable = false;
    }

    /// Takes note of the largest R-hat of the parameters; NaN, of a single chain, says nothing.
    pub fn judge_agreement(&mut self, r_hat: f64) {
        if r_hat > LARGEST_EVIDENCE_R_HAT {
            self.doubt(format!("the chains disagree: R-hat is up to {}", show_r_hat(r_hat)));
        }
    }

    /// Says what is wrong, if anything is; `z` is the distance from the importance estimate in standard errors.
    fn judge(&mut self, z: f64) {
        let mut why = Vec::new();
        // Each condition is the good one, so that NaN is not taken for good.
        let mut demand = |good: bool, what: &dyn Fn() -> String| {
            if !good {
                why.push(what());
            }
        };
        demand(self.proposals >= LEAST_PROPOSALS, &|| {
            format!("there are {} jump proposals, too few: at least {LEAST_PROPOSALS} are needed", self.proposals)
        });
        demand(self.effective_draws >= LEAST_DRAWS, &|| {
            format!("the chains have {:.0} effective draws for it: {LEAST_DRAWS} are needed", self.effective_draws)
        });
        demand(self.pareto_k <= LARGEST_K, &|| {
            let k = self.pareto_k;
            format!(
                "the weights of the jump proposals have a heavy tail: Pareto k is {k:.2}, at most {LARGEST_K} is good"
            )
        });
        demand(self.efficiency_of_draws >= LEAST_SHARE * self.efficiency, &|| {
            let (seen, claimed) = (share(self.efficiency_of_draws), share(self.efficiency));
            format!(
                "the chains visit regions that jump proposals rarely reach: their efficiency is {seen} over the draws \
                 and {claimed} over the proposals"
            )
        });
        demand(self.outlier_share <= LARGEST_OUTLIER, &|| {
            format!(
                "a few jump proposals have weights far above all others, and {:.0} % of all squared weights: they may be at the edge of a \
                 region that is not known",
                100.0 * self.outlier_share
            )
        });
        demand(z <= LARGEST_Z, &|| {
            let (bridge, importance) = (self.log, self.importance);
            format!(
                "bridge sampling gives {bridge:.4} and importance sampling {importance:.4}: {z:.1} standard errors apart"
            )
        });
        demand(self.error <= LARGEST_ERROR, &|| format!("its standard error is {:.2}", self.error));
        (self.reliable, self.why) = (why.is_empty(), why.join("; "));
    }
}

/// The average of the estimates of several groups.
fn combined(groups: &[Evidence]) -> Evidence {
    let (log, error) = average(groups.iter().map(|g| (g.log, g.error)));
    let (importance, importance_error) = average(groups.iter().map(|g| (g.importance, g.importance_error)));
    let of = |number: fn(&Evidence) -> f64, pick: fn(f64, f64) -> f64| groups.iter().map(number).reduce(pick).unwrap();
    let mut why: Vec<&str> = groups.iter().map(|g| g.why.as_str()).filter(|why| !why.is_empty()).collect();
    why.sort_unstable();
    why.dedup();
    // A group's estimate has the variance of its distance from the average, and that of the average.
    let far =
        |g: &Evidence| (g.log - log).abs() > LARGEST_Z * (g.error.powi(2) - error.powi(2)).max(0.0).sqrt().max(1e-9);
    if groups.iter().any(far) {
        why.push("groups of chains disagree on it");
    }
    Evidence {
        log,
        error,
        pareto_k: of(|g| g.pareto_k, f64::max),
        reliable: why.is_empty(),
        why: why.join("; "),
        importance,
        importance_error,
        efficiency: of(|g| g.efficiency, f64::min),
        efficiency_of_draws: of(|g| g.efficiency_of_draws, f64::min),
        outlier_share: of(|g| g.outlier_share, f64::max),
        proposals: groups.iter().map(|g| g.proposals).sum(),
        effective_draws: groups.iter().map(|g| g.effective_draws).sum(),
        late: None,
    }
}

/// The mean of independent estimates, weighted by the inverse of their variances, and its standard error.
fn average(estimates: impl Iterator<Item = (f64, f64)> + Clone) -> (f64, f64) {
    // An error of zero, from a density that is proportional to the target, would have infinite weight.
    let weight = |error: f64| error.max(1e-9).powi(-2);
    let total: f64 = estimates.clone().map(|(_, error)| weight(error)).sum();
    (estimates.map(|(log, error)| weight(error) * log).sum::<f64>() / total, total.sqrt().recip())
}
