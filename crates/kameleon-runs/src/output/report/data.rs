//! All that the page's script draws from, as one value.

use super::modes::several;
use super::parameter::{Parameter, Shown};
use super::thinned::{Packed, step};
use crate::output::{ChainDraws, Kept, Posterior};
use kameleon::diagnose::{ParameterSummary, Summary};
use serde::Serialize;

/// The most draws of a chain that are shown, and the most numbers for all chains and parameters together.
const MOST_DRAWS: usize = 4_000;
const MOST_NUMBERS: usize = 600_000;
/// How many draws in a row the chain's path has.
const PATH: usize = 300;
/// The most parameters that have figures: of more, those that converged worst.
pub(super) const MOST_PARAMETERS: usize = 100;

/// What the script gets.
#[derive(Serialize)]
pub(super) struct PageData {
    chains: Vec<Chain>,
    /// One draw out of this many is shown.
    every: usize,
    /// One draw is in memory out of this many iterations.
    thin: u64,
    parameters: Vec<Parameter>,
    proposals: Vec<Proposal>,
    /// Where the modes are, if there are several: for each, its place in each parameter.
    modes: Vec<Vec<f64>>,
    /// What thinning kept, if the run was thinned.
    kept: Option<KeptDraws>,
}

/// The kept draws, in the frames of the parameters.
#[derive(Serialize)]
struct KeptDraws {
    about: String,
    chain: Vec<usize>,
    draw: Vec<usize>,
    /// For each parameter, the values of all kept draws.
    values: Vec<Packed>,
}

/// One chain: which, how long, and what it did in its warm-up.
#[derive(Serialize)]
struct Chain {
    index: usize,
    draws: usize,
    t: Vec<u64>,
    scale: Vec<f64>,
    acceptance: Vec<f64>,
    bandwidth: Vec<Option<f64>>,
    /// The mode of each draw that is shown, if there are several.
    modes: Vec<usize>,
}

/// The proposal at a place, in the frames of the parameters.
#[derive(Serialize)]
struct Proposal {
    chain: usize,
    centre: Packed,
    covariance: Packed,
}

pub(super) fn page_data(posterior: &Posterior, summary: &Summary) -> PageData {
    let chains: Vec<&ChainDraws> = posterior.chains.iter().filter(|chain| !chain.draws.is_empty()).collect();
    let places = worst(&summary.parameters);
    let longest = chains.iter().map(|chain| chain.draws.len()).max().unwrap_or(0);
    let most = (MOST_NUMBERS / (places.len() * chains.len()).max(1)).clamp(200, MOST_DRAWS);
    let shown = Shown { every: step(longest, most), path: PATH };
    let parameters = in_parallel(&places, |&place| {
        let column = |chain: &&ChainDraws| chain.draws.points.chunks(posterior.dim()).map(|x| x[place]).collect();
        Parameter::new(&summary.parameters[place], &chains.iter().map(column).collect::<Vec<_>>(), shown)
    });
    let proposals = proposals(&chains, &places, &parameters, posterior.dim());
    let modes = several(posterior).iter().map(|mode| places.iter().map(|i| mode.place[*i]).collect()).collect();
    let kept = posterior.kept.as_ref().map(|kept| kept_draws(kept, &places, &parameters, posterior.dim()));
    PageData {
        chains: chains.iter().map(|chain| Chain::new(chain, labels(posterior, chain.index, shown.every))).collect(),
        every: shown.every,
        thin: posterior.thin.saturating_mul(posterior.all.as_ref().map_or(1, |all| all.every)),
        parameters,
        proposals,
        modes,
        kept,
    }
}

fn kept_draws(kept: &Kept, places: &[usize], parameters: &[Parameter], d: usize) -> KeptDraws {
    let column = |(i, p): (&usize, &Parameter)| kept.points.chunks(d).map(|x| p.frame.relative(x[*i])).collect();
    KeptDraws {
        about: kept.words(),
        chain: kept.chain.clone(),
        draw: kept.draw.clone(),
        values: places.iter().zip(parameters).map(column).collect(),
    }
}

/// The modes of the draws of a chain that are shown.
fn labels(posterior: &Posterior, chain: usize, every: usize) -> Vec<usize> {
    let population = posterior.population.as_ref().filter(|_| !several(posterior).is_empty());
    let place = posterior.chains.iter().position(|of| of.index == chain);
    let labels = population.zip(place).and_then(|(population, place)| population.labels.get(place));
    labels.map_or_else(Vec::new, |labels| labels.iter().copied().step_by(every).collect())
}

/// The places of the parameters to be shown, in their order: all, or of very many those with the largest R-hat.
fn worst(parameters: &[ParameterSummary]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..parameters.len()).collect();
    if places.len() > MOST_PARAMETERS {
        let badness = |i: &usize| if parameters[*i].r_hat.is_nan() { f64::INFINITY } else { parameters[*i].r_hat };
        places.sort_by(|a, b| badness(b).total_cmp(&badness(a)));
        places.truncate(MOST_PARAMETERS);
        places.sort_unstable();
    }
    places
}

impl Chain {
    fn new(chain: &ChainDraws, modes: Vec<usize>) -> Self {
        let trace = &chain.statistics.trace;
        Self {
            index: chain.index,
            draws: chain.draws.len(),
            t: trace.iter().map(|point| point.t + 1).collect(),
            scale: trace.iter().map(|point| point.scale).collect(),
            acceptance: trace.iter().map(|point| point.acceptance).collect(),
            bandwidth: trace.iter().map(|point| point.bandwidth).collect(),
            modes,
        }
    }
}

fn proposals(chains: &[&ChainDraws], places: &[usize], parameters: &[Parameter], d: usize) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    for (chain, of) in chains.iter().enumerate() {
        for ellipse in of.proposals.iter().filter(|e| e.centre.len() == d && e.covariance.len() == d * d) {
            let framed = || places.iter().zip(parameters);
            let entry = |i: usize, a: &Parameter, j: usize, b: &Parameter| {
                ellipse.covariance[i * d + j] / a.frame.scale / b.frame.scale
            };
            let row = |(i, a): (&usize, &Parameter)| framed().map(|(j, b)| entry(*i, a, *j, b)).collect::<Vec<_>>();
            proposals.push(Proposal {
                chain,
                centre: framed().map(|(i, p)| p.frame.relative(ellipse.centre[*i])).collect(),
                covariance: framed().flat_map(row).collect(),
            });
        }
    }
    proposals
}

/// The same for each item, on as many threads as there are cores, in order.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let share = items.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> =
            items.chunks(share).map(|part| scope.spawn(|| part.iter().map(&work).collect::<Vec<_>>())).collect();
        let finished =
            parts.into_iter().map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        finished.flatten().collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_very_many_parameters_the_worst_are_shown_in_order() {
        let parameter = |i: usize| ParameterSummary {
            name: format!("x{i}"),
            mean: 0.0,
            sd: 1.0,
            mcse_mean: 0.1,
            ess_bulk: 100.0,
            ess_tail: 100.0,
            r_hat: if i.is_multiple_of(2) { 1.0 } else { 1.5 },
            q5: -1.0,
            q50: 0.0,
            q95: 1.0,
        };
        let parameters: Vec<_> = (0..2 * MOST_PARAMETERS).map(parameter).collect();
        let places = worst(&parameters);
        assert_eq!(places.len(), MOST_PARAMETERS);
        assert!(places.iter().all(|i| i % 2 == 1) && places.is_sorted());
        assert_eq!(worst(&parameters[..3]), [0, 1, 2]);
    }

    #[test]
    fn parallel_work_keeps_its_order() {
        let items: Vec<usize> = (0..101).collect();
        assert_eq!(in_parallel(&items, |i| i * i), items.iter().map(|i| i * i).collect::<Vec<_>>());
    }
}
