//! What the population before the chains found: its modes, weighed by the draws of the chains, and what is known against it.

use crate::store::Search;
use kameleon::diagnose::{Evidence, LARGEST_K, mcse_mean};
use kameleon::population::{Doubt, Found, Niche};
use kameleon_models::Bound;
use serde::{Deserialize, Serialize};

/// A mode of less than this share of the posterior is not shown.
const LEAST_SHARE: f64 = 0.001;
/// The fewest draws of each chain whose labels weigh modes.
const LEAST_DRAWS: usize = 250;
/// The largest Pareto k̂ of the chains' jump proposals that is no reason to doubt that all modes were found; beyond [`LARGEST_K`]
/// there is no evidence.
const GOOD_K: f64 = 0.5;

/// A mode may be missing that has fewer than this number of the particles where the widest has all of them: with 2 to 4 of them half of the
/// modes beside a Gaussian of the same weight in a wide box were missed.
const FEW_PARTICLES: f64 = 8.0;

/// What a population found, or how far it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PopulationSummary {
    /// The number of particles of its last ladder, or of its short looks.
    pub particles: usize,
    /// The number of evaluations, which count in those of the run.
    pub evaluations: u64,
    /// The number of batches, one after another, that they were made in.
    pub batches: u64,
    /// The number of points at which the likelihood was NaN or +∞, or was refused.
    pub invalid: u64,
    /// What it is doing, if it has not ended.
    pub progress: Option<String>,
    /// Whether it was short looks only: no full ladder was run.
    pub only_looks: bool,
    /// Whether the likelihood is noisy: then hills of the noise cannot be told from modes, and none are listed.
    pub noisy: bool,
    /// Whether the chains know its density from the beginning.
    pub frozen: bool,
    /// log Z by its full ladders. That of short looks says little, and is not told.
    pub ladder_log_z: Option<f64>,
    /// log Z by fresh draws from its frozen density.
    pub log_z: Option<f64>,
    /// What is known against it.
    pub doubts: Vec<String>,
    /// What is worth knowing, and says nothing against it.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// Whether one of the doubts says that its search did not come to its end: then neither draws nor evidence are believed.
    #[serde(default)]
    pub unfinished: bool,
    /// What a reader of one mode has to know.
    #[serde(default)]
    pub caution: Option<String>,
    /// The modes, the heaviest first; empty while it runs.
    pub modes: Vec<ModeSummary>,
    /// For each chain the number of the mode of each of its draws.
    #[serde(skip)]
    pub labels: Vec<Vec<usize>>,
}

/// What a reader of one mode has to know: a mode r times as wide as another has r^d of the points that look for modes.
fn one_mode(found: &Found, dim: usize) -> String {
    let width = (100.0 * (FEW_PARTICLES / found.particles as f64).powf(1.0 / dim as f64)).ceil() / 100.0;
    let (how, harder) = match found.only_looks {
        true => (", by short looks", "; population.looks = 0 searches harder"),
        false => ("", ""),
    };
    format!("one mode{how}: a mode that is less than {width} times as wide may be missing{harder}")
}

/// A mode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModeSummary {
    /// The mean of its draws, or its top where there are none, in the parameters' own units.
    #[serde(rename = "where")]
    pub place: Vec<f64>,
    /// Its share of the posterior: by the draws of the chains where there are enough, else by the population.
    pub weight: f64,
    /// The standard error of that.
    pub error: Option<f64>,
    /// ln of its part of the evidence.
    pub log_evidence: Option<f64>,
    /// The chains that visited it.
    pub chains: Vec<usize>,
}

/// The draws of a chain, by its number, on the unbounded scale.
pub type ChainPoints<'a> = (usize, &'a [f64]);

/// What is known besides a population.
pub struct After<'a> {
    /// The bounds of the parameters.
    pub bounds: &'a [Bound],
    /// The draws of the chains that went on from there.
    pub chains: &'a [ChainPoints<'a>],
    /// The evidence that these give.
    pub evidence: Option<&'a Evidence>,
    /// Whether the likelihood is noisy.
    pub noisy: bool,
}

impl PopulationSummary {
    /// Of a population and what came after it.
    pub fn new(search: &Search, after: &After<'_>) -> Self {
        match search {
            Search::Running(population) => {
                let (particles, only_looks) = population.particles();
                Self {
                    particles,
                    only_looks,
                    evaluations: population.evaluations(),
                    batches: population.batches(),
                    progress: Some(population.progress()),
                    ..Self::default()
                }
            }
            Search::Done(found) => Self::done(found, after),
        }
    }

    fn done(found: &Found, after: &After<'_>) -> Self {
        let After { bounds, chains, evidence, noisy } = *after;
        let reliable = evidence.filter(|evidence| evidence.reliable).map(|evidence| evidence.log);
        let frozen = found.frozen.map(|estimate| estimate.log_z);
        let ladder = found.ladder_log_z().filter(|_| !found.only_looks);
        let (remarks, doubts): (Vec<Doubt>, Vec<Doubt>) =
            found.doubts.iter().cloned().chain(far_from_chains(found, evidence)).partition(Doubt::is_remark);
        let mut summary = Self {
            particles: found.particles,
            evaluations: found.evaluations,
            batches: found.batches,
            invalid: found.invalid,
            progress: None,
            only_looks: found.only_looks,
            noisy,
            frozen: found.density.is_some(),
            ladder_log_z: ladder,
            log_z: frozen,
            doubts: doubts.iter().map(ToString::to_string).chain(heavy_tail(found, evidence)).collect(),
            remarks: remarks.iter().map(|remark| format!("Population warm-up: {remark}.")).collect(),
            unfinished: doubts.iter().any(|doubt| doubt.is_unfinished() && !(noisy && doubt.counts_niches())),
            caution: None,
            modes: Vec::new(),
            labels: Vec::new(),
        };
        if !noisy {
            summary.find_modes(found, bounds, chains, reliable.or(frozen).or(ladder));
        }
        summary.caution = (summary.modes.len() == 1).then(|| one_mode(found, bounds.len()));
        summary
    }

    /// The modes, and the mode of each draw.
    fn find_modes(&mut self, found: &Found, bounds: &[Bound], chains: &[ChainPoints<'_>], log_z: Option<f64>) {
        let shares: Vec<(f64, f64)> = found.shares();
        let mut kept: Vec<usize> = (0..shares.len()).filter(|k| shares[*k].0 >= LEAST_SHARE).collect();
        kept.sort_by(|a, b| shares[*b].0.total_cmp(&shares[*a].0));
        let niches: Vec<Niche> = kept.iter().map(|k| found.niches[*k].clone()).collect();
        let labels: Vec<Vec<usize>> = chains.iter().map(|(_, points)| found.nearest(&niches, points)).collect();
        let mode = |(mode, niche): (usize, &usize)| {
            let (weight, error) = by_draws(&labels, mode).unwrap_or(shares[*niche]);
            let visits = chains.iter().zip(&labels).filter(|(_, labels)| labels.contains(&mode));
            ModeSummary {
                place: place(&found.top(&found.niches[*niche]), bounds, chains, &labels, mode),
                weight,
                error: Some(error).filter(|error| error.is_finite()),
                log_evidence: log_z.map(|log| log + weight.ln()).filter(|log| log.is_finite()),
                chains: visits.map(|((index, _), _)| *index).collect(),
            }
        };
        let modes: Vec<ModeSummary> = kept.iter().enumerate().map(mode).collect();
        let mut order: Vec<usize> = (0..modes.len()).collect();
        order.sort_by(|a, b| modes[*b].weight.total_cmp(&modes[*a].weight));
        let mut rank = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, mode)| rank[*mode] = place);
        self.modes = order.into_iter().map(|mode| modes[mode].clone()).collect();
        self.labels = labels.into_iter().map(|chain| chain.into_iter().map(|mode| rank[mode]).collect()).collect();
    }

    /// A warning for each thing that is known against it.
    pub fn warnings(&self) -> Vec<String> {
        let doubt = |doubt: &String| format!("population warm-up: {doubt}; modes may be missing (docs/population.md)");
        let mut warnings: Vec<String> = self.doubts.iter().map(doubt).collect();
        if self.invalid > 0 {
            warnings.push(format!(
                "population warm-up: {} of {} points had no usable log likelihood, and count as impossible",
                self.invalid, self.evaluations
            ));
        }
        warnings
    }
}

/// A log Z of the chains that is far from that of a ladder, where the population does not know as much already.
fn far_from_chains(found: &Found, evidence: Option<&Evidence>) -> Option<Doubt> {
    let log_z = evidence.filter(|evidence| evidence.reliable && evidence.pareto_k <= LARGEST_K)?.log;
    let far = Doubt::FarLadder { ladder: found.far_ladder(log_z)?, log_z };
    let same = |doubt: &Doubt| matches!(doubt, Doubt::FarLadder { .. }) && doubt.is_remark() == far.is_remark();
    (!found.doubts.iter().any(same)).then_some(far)
}

/// A tail of the chains' jump proposals that is not light, where that of the population's draws was.
fn heavy_tail(found: &Found, evidence: Option<&Evidence>) -> Option<String> {
    let is_known = found.doubts.iter().any(|doubt| matches!(doubt, Doubt::HeavyTail { .. }));
    let k = evidence?.pareto_k;
    let is_new = k > GOOD_K && k <= LARGEST_K && !is_known;
    is_new.then(|| format!("the weights of the chains' jump proposals have a heavy tail: Pareto k is {k:.2}"))
}

/// The share of a mode by the draws of all chains, and its standard error; none if there are too few.
fn by_draws(labels: &[Vec<usize>], mode: usize) -> Option<(f64, f64)> {
    if labels.is_empty() || labels.iter().any(|chain| chain.len() < LEAST_DRAWS) {
        return None;
    }
    let inside = |chain: &Vec<usize>| chain.iter().map(|label| f64::from(u8::from(*label == mode))).collect();
    let chains: Vec<Vec<f64>> = labels.iter().map(inside).collect();
    let count: usize = chains.iter().map(Vec::len).sum();
    let share = chains.iter().flatten().sum::<f64>() / count as f64;
    let chains: Vec<&[f64]> = chains.iter().map(Vec::as_slice).collect();
    Some((share, if share > 0.0 && share < 1.0 { mcse_mean(&chains) } else { 0.0 }))
}

/// Where a mode is, in the parameters' own units.
fn place(top: &[f64], bounds: &[Bound], chains: &[ChainPoints<'_>], labels: &[Vec<usize>], mode: usize) -> Vec<f64> {
    let own = |u: &[f64]| u.iter().zip(bounds).map(|(u, bound)| bound.bounded(*u).0).collect::<Vec<f64>>();
    let top = own(top);
    let (mut sum, mut count) = (vec![0.0; bounds.len()], 0.0);
    for ((_, points), labels) in chains.iter().zip(labels) {
        for (u, _) in points.chunks_exact(bounds.len()).zip(labels).filter(|(_, label)| **label == mode) {
            for ((sum, x), (top, bound)) in sum.iter_mut().zip(own(u)).zip(top.iter().zip(bounds)) {
                *sum += bound.nearest_to(*top, x);
            }
            count += 1.0;
        }
    }
    if count == 0.0 {
        return top;
    }
    sum.iter().zip(bounds).map(|(sum, bound)| bound.wrap(sum / count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kameleon::Rng;
    use kameleon::population::{Population, Prior, Settings};
    use rand::RngExt;

    struct InBox;

    impl Prior for InBox {
        fn dim(&self) -> usize {
            1
        }

        fn draw(&self, rng: &mut Rng, x: &mut [f64]) {
            x[0] = rng.random_range(-10.0..10.0);
        }

        fn log_density(&self, x: &[f64]) -> f64 {
            if x[0].abs() <= 10.0 { -20f64.ln() } else { f64::NEG_INFINITY }
        }
    }

    fn summary_of(found: &Found, evidence: &Evidence, noisy: bool) -> PopulationSummary {
        let after = After { bounds: &[Bound::FREE], chains: &[], evidence: Some(evidence), noisy };
        PopulationSummary::new(&Search::Done(Box::new(found.clone())), &after)
    }

    #[test]
    fn niches_of_noise_are_no_reason_to_call_a_search_unfinished_and_a_budget_is() {
        let mut population = Population::new(1, &Settings::default(), 1).unwrap();
        let mut found = population.run(&InBox, |x| -x[0] * x[0]).unwrap().clone();
        let mut unfinished = |doubt: Doubt, noisy: bool| {
            found.doubts = vec![Doubt::FarLadder { ladder: -2.0, log_z: -1.0 }, doubt];
            summary_of(&found, &Evidence::none(""), noisy).unfinished
        };
        assert!(unfinished(Doubt::OnlyLooks { needed: 1 }, false) && !unfinished(Doubt::OnlyLooks { needed: 1 }, true));
        assert!(unfinished(Doubt::Stopped { searched: false }, true));
        assert!(!unfinished(Doubt::HeavyTail { pareto_k: 0.6 }, false));
    }

    #[test]
    fn a_ladder_that_lost_modes_is_remarked_and_one_that_found_more_is_a_doubt() {
        let mut population = Population::new(1, &Settings::default(), 1).unwrap();
        let mut found = population.run(&InBox, |x| -x[0] * x[0]).unwrap().clone();
        let mut with = |ladder: f64| {
            found.doubts = vec![Doubt::FarLadder { ladder, log_z: -1.0 }];
            summary_of(&found, &Evidence::none(""), false)
        };
        let lost = with(-2.0);
        assert!(
            lost.doubts.is_empty() && lost.warnings().is_empty() && lost.remarks[0].contains("gives a smaller one"),
            "{lost:?}"
        );
        let more = with(0.0);
        assert!(more.remarks.is_empty() && more.warnings().len() == 1, "{more:?}");
    }

    #[test]
    fn a_tail_of_the_chains_proposals_that_is_not_light_is_a_doubt_and_no_reason_to_call_a_search_unfinished() {
        let mut population = Population::new(1, &Settings::default(), 1).unwrap();
        let found = population.run(&InBox, |x| -x[0] * x[0]).unwrap();
        let summary = |pareto_k: f64| summary_of(found, &Evidence { pareto_k, ..Evidence::none("") }, false);
        let doubted = summary(0.55);
        assert_eq!(doubted.doubts, ["the weights of the chains' jump proposals have a heavy tail: Pareto k is 0.55"]);
        assert!(!doubted.unfinished && doubted.warnings()[0].ends_with("modes may be missing (docs/population.md)"));
        // Beyond .7 there is no evidence, and the reason is told with it.
        for fine in [0.45, 0.75, f64::NAN] {
            assert!(summary(fine).doubts.is_empty(), "{fine}");
        }
        assert!(doubted.caution.unwrap().starts_with("one mode, by short looks"));
    }
}
