//! A posterior as a list of R: draws with iterations first, then chains, then parameters, and all that is known of them.

use crate::{value, words};
use extendr_api::prelude::*;
use kameleon::diagnose::{ParameterSummary, Summary};
use kameleon::record::Draws;
use kameleon_runs::output::{JumpSummary, PopulationSummary, Posterior};
use serde::Serialize;

/// The posterior as a list, with how and why its run ended.
pub fn to_list(posterior: Posterior, ending: &str, reason: &str) -> Robj {
    let (dim, summary) = (posterior.dim(), posterior.summary());
    let kept: Vec<&Draws> = posterior.chains.iter().map(|chain| &chain.draws).collect();
    let warmup: Vec<&Draws> = posterior.chains.iter().map(|chain| &chain.warmup).collect();
    value::named([
        ("names", posterior.names.clone().into()),
        ("draws", stack(&kept, dim)),
        ("warmup_draws", stack(&warmup, dim)),
        ("weighted", weighted(&kept, dim)),
        ("summary", table(&summary)),
        ("verdict", verdict(&summary)),
        ("evidence", posterior.jumps.as_ref().map_or_else(|| ().into(), evidence)),
        ("modes", modes(posterior.population.as_ref())),
        ("caution", caution(posterior.population.as_ref())),
        ("learned", value::write(&plain(&posterior.learned))),
        ("warnings", words::all_of_r(&posterior.warnings).into()),
        ("statistics", statistics(&posterior)),
        ("target", posterior.target.as_str().into()),
        ("sampler", posterior.sampler.as_str().into()),
        ("seed", (posterior.seed as f64).into()),
        ("warmup", (posterior.warmup as f64).into()),
        ("thin", (posterior.thin as f64).into()),
        ("noisy", posterior.noisy.into()),
        ("settings", posterior.settings.as_str().into()),
        ("ending", ending.into()),
        ("reason", words::of_r(reason).into()),
    ])
}

fn plain(value: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// The last draws in common of the chains that have any, by parameter, chain and iteration, with their log densities.
fn stack(kept: &[&Draws], dim: usize) -> Robj {
    let chains: Vec<&&Draws> = kept.iter().filter(|draws| !draws.is_empty()).collect();
    let length = chains.iter().map(|draws| draws.len()).min().unwrap_or(0);
    let column = |i: usize| {
        let of_chain = move |draws: &&&Draws| -> Vec<f64> {
            draws.points.chunks_exact(dim).skip(draws.len() - length).map(|point| point[i]).collect()
        };
        chains.iter().flat_map(of_chain)
    };
    let points: Vec<f64> = (0..dim).flat_map(column).collect();
    let log_density: Vec<f64> =
        chains.iter().flat_map(|draws| draws.log_density[draws.len() - length..].iter().copied()).collect();
    value::named([
        ("iterations", (length as f64).into()),
        ("chains", (chains.len() as f64).into()),
        ("points", points.into()),
        ("log_density", log_density.into()),
    ])
}

/// The jump proposals of all chains by parameter, with the logarithms of their weights.
fn weighted(kept: &[&Draws], dim: usize) -> Robj {
    let jumps = || kept.iter().map(|draws| &draws.jumps);
    let column = |i: usize| jumps().flat_map(move |jumps| jumps.points.iter().skip(i).step_by(dim.max(1)).copied());
    let points: Vec<f64> = (0..dim).flat_map(column).collect();
    let log_weights: Vec<f64> = jumps().flat_map(|jumps| jumps.log_weight.iter().copied()).collect();
    value::named([("points", points.into()), ("log_weights", log_weights.into())])
}

fn table(summary: &Summary) -> Robj {
    let column = |of: fn(&ParameterSummary) -> f64| -> Robj { summary.parameters.iter().map(of).collect_robj() };
    let names: Vec<&str> = summary.parameters.iter().map(|one| one.name.as_str()).collect();
    value::named([
        ("variable", names.into()),
        ("mean", column(|one| one.mean)),
        ("median", column(|one| one.q50)),
        ("sd", column(|one| one.sd)),
        ("mcse_mean", column(|one| one.mcse_mean)),
        ("q5", column(|one| one.q5)),
        ("q95", column(|one| one.q95)),
        ("rhat", column(|one| one.r_hat)),
        ("ess_bulk", column(|one| one.ess_bulk)),
        ("ess_tail", column(|one| one.ess_tail)),
    ])
}

fn verdict(summary: &Summary) -> Robj {
    let verdict = &summary.verdict;
    value::named([
        ("converged", verdict.converged.into()),
        ("tails_checked", verdict.tails_checked.into()),
        ("goal", verdict.goal.as_deref().map_or_else(|| ().into(), Robj::from)),
        ("messages", words::all_of_r(&verdict.messages).into()),
        ("remarks", words::all_of_r(&verdict.remarks).into()),
        ("text", words::of_r(&verdict.to_string()).into()),
    ])
}

fn evidence(jumps: &JumpSummary) -> Robj {
    let found = &jumps.evidence;
    value::named([
        ("log", found.log.into()),
        ("error", found.error.into()),
        ("reliable", found.reliable.into()),
        ("why", words::of_r(&found.why).into()),
        ("name", jumps.name().into()),
        ("pareto_k", found.pareto_k.into()),
        ("efficiency", found.efficiency.into()),
        ("proposals", (found.proposals as f64).into()),
        ("text", words::of_r(&jumps.to_string()).into()),
    ])
}

fn modes(population: Option<&PopulationSummary>) -> Robj {
    population.map_or_else(|| ().into(), |population| value::write(&plain(&population.modes)))
}

fn caution(population: Option<&PopulationSummary>) -> Robj {
    let said = population.and_then(|population| population.caution.as_deref());
    said.map_or_else(|| ().into(), |said| words::of_r(said).into())
}

fn statistics(posterior: &Posterior) -> Robj {
    let all = || posterior.chains.iter().map(|chain| &chain.statistics);
    let sum = |of: fn(&kameleon::Statistics) -> u64| all().map(of).sum::<u64>() as f64;
    let steps = sum(|one| one.sampling.total());
    let accepted = sum(|one| one.sampling.accepted);
    value::named([
        ("evaluations", (posterior.evaluations() as f64).into()),
        ("acceptance", if steps > 0.0 { accepted / steps } else { f64::NAN }.into()),
        ("invalid", sum(|one| one.warmup.invalid + one.sampling.invalid).into()),
        ("longest_rejection_run", (all().map(|one| one.longest_rejection_run).max().unwrap_or(0) as f64).into()),
        ("seconds", posterior.seconds.unwrap_or(f64::NAN).into()),
        ("sd_log_estimate", posterior.sd_log_estimate.unwrap_or(f64::NAN).into()),
    ])
}
