//! `kameleon reweight`: a run on disk under a changed prior or likelihood, without calling the model again.

use crate::Exit;
use crate::args::ReweightArgs;
use crate::output::{harmless, wrapped, write_out};
use anyhow::{Context, Result};
use kameleon_runs::output::Posterior;
use kameleon_runs::{Reweighted, log_ratios};

/// Runs `kameleon reweight`.
pub fn reweight(args: &ReweightArgs) -> Result<Exit> {
    let posterior = kameleon_runs::load(&args.folder)?;
    let ratios = log_ratios(&posterior, &args.log_ratio).context("--log-ratio")?;
    let reweighted = kameleon_runs::reweight(&posterior, &ratios)?;
    match args.json {
        true => write_out(&format!("{}\n", serde_json::to_string(&reweighted)?))?,
        false => write_out(&as_text(&posterior, &reweighted, &args.log_ratio))?,
    }
    Ok(if reweighted.reliable { Exit::Done } else { Exit::Failed })
}

fn as_text(posterior: &Posterior, reweighted: &Reweighted, expression: &str) -> String {
    let Reweighted { pareto_k, ess, draws, log_change, log_change_error, reliable, .. } = reweighted;
    let (target, name) = (&posterior.target, posterior.jumps.as_ref().map_or("log normalising constant", |j| j.name()));
    let head = harmless(&format!("{} on {target}, reweighted by {expression}", posterior.sampler));
    let mut out = wrapped("", "  ", &head) + "\n";
    if !reliable {
        return out + &wrapped("", "  ", &reweighted.to_string());
    }
    out += &harmless(&reweighted.to_string());
    out += &wrapped("\n", "  ", &format!("Pareto k {pareto_k:.2}, effective size {ess:.0} of {draws} draws"));
    out + &wrapped(&format!("change of the {name}  "), "  ", &format!("{log_change:.4} ± {log_change_error:.4}"))
}
