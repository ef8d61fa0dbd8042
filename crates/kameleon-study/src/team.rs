//! A team: chains that are run and judged together, and learn together where their sampler can.

use crate::record::{Checkpoint, Member, Record, Spec};
use kameleon::any_target::AnyTarget;
use kameleon::diagnose::{mean_norm, quantile_deviations, summarise};
use kameleon::{Target, pool};
use serde::{Deserialize, Serialize};

/// How many chains make a team.
pub const TEAM: usize = pool::LARGEST_GROUP;

/// What is known of a team as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TeamFigures {
    /// The smallest effective number of draws of any parameter, for 1000 evaluations after the burn-in.
    pub ess: f64,
    /// The largest R-hat of any parameter.
    pub r_hat: f64,
    /// Evaluations of the target by all chains.
    pub evaluations: u64,
}

/// What is kept of a team that has ended.
pub fn record(spec: &Spec, built: &AnyTarget<'_>, members: &[Member], seconds: f64) -> Record {
    let draws: Vec<&[f64]> = members.iter().map(|member| member.draws.as_slice()).collect();
    let summary = summarise(&[], &draws, spec.dim);
    let least = summary.parameters.iter().map(|p| p.ess_bulk).fold(f64::INFINITY, f64::min);
    let sampling = |member: &Member| member.chain.statistics().sampling;
    let evaluations: u64 = members.iter().map(|member| sampling(member).total()).sum();
    let accepted: u64 = members.iter().map(|member| sampling(member).accepted).sum();
    let team = TeamFigures {
        ess: 1000.0 * least / evaluations as f64,
        r_hat: summary.parameters.iter().map(|p| p.r_hat).fold(0.0, f64::max),
        evaluations: members.iter().map(|member| member.chain.statistics().evaluations).sum(),
    };
    Record {
        acceptance: accepted as f64 / evaluations as f64,
        seconds,
        checkpoints: members.iter().filter_map(|member| end(spec, built, member)).collect(),
        draws: Vec::new(),
        team: Some(team),
    }
}

/// How far a chain's draws are from the truth, if that is known.
fn end(spec: &Spec, built: &AnyTarget<'_>, member: &Member) -> Option<Checkpoint> {
    let truth = built.known()?;
    let levels: Vec<f64> = member.draws.chunks(spec.dim).map(|x| truth.level(x)).collect();
    Some(Checkpoint {
        iterations: spec.iterations() - member.chain.warmup(),
        mean_norm: mean_norm(&member.draws, &truth.mean()),
        deviations: quantile_deviations(&levels),
    })
}
