//! A team: chains that are run and judged together, and learn together where their sampler can.

use crate::record::{Checkpoint, Record, Spec};
use crate::study::Built;
use kameleon::any_chain::AnyChain;
use kameleon::diagnose::{mean_norm, quantile_deviations, summarise};
use kameleon::pool;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// How many chains make a team.
pub const TEAM: usize = pool::LARGEST_GROUP;
/// How many iterations pass between two looks at whether to go on.
const TURN: u64 = 64;

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

/// One chain of a team with its target and what it has drawn.
struct Member {
    chain: Box<dyn AnyChain>,
    built: Built,
    draws: Vec<f64>,
}

/// Runs a team to its end; none if `go_on` said no. It is asked every so often, with the iterations made since.
pub fn run(spec: &Spec, go_on: impl Fn(u64) -> bool) -> Result<Option<Record>, String> {
    let started = Instant::now();
    let member = |k: usize| {
        let mut built = spec.build()?;
        let mut chain = spec.chain_at(&mut built, k)?;
        chain.join();
        Ok(Member { chain, built, draws: Vec::new() })
    };
    let mut members = (0..TEAM).map(member).collect::<Result<Vec<_>, String>>()?;
    while members.iter().any(|member| member.chain.iterations() < spec.iterations()) {
        for member in &mut members {
            if !member.advance(spec, &go_on)? {
                return Ok(None);
            }
        }
        let mut chains: Vec<&mut dyn AnyChain> = members.iter_mut().map(|member| &mut *member.chain as _).collect();
        pool::refresh(&mut chains);
    }
    Ok(Some(record(spec, &members, started.elapsed().as_secs_f64())))
}

impl Member {
    /// Steps until the chain waits for the others or is at its end; false if told not to go on.
    fn advance(&mut self, spec: &Spec, go_on: &impl Fn(u64) -> bool) -> Result<bool, String> {
        while self.chain.iterations() < spec.iterations() && !self.chain.waits() {
            let step = self.chain.step(self.built.target()).map_err(|error| error.to_string())?;
            if spec.keeps(&step) {
                self.draws.extend_from_slice(self.chain.position());
            }
            if (step.t + 1).is_multiple_of(TURN) && !go_on(TURN) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn record(spec: &Spec, members: &[Member], seconds: f64) -> Record {
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
        checkpoints: members.iter().filter_map(|member| end(spec, member)).collect(),
        draws: Vec::new(),
        team: Some(team),
    }
}

/// How far a chain's draws are from the truth, if that is known.
fn end(spec: &Spec, member: &Member) -> Option<Checkpoint> {
    let truth = member.built.known()?;
    let levels: Vec<f64> = member.draws.chunks(spec.dim).map(|x| truth.level(x)).collect();
    Some(Checkpoint {
        iterations: spec.iterations() - member.chain.warmup(),
        mean_norm: mean_norm(&member.draws, &truth.mean()),
        deviations: quantile_deviations(&levels),
    })
}
