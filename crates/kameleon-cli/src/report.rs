//! What is printed of a run: a table and a verdict for people, one JSON object for programs.

use crate::Exit;
use crate::args::{MergeArgs, SummaryArgs};
use crate::gp::GpReport;
use crate::output::{harmless, write_out};
use anyhow::Result;
use kameleon::diagnose::{ParameterSummary, Truth, compare_with_truth};
use kameleon::statistics::Counts;
use kameleon_output::Posterior;
use kameleon_runs::settings::Kind;
use kameleon_runs::{Finished, How, Model, RunSettings, Status};
use kameleon_store::Files;
use serde::Serialize;

/// A run to be printed.
pub struct Shown<'a> {
    settings: &'a RunSettings,
    posterior: &'a Posterior,
    model: Option<&'a Model>,
    /// Why it ended, unless it simply made all its draws.
    reason: &'a str,
}

impl<'a> Shown<'a> {
    /// A run that has just ended.
    pub fn of(finished: &'a Finished, model: Option<&'a Model>) -> Self {
        Self { settings: &finished.settings, posterior: &finished.posterior, model, reason: &finished.reason }
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    target: &'a str,
    sampler: &'a str,
    chains: usize,
    warmup: u64,
    draws: usize,
    thin: u64,
    seed: u64,
    evaluations: u64,
    seconds: f64,
    acceptance: f64,
    longest_rejection_run: u64,
    parameters: Vec<ParameterSummary>,
    mean_norm: Option<f64>,
    quantile_deviation: Option<f64>,
    #[serde(flatten)]
    gp: Option<GpReport>,
    converged: bool,
    ended: &'a str,
    warnings: Vec<String>,
}

/// Prints a run.
pub fn print(shown: &Shown<'_>, json: bool) -> Result<()> {
    let Shown { settings, posterior, model, .. } = *shown;
    let known = model.and_then(Model::known).filter(|_| settings.parameters.are_free());
    let truth = known.and_then(|known| compare_with_truth(&posterior.points(), known));
    let gp = model.and_then(Model::gp).map(|model| GpReport::new(model, posterior, &settings.run));
    let mut warnings = posterior.warnings.clone();
    if !warnings.iter().any(|warning| warning.contains("sticks")) {
        warnings.extend(gp.as_ref().and_then(GpReport::warning));
    }
    match json {
        true => write_out(&as_json(shown, truth, gp, warnings)?),
        false => write_out(&harmless(&as_text(shown, truth, gp, &warnings))),
    }
}

fn as_json(shown: &Shown<'_>, truth: Option<Truth>, gp: Option<GpReport>, warnings: Vec<String>) -> Result<String> {
    let posterior = shown.posterior;
    let (summary, figures) = (posterior.summary(), Figures::new(posterior));
    let mut all = summary.verdict.messages;
    all.extend(warnings);
    let report = Report {
        target: &posterior.target,
        sampler: &posterior.sampler,
        chains: posterior.chains.len(),
        warmup: posterior.warmup,
        draws: figures.draws,
        thin: posterior.thin,
        seed: posterior.seed,
        evaluations: posterior.evaluations(),
        seconds: posterior.seconds.unwrap_or_default(),
        acceptance: figures.acceptance,
        longest_rejection_run: figures.longest_rejection_run,
        parameters: summary.parameters,
        mean_norm: truth.map(|t| t.mean_norm),
        quantile_deviation: truth.map(|t| t.quantile_deviation),
        gp,
        converged: summary.verdict.converged,
        ended: shown.reason,
        warnings: all,
    };
    Ok(serde_json::to_string(&report)? + "\n")
}

fn as_text(shown: &Shown<'_>, truth: Option<Truth>, gp: Option<GpReport>, warnings: &[String]) -> String {
    let Shown { settings, posterior, reason, .. } = *shown;
    let figures = Figures::new(posterior);
    let mut out = headline(shown, figures.draws);
    out += &format!("\n{}\n", posterior.summary());
    out += &format!(
        "{} evaluations in {:.2} s, acceptance {:.3}, longest wait without a move {} iterations\n",
        posterior.evaluations(),
        posterior.seconds.unwrap_or_default(),
        figures.acceptance,
        figures.longest_rejection_run,
    );
    if let Some(truth) = truth {
        out += &format!(
            "against the known truth, averaged over chains: ‖mean‖ {:.3}, quantile deviation {:.2} %\n",
            truth.mean_norm,
            100.0 * truth.quantile_deviation,
        );
    }
    out += &gp.map_or_else(String::new, |gp| gp.lines());
    let run = &settings.run;
    if run.until.is_some() || run.max_draws.is_some() || run.max_evaluations.is_some() || run.max_minutes.is_some() {
        out += &format!("ended: {reason}\n");
    }
    for warning in warnings {
        out += &format!("warning: {warning}\n");
    }
    out
}

/// Figures over all chains.
struct Figures {
    draws: usize,
    acceptance: f64,
    longest_rejection_run: u64,
}

impl Figures {
    fn new(posterior: &Posterior) -> Self {
        let statistics = || posterior.chains.iter().map(|chain| &chain.statistics);
        let count = |of: fn(&Counts) -> u64| statistics().map(|s| of(&s.sampling)).sum::<u64>() as f64;
        Self {
            draws: posterior.chains.iter().map(|chain| chain.draws.len()).min().unwrap_or(0),
            acceptance: count(|c| c.accepted) / count(Counts::total),
            longest_rejection_run: statistics().map(|s| s.longest_rejection_run).max().unwrap_or(0),
        }
    }
}

/// What was run, in a line; for classification also the data and the model.
fn headline(shown: &Shown<'_>, draws: usize) -> String {
    let Shown { posterior, model, .. } = shown;
    let chains = match posterior.chains.as_slice() {
        [one] => format!("chain {}", one.index),
        many => format!("{} chains", many.len()),
    };
    let line = format!(
        "{} on {} in {} dimensions: {chains}, {} iterations of warm-up and {draws} draws each{}, seed {}\n",
        posterior.sampler,
        posterior.target,
        posterior.dim(),
        posterior.warmup,
        if posterior.thin > 1 { format!(" (one in {} kept)", posterior.thin) } else { String::new() },
        posterior.seed,
    );
    line + &model.and_then(Model::gp).map_or_else(String::new, |gp| gp.introduction())
}

/// Runs `kameleon summary`. Nothing of the folder is executed: only a built-in target is made anew, for its known truth.
pub fn summary(args: &SummaryArgs) -> Result<Exit> {
    let settings = kameleon_runs::settings_of(&args.folder)?;
    let posterior = kameleon_runs::load(&args.folder)?;
    let status = Status::read(&Files::of(&args.folder)?);
    let model = match settings.model.kind()? {
        Kind::BuiltIn(_) => Some(Model::open(&settings)?),
        _ => None,
    };
    let reason = if status.ending == How::Open { "it has not ended" } else { &status.reason };
    print(&Shown { settings: &settings, posterior: &posterior, model: model.as_ref(), reason }, args.json)?;
    Ok(Exit::Done)
}

/// Runs `kameleon merge`.
pub fn merge(args: &MergeArgs) -> Result<Exit> {
    let settings = kameleon_runs::merge(&args.folders, &args.out)?;
    let out = args.out.display();
    write_out(&format!("{} chains are now one run in {out}; see: kameleon summary {out}\n", settings.run.chains))?;
    Ok(Exit::Done)
}
