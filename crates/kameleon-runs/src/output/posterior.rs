//! A run to be shown or exported: its draws in original units, and all that a person should know about them.

use crate::atomic_file::FileError;
use crate::output::jumps::RAN_AWAY;
use crate::output::{AllDraws, JumpSummary, Kept, Learned, PopulationSummary, least_and_most};
use kameleon::any_chain::AnyChain;
use kameleon::diagnose::{Period, Stein};
use kameleon::engine::StopRule;
use kameleon::proposal::FUNNEL;
use kameleon::record::Draws;
use kameleon::registry::Values;
use kameleon::{Plan, Run, Statistics};
use serde::Serialize;

/// A run, finished or not.
#[derive(Clone, Debug, Default)]
pub struct Posterior {
    /// What was sampled, for people.
    pub target: String,
    /// The sampler's name.
    pub sampler: String,
    /// One name for each coordinate; coordinates are in original units, with bounds already undone.
    pub names: Vec<String>,
    /// The intervals of those that are periodic, whose figures are of the circle unrolled around the circular mean.
    pub periods: Vec<Period>,
    /// How the coordinates group into arrays; by default one scalar for each name.
    pub variables: Vec<Variable>,
    /// The chains, in order.
    pub chains: Vec<ChainDraws>,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Iterations of warm-up in each chain.
    pub warmup: u64,
    /// One draw was kept out of this many iterations.
    pub thin: u64,
    /// Whether the log density is an unbiased estimate.
    pub noisy: bool,
    /// The standard deviation of the log of the estimate, where it was measured.
    pub sd_log_estimate: Option<f64>,
    /// How long the run took, where that is known.
    pub seconds: Option<f64>,
    /// The resolved settings as TOML text.
    pub settings: String,
    /// The rule by which the run was to end, if it had one.
    pub until: Option<StopRule>,
    /// What the user should know besides the summary.
    pub warnings: Vec<String>,
    /// What belongs to the verdict without speaking against the draws.
    pub remarks: Vec<String>,
    /// What the sampler learned.
    pub learned: Learned,
    /// What its jump proposals say; none for a sampler that makes no jumps.
    pub jumps: Option<JumpSummary>,
    /// What the log densities at the draws say of them; none where they say nothing, or where the run was not to be checked.
    pub stein: Option<Stein>,
    /// What the population before the chains found; none for a run without one.
    pub population: Option<PopulationSummary>,
    /// Whether files of draws tell the mode of each draw.
    pub label_modes: bool,
    /// The draws that thinning kept, if the run was thinned.
    pub kept: Option<Kept>,
    /// Figures of all draws, where not all of them are here.
    pub all: Option<AllDraws>,
}

/// A named array of coordinates, row by row; no shape for a single number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The length of each of its dimensions.
    pub shape: Vec<usize>,
}

impl Variable {
    /// How many coordinates it takes.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }
}

/// One chain of a run.
#[derive(Clone, Debug, Default)]
pub struct ChainDraws {
    /// Which chain, from 0.
    pub index: usize,
    /// The warm-up; empty if it was not recorded.
    pub warmup: Draws,
    /// The draws after it.
    pub draws: Draws,
    /// Counts, traces of scale and bandwidth, the longest wait without a move.
    pub statistics: Statistics,
    /// A few places of the chain with the proposal's covariance there.
    pub proposals: Vec<ProposalEllipse>,
    /// The chain and the draw that each draw was taken from; empty if these are the draws of the chain itself.
    pub origin: Vec<(usize, usize)>,
}

impl ChainDraws {
    /// The chain and the draw that a draw was taken from.
    pub fn origin_of(&self, draw: usize) -> (usize, usize) {
        self.origin.get(draw).copied().unwrap_or((self.index, draw))
    }
}

/// Where a proposal was looked at, and how it spreads there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProposalEllipse {
    /// The point.
    pub centre: Vec<f64>,
    /// The proposal's covariance there, row by row, in original units.
    pub covariance: Vec<f64>,
}

/// The number of places of a chain that are shown, and of draws that they are chosen from.
const PLACES: usize = 20;
const CANDIDATES: usize = 400;

/// Above this dimension a covariance is too large to be kept for each place.
const LARGEST_ELLIPSE: usize = 200;

impl ProposalEllipse {
    /// The proposal of `chain` at some of its `points`, far from each other. None for proposals that do not know their covariance.
    pub fn along(chain: &dyn AnyChain, points: &[f64]) -> Vec<Self> {
        let d = chain.position().len();
        let count = points.len() / d;
        if count == 0 || d > LARGEST_ELLIPSE {
            return Vec::new();
        }
        let candidates: Vec<&[f64]> = points.chunks(d).step_by(count.div_ceil(CANDIDATES)).collect();
        let centres = far_apart(&candidates, PLACES).into_iter();
        centres.filter_map(|x| Some(Self { centre: x.to_vec(), covariance: chain.covariance_at(x)? })).collect()
    }
}

/// Some of the points, so that together they show all of the places: first the one nearest to the middle, then again and
/// again the one farthest from those before. Coordinates count by their spread.
fn far_apart<'a>(points: &[&'a [f64]], count: usize) -> Vec<&'a [f64]> {
    let (n, d) = (points.len() as f64, points.first().map_or(0, |x| x.len()));
    let mean: Vec<f64> = (0..d).map(|i| points.iter().map(|x| x[i]).sum::<f64>() / n).collect();
    let variance = |i: usize| points.iter().map(|x| (x[i] - mean[i]).powi(2)).sum::<f64>() / n;
    let weights: Vec<f64> = (0..d).map(variance).map(|v| if v > 0.0 { 1.0 / v } else { 0.0 }).collect();
    let distance = |x: &[f64], y: &[f64]| (0..d).map(|i| weights[i] * (x[i] - y[i]).powi(2)).sum::<f64>();
    let mut next = points.iter().copied().min_by(|x, y| distance(x, &mean).total_cmp(&distance(y, &mean)));
    let mut chosen = Vec::new();
    let mut nearest = vec![f64::INFINITY; points.len()];
    while let Some(x) = next.filter(|_| chosen.len() < count) {
        chosen.push(x);
        points.iter().zip(&mut nearest).for_each(|(y, near)| *near = near.min(distance(x, y)));
        // Points that were chosen, and their copies, have distance zero.
        let farthest = nearest.iter().enumerate().filter(|(_, near)| **near > 0.0).max_by(|a, b| a.1.total_cmp(b.1));
        next = farthest.map(|(k, _)| points[k]);
    }
    chosen
}

/// The plan as sections of a run file.
fn written(plan: &Plan) -> String {
    #[derive(Serialize)]
    struct Sections<'a> {
        sampler: Values,
        run: &'a Plan,
    }
    let sections = Sections { sampler: plan.sampler.choice().to_table(), run: plan };
    toml::to_string(&sections).unwrap_or_else(|why| format!("# the settings cannot be written: {why}\n"))
}

impl Posterior {
    /// A run in memory, of a target whose parameters have no bounds.
    pub fn from_run(run: &Run, plan: &Plan, target: impl Into<String>) -> Self {
        let states: Vec<_> = run.chains.iter().map(|chain| chain.state.clone().resume().ok()).collect();
        let chains = run.chains.iter().zip(&states).enumerate().map(|(index, (chain, state))| {
            let (draws, statistics) = (chain.draws.clone(), chain.statistics.clone());
            let proposals = state.as_deref().map(|state| ProposalEllipse::along(state, &draws.points));
            ChainDraws { index, draws, statistics, proposals: proposals.unwrap_or_default(), ..ChainDraws::default() }
        });
        let chains: Vec<ChainDraws> = chains.collect();
        let evidence = run.evidence(plan.pools());
        let draws: Vec<&Draws> = run.chains.iter().map(|chain| &chain.draws).collect();
        let mut jumps = evidence.map(|evidence| JumpSummary::new(evidence, false, &draws, run.dim()));
        let mut warnings = run.warnings();
        if let Some(jumps) = jumps.as_mut().filter(|_| warnings.iter().any(|text| text.contains(FUNNEL))) {
            jumps.doubt_funnel();
        }
        warnings.extend(jumps.as_ref().and_then(|jumps| jumps.warning(&run.names)));
        let stein = plan.check.stein(&draws, run.chains.iter().map(|chain| &chain.statistics), run.dim());
        let mut posterior = Self {
            target: target.into(),
            sampler: plan.sampler.name().into(),
            names: run.names.clone(),
            variables: Self::scalars(&run.names),
            chains,
            seed: plan.seed,
            warmup: states.iter().flatten().map(|state| state.warmup()).max().unwrap_or(0),
            thin: plan.thin,
            settings: written(plan),
            until: plan.until,
            warnings,
            learned: Learned::of(states.iter().flatten().map(|state| &**state)),
            jumps,
            ..Self::default()
        };
        posterior.heed(stein);
        posterior
    }

    /// Takes what Stein's identity says of the draws. An evidence is no better than its draws.
    pub fn heed(&mut self, stein: Option<Stein>) {
        let is_off = |stein: &Option<Stein>| stein.as_ref().is_some_and(|stein| !stein.off().is_empty());
        let is_new = is_off(&stein) && !is_off(&self.stein);
        // Of chains that have run away the verdict says nothing else.
        if let Some(jumps) = self.jumps.as_mut().filter(|jumps| is_new && jumps.evidence.why != RAN_AWAY) {
            jumps.evidence.doubt("the draws do not fit the log densities at them (Stein's identity)".into());
        }
        self.stein = stein;
    }

    /// One single number for each name.
    pub fn scalars(names: &[String]) -> Vec<Variable> {
        names.iter().map(|name| Variable { name: name.clone(), shape: Vec::new() }).collect()
    }

    /// The dimension.
    pub fn dim(&self) -> usize {
        self.names.len()
    }

    /// The points of each chain that has any, one after another.
    pub fn points(&self) -> Vec<&[f64]> {
        self.chains.iter().map(|chain| chain.draws.points.as_slice()).filter(|points| !points.is_empty()).collect()
    }

    /// The fewest and the most draws of a chain, those that are not in memory included.
    pub fn draws_of_chain(&self) -> (u64, u64) {
        let here = || least_and_most(self.chains.iter().map(|chain| chain.draws.len() as u64));
        self.all.as_ref().map_or_else(here, |all| all.of_chain)
    }

    /// An error if names, variables and draws do not fit together: then nothing can be written.
    pub fn check(&self) -> Result<(), FileError> {
        let misfit = |what: String| Err(FileError(format!("the run is inconsistent: {what}")));
        let (d, sizes) = (self.dim(), self.variables.iter().map(Variable::size).sum::<usize>());
        if d == 0 || sizes != d {
            return misfit(format!("{d} parameters have names, {sizes} are in its variables"));
        }
        for chain in &self.chains {
            for kept in [&chain.warmup, &chain.draws] {
                if !kept.fit(d) {
                    let (index, n) = (chain.index, kept.len());
                    return misfit(format!("chain {index} has {n} log densities, and another number of points"));
                }
            }
        }
        Ok(())
    }

    /// For each chain the mode of each of its draws, counted from 1, where that is asked for and known.
    pub(crate) fn mode_labels(&self) -> Option<Vec<Vec<i64>>> {
        let labels = &self.population.as_ref().filter(|_| self.label_modes)?.labels;
        let fits = labels.len() == self.chains.len()
            && labels.iter().zip(&self.chains).all(|(labels, chain)| labels.len() == chain.draws.len());
        let counted = |chain: &Vec<usize>| chain.iter().map(|mode| *mode as i64 + 1).collect();
        fits.then(|| labels.iter().map(counted).collect())
    }

    /// Evaluations of the target, by a population, over all chains, and for the check after them.
    pub fn evaluations(&self) -> u64 {
        let before = self.population.as_ref().map_or(0, |population| population.evaluations);
        let after = self.stein.as_ref().map_or(0, |stein| stein.evaluations);
        before + after + self.chains.iter().map(|chain| chain.statistics.evaluations).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_spread_out_and_none_comes_twice() {
        let points: Vec<[f64; 2]> = (0..100).map(|k| [f64::from(k % 50), 1e6 * f64::from(k % 2)]).collect();
        let points: Vec<&[f64]> = points.iter().map(|x| x.as_slice()).collect();
        let chosen = far_apart(&points, 3);
        assert_eq!(chosen.len(), 3);
        assert!(
            (chosen[0][0] - 24.5).abs() < 2.0 && chosen[1..].iter().all(|x| x[0] < 2.0 || x[0] > 47.0),
            "{chosen:?}"
        );
        assert_eq!(far_apart(&[&[1.0], &[1.0], &[2.0]], 9).len(), 2);
        assert!(far_apart(&[], 9).is_empty());
    }
}
