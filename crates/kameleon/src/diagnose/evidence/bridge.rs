//! Bridge sampling (Meng and Wong 1996) between draws from a known density Q and draws from the target.

use super::ChainRatios;
use crate::diagnose::{ess_mean, mcse_mean};

/// What the draws of the chains count for, of their effective number. Accepted proposals are draws too, so the chains know less
/// that is new than this number says. In experiments with shares of jumps from 0.1 to 1 and noise of standard deviations from 0 to
/// 1.5, a quarter gave errors within about 10 % of the best share of each case, and honest intervals; with all of it the claimed
/// errors were up to 30 % too small.
const NEW: f64 = 0.25;
/// A variance estimated from n effective draws is raised by this number/n: what is rare has not been seen yet.
const UNSEEN: f64 = 25.0;
/// Errors come from means over this many draws, about two blocks of jumps, so that what a proposal and the draws that it becomes have in
/// common is not overlooked. They are over fewer where a chain would have less than `LEAST_MEANS` of them.
const TOGETHER: usize = 100;
const LEAST_MEANS: usize = 25;
/// Weights are far above all others that are more than this number of times the next largest, if they are at most `FEW`. Noise makes
/// large weights too, but no gap.
const FAR_ABOVE: f64 = 4.0;
const FEW: usize = 5;
/// The effective number of draws depends on the estimate, and the estimate, slightly, on it.
const ROUNDS: usize = 3;
/// The iteration ends at a step below `TOLERANCE`, or after `MOST_STEPS` steps.
const TOLERANCE: f64 = 1e-10;
const MOST_STEPS: usize = 1000;

/// Log ratios on both sides of the bridge.
#[derive(Default)]
pub(super) struct Sides<'a> {
    /// At the jump proposals of all chains; −∞ where the density is zero.
    pub proposals: Vec<f64>,
    /// The logarithms of their weights.
    pub log_weights: Vec<f64>,
    /// The weight of each over its ratio: 1 if its part of Q was drawn from as often as its share says.
    factors: Vec<f64>,
    /// At the draws, chain by chain.
    draws: Vec<&'a [f64]>,
    /// The number of draws.
    length: usize,
    /// For each proposal, its chain, and the place of the draw that comes next there.
    places: Vec<(usize, usize)>,
}

/// The estimate from the proposals alone.
pub(super) struct Importance {
    pub log: f64,
    pub error: f64,
    /// (Σw)²/(n Σw²)
    pub efficiency: f64,
    /// The share of Σw² that weights have which are far above all others.
    pub outlier_share: f64,
}

impl<'a> Sides<'a> {
    /// Both sides, or why there is nothing to estimate from.
    pub fn new(chains: &[ChainRatios<'a>]) -> Result<Self, &'static str> {
        let mut sides = Self::default();
        for chain in chains.iter().filter(|chain| !chain.draws.is_empty()) {
            let (made, kept) = (chain.proposals.len(), chain.draws.len());
            let place = |i: usize| chain.made_after.get(i).copied().unwrap_or(i * kept / made).min(kept - 1);
            sides.places.extend((0..made).map(|i| (sides.draws.len(), place(i))));
            for (i, ratio) in chain.proposals.iter().enumerate() {
                let usable = if *ratio < f64::INFINITY { *ratio } else { f64::NEG_INFINITY };
                // At a density of zero the factor is lost, and does not matter.
                let log_factor = chain.log_weights.get(i).map(|log| log - ratio).filter(|log| log.is_finite());
                sides.proposals.push(usable);
                sides.log_weights.push(usable + log_factor.unwrap_or(0.0));
                sides.factors.push(log_factor.map_or(1.0, f64::exp));
            }
            sides.draws.push(chain.draws);
            sides.length += kept;
        }
        if sides.draws.is_empty() {
            return Err("there are no draws");
        }
        if sides.draws.iter().any(|draws| draws.iter().any(|ratio| !ratio.is_finite())) {
            return Err("at some draws the jump density is zero, or the log density is not finite");
        }
        if sides.proposals.is_empty() {
            return Err("no jumps were proposed after the warm-up");
        }
        if sides.proposals.iter().all(|ratio| *ratio == f64::NEG_INFINITY) {
            return Err("the density is zero at all jump proposals");
        }
        Ok(sides)
    }

    /// The estimate, whose error takes proposals for independent ones.
    pub fn importance(&self) -> Importance {
        let n = self.log_weights.len() as f64;
        let largest = self.log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights = || self.log_weights.iter().map(|log| (log - largest).exp());
        let mean = weights().sum::<f64>() / n;
        let square = weights().map(|w| (w / mean).powi(2)).sum::<f64>() / n;
        Importance {
            log: largest + mean.ln(),
            error: ((square - 1.0).max(0.0) / n).sqrt(),
            efficiency: 1.0 / square,
            outlier_share: outliers(weights().collect()) / (mean * mean * square * n),
        }
    }

    /// 1/mean(w/Z) over the draws.
    pub fn efficiency_of_draws(&self, log: f64) -> f64 {
        self.length as f64 / self.draws.iter().flat_map(|draws| draws.iter()).map(|l| (l - log).exp()).sum::<f64>()
    }

    /// The standard error of mean(g) − mean(h), where `g` has a number for each proposal and `h` one for each draw: that of the
    /// mean of one series of each chain, in which a proposal is not far from the draws that it may have become.
    fn joint_error(&self, g: &[f64], h: &[Vec<f64>]) -> f64 {
        let scale = self.length as f64 / g.len() as f64;
        let mut series: Vec<Vec<f64>> = h.iter().map(|h| h.iter().map(|h| -h).collect()).collect();
        for ((chain, place), g) in self.places.iter().zip(g) {
            series[*chain][*place] += scale * g;
        }
        let shortest = series.iter().map(Vec::len).min().unwrap_or(0);
        let together = (shortest / LEAST_MEANS).clamp(1, TOGETHER);
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        let means: Vec<Vec<f64>> =
            series.iter().map(|series| series.chunks_exact(together).map(mean).collect()).collect();
        mcse_mean(&means.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }
}

/// Σw² of the few weights that are far above all others; zero if there are none.
fn outliers(mut weights: Vec<f64>) -> f64 {
    let count = weights.len().min(FEW + 1);
    if count < weights.len() {
        weights.select_nth_unstable_by(count, |a, b| b.total_cmp(a));
    }
    weights.truncate(count);
    weights.sort_by(|a, b| b.total_cmp(a));
    let above = (1..count).rev().find(|k| weights[k - 1] > FAR_ABOVE * weights[*k]);
    above.map_or(0.0, |k| weights[..k].iter().map(|w| w * w).sum())
}

/// The estimate from both sides.
pub(super) struct Bridge {
    pub log: f64,
    pub error: f64,
    /// The effective number of draws for the function that the bridge averages over them.
    pub effective_draws: f64,
    /// The distance from the importance estimate, in standard errors of the difference.
    pub from_importance: f64,
}

impl Bridge {
    /// None if the two sides have nothing in common. `start` is the estimate to start from.
    pub fn new(sides: &Sides<'_>, start: f64) -> Option<Self> {
        let made = sides.proposals.len() as f64;
        let (mut log, mut effective) = (start, sides.length as f64);
        let (mut at_proposals, mut at_draws) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let s = Shares::new(NEW * effective, made);
            log = s.iterate(sides, log)?;
            at_proposals = s.at_proposals(sides, log).collect::<Vec<_>>();
            at_draws =
                sides.draws.iter().map(|d| d.iter().map(|l| s.at_draw(l - log)).collect()).collect::<Vec<Vec<_>>>();
            effective = ess_mean(&at_draws.iter().map(Vec::as_slice).collect::<Vec<_>>());
            if effective.is_nan() {
                return Some(Self { log, error: f64::NAN, effective_draws: f64::NAN, from_importance: f64::NAN });
            }
        }
        // To first order the error of the logarithm is the mean of what the proposals add, less that of the draws.
        let mean = at_draws.iter().flatten().sum::<f64>() / sides.length as f64;
        at_draws.iter_mut().flatten().for_each(|h| *h = *h / mean - 1.0);
        let mean = at_proposals.iter().sum::<f64>() / made;
        at_proposals.iter_mut().for_each(|g| *g = *g / mean - 1.0);
        let raise = (1.0 + UNSEEN / effective).sqrt();
        let error = raise * sides.joint_error(&at_proposals, &at_draws);
        // The importance estimate is mean(w/Z): the same proposals with other weights, and no draws.
        let excess: Vec<f64> =
            at_proposals.iter().zip(&sides.log_weights).map(|(g, log)| g - ((log - start).exp() - 1.0)).collect();
        let of_difference = raise * sides.joint_error(&excess, &at_draws);
        let difference = (log - start).abs();
        let from_importance = if difference < 1e-9 { 0.0 } else { difference / of_difference };
        Some(Self { log, error, effective_draws: effective, from_importance })
    }
}

/// The weights s₁ of the target and s₂ of Q in the bridge 1/(s₁ π/Z + s₂ Q).
#[derive(Clone, Copy)]
struct Shares {
    target: f64,
    jumps: f64,
}

impl Shares {
    fn new(draws: f64, proposals: f64) -> Self {
        Self { target: draws / (draws + proposals), jumps: proposals / (draws + proposals) }
    }

    /// (π/Z)/(s₁ π/Z + s₂ Q) at each proposal, times what it counts for.
    fn at_proposals<'a>(self, sides: &'a Sides<'_>, log: f64) -> impl Iterator<Item = f64> + 'a {
        let at = move |l: &f64| 1.0 / (self.target + self.jumps * (log - l).exp());
        sides.proposals.iter().zip(&sides.factors).map(move |(l, factor)| factor * at(l))
    }

    /// Q/(s₁ π/Z + s₂ Q)
    fn at_draw(self, log_ratio: f64) -> f64 {
        1.0 / (self.target * log_ratio.exp() + self.jumps)
    }

    /// ln Z, at which both sides have the same mean.
    fn iterate(self, sides: &Sides<'_>, mut log: f64) -> Option<f64> {
        for _ in 0..MOST_STEPS {
            let up = self.at_proposals(sides, log).sum::<f64>() / sides.proposals.len() as f64;
            let draws = sides.draws.iter().flat_map(|draws| draws.iter());
            let down = draws.map(|l| self.at_draw(l - log)).sum::<f64>() / sides.length as f64;
            let step = (up / down).ln();
            if !step.is_finite() {
                return None;
            }
            log += step;
            if step.abs() < TOLERANCE {
                break;
            }
        }
        Some(log)
    }
}
