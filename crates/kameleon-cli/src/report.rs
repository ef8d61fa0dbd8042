//! What is printed of a run: a table and a verdict for people, one JSON object for programs.

mod learned;
mod population;

use crate::Exit;
use crate::args::{MergeArgs, PrintArgs, SummaryArgs};
use crate::colour::Ink;
use crate::gp::GpReport;
use crate::output::{harmless, wrapped, write_out};
use crate::progress::reading;
use anyhow::{Result, anyhow, bail};
use kameleon::Target;
use kameleon::diagnose::{Evidence, Truth, Verdict, compare_with_truth};
use kameleon::statistics::Counts;
use kameleon_runs::output::{JumpSummary, Posterior};
use kameleon_runs::settings::Kind;
use kameleon_runs::store::Files;
use kameleon_runs::{Finished, MOST_BYTES, Model, RunError, RunSettings, Status};
use serde_json::{Value, json};

/// A run to be printed.
pub struct Shown<'a> {
    settings: &'a RunSettings,
    posterior: &'a Posterior,
    model: Option<&'a Model>,
    /// Whether the model was sampled just now, and not only opened.
    ran: bool,
    /// Why it ended, unless it simply made all its draws.
    reason: &'a str,
}

impl<'a> Shown<'a> {
    /// A run that has just ended.
    pub fn of(finished: &'a Finished, model: Option<&'a Model>) -> Self {
        let Finished { settings, posterior, reason, .. } = finished;
        Self { settings, posterior, model, ran: true, reason }
    }
}

/// Prints a run.
pub fn print(shown: &Shown<'_>, args: &PrintArgs) -> Result<()> {
    let Shown { settings, posterior, model, .. } = *shown;
    let known = model.and_then(Target::known).filter(|_| settings.parameters.are_free());
    let truth = known.and_then(|known| compare_with_truth(&posterior.points(), known));
    let gp = model.and_then(Model::gp).map(|model| GpReport::new(model, posterior, &settings.run, shown.ran));
    let mut warnings = posterior.warnings.clone();
    if !warnings.iter().any(|warning| warning.contains("is stuck")) {
        warnings.extend(gp.as_ref().and_then(GpReport::warning));
    }
    match args.json {
        true => write_out(&as_json(shown, truth, gp, &warnings)?),
        false => write_out(&as_text(shown, truth, gp, &warnings, args.verbose)),
    }
}

/// One object with everything.
fn as_json(shown: &Shown<'_>, truth: Option<Truth>, gp: Option<GpReport>, warnings: &[String]) -> Result<String> {
    let posterior = shown.posterior;
    let (summary, figures) = (posterior.summary(), Figures::new(posterior));
    let all = [&summary.verdict.messages[..], warnings].concat();
    let mut report = json!({
        "target": posterior.target,
        "sampler": posterior.sampler,
        "chains": posterior.chains.len(),
        "warmup": posterior.warmup,
        "draws": posterior.draws_of_chain().0,
        "most_draws": posterior.draws_of_chain().1,
        "thin": posterior.thin,
        "diagnosed_one_in": posterior.all.as_ref().map_or(1, |all| all.every),
        "seed": posterior.seed,
        "evaluations": posterior.evaluations(),
        "seconds": posterior.seconds.unwrap_or_default(),
        "sd_log_estimate": posterior.sd_log_estimate,
        "acceptance": figures.acceptance,
        "longest_rejection_run": figures.longest_rejection_run,
        "parameters": summary.parameters,
        "mean_norm": truth.map(|t| t.mean_norm),
        "quantile_deviation": truth.map(|t| t.quantile_deviation),
        "learned": posterior.learned,
        "evidence": posterior.jumps.as_ref().map(evidence_json),
        "jumps": posterior.jumps.as_ref().map(jumps_json),
        "check": posterior.stein,
        "population": posterior.population,
        "converged": summary.verdict.converged,
        "tails_checked": summary.verdict.tails_checked,
        "goal": summary.verdict.goal,
        "ended": shown.reason,
        "warnings": all,
        "remarks": summary.verdict.remarks,
    });
    if let (Some(report), Value::Object(gp)) = (report.as_object_mut(), serde_json::to_value(gp)?) {
        report.extend(gp);
    }
    Ok(format!("{report}\n"))
}

/// The evidence; without a number where it cannot be believed.
fn evidence_json(jumps: &JumpSummary) -> Value {
    let Evidence { log, error, pareto_k, reliable, why, effective_draws, proposals, .. } = &jumps.evidence;
    json!({
        "name": jumps.name(),
        "log": reliable.then_some(*log),
        "error": reliable.then_some(*error),
        "pareto_k": pareto_k,
        "reliable": reliable,
        "why": why,
        "proposals": proposals,
        "effective_draws": effective_draws,
    })
}

/// What the jump proposals say of the draws: means by weights, and how well draws and proposals cover each other.
fn jumps_json(jumps: &JumpSummary) -> Value {
    let Evidence { proposals, efficiency, efficiency_of_draws, outlier_share, late, pareto_k, .. } = &jumps.evidence;
    json!({
        "proposals": proposals,
        "efficiency": efficiency,
        "efficiency_of_draws": efficiency_of_draws,
        "outlier_share": outlier_share,
        "efficiency_in_warmup": late.map(|late| late.efficiency),
        "pareto_k": pareto_k,
        "largest_z": jumps.largest_distance().map(|(_, z)| z),
        "means": jumps.means,
        "errors": jumps.errors,
        "z": jumps.distances,
        "regions": jumps.regions,
    })
}

/// Only our own words are in colour: names and messages may come from somebody else.
fn as_text(
    shown: &Shown<'_>,
    truth: Option<Truth>,
    gp: Option<GpReport>,
    warnings: &[String],
    verbose: bool,
) -> String {
    let Shown { settings, posterior, reason, .. } = *shown;
    let ink = Ink::on(&std::io::stdout());
    let (summary, figures) = (posterior.summary(), Figures::new(posterior));
    let mut out = headline(shown) + "\n";
    if posterior.points().is_empty() {
        out += &paragraph("There are no draws yet: the run has not come to the end of its warm-up.");
    } else {
        out += &harmless(&summary.table());
        out.push('\n');
        out += &in_colour(&summary.verdict, ink);
    }
    if let Some(all) = &posterior.all {
        out += &paragraph(&format!("The run is large: {}.", all.words("what follows")));
    }
    let mut line = format!("{} evaluations", posterior.evaluations());
    if let Some(stein) = posterior.stein.as_ref().filter(|stein| stein.evaluations > 0) {
        line += &format!(" ({} for the check)", stein.evaluations);
    }
    line += &posterior.seconds.map_or_else(String::new, |seconds| format!(" in {seconds:.2} s"));
    if figures.acceptance.is_finite() {
        let Figures { acceptance, longest_rejection_run, .. } = figures;
        line += &format!(", acceptance {acceptance:.3}, longest run of rejections {longest_rejection_run}");
    }
    out += &format!("\n{}", paragraph(&line));
    if let Some(sd) = posterior.sd_log_estimate {
        out += &paragraph(&format!("noise of the estimate at the last points of the chains: sd(log p̂) {sd:.2}"));
    }
    if let Some(truth) = truth {
        out += &paragraph(&format!(
            "known truth, mean over chains: ‖mean‖ {:.3}, quantile deviation {:.2} %",
            truth.mean_norm,
            100.0 * truth.quantile_deviation,
        ));
    }
    if let Some(jumps) = posterior.jumps.as_ref().filter(|_| !posterior.points().is_empty()) {
        out += &wrapped(&format!("{}  ", jumps.name()), "  ", &jumps.to_string());
    }
    out += &population::as_text(posterior);
    if posterior.evaluations() > 0 {
        out += &learned::as_text(&posterior.learned, verbose);
    }
    for line in gp.map_or_else(String::new, |gp| gp.lines()).lines() {
        out += &paragraph(line);
    }
    let run = &settings.run;
    let limits = [run.max_draws.is_some(), run.max_evaluations.is_some(), run.max_minutes.is_some()];
    // A limit that ended the run too early is a warning.
    if (run.until.is_some() || limits.contains(&true)) && !warnings.iter().any(|warning| warning == reason) {
        out += &paragraph(&format!("ended: {reason}"));
    }
    for warning in warnings {
        let text = wrapped("warning: ", "  ", &harmless(warning));
        out += &text.replacen("warning:", &ink.yellow("warning:"), 1);
    }
    out
}

/// Text in lines that fit, which may hold somebody else's names.
fn paragraph(text: &str) -> String {
    wrapped("", "  ", &harmless(text))
}

fn in_colour(verdict: &Verdict, ink: Ink) -> String {
    let headline = wrapped("", "", &verdict.headline());
    let headline = headline.trim_end();
    let headline = match (verdict.converged, &verdict.goal) {
        (true, _) => ink.green(headline),
        (false, Some(_)) => ink.yellow(headline),
        (false, None) => ink.red(headline),
    };
    let words = verdict.words().map(|words| wrapped("- ", "  ", &harmless(words)));
    format!("{headline}\n{}", words.collect::<String>())
}

/// Figures over all chains.
struct Figures {
    acceptance: f64,
    longest_rejection_run: u64,
}

impl Figures {
    fn new(posterior: &Posterior) -> Self {
        let statistics = || posterior.chains.iter().map(|chain| &chain.statistics);
        let count = |of: fn(&Counts) -> u64| statistics().map(|s| of(&s.sampling)).sum::<u64>() as f64;
        Self {
            acceptance: count(|c| c.accepted) / count(Counts::total),
            longest_rejection_run: statistics().map(|s| s.longest_rejection_run).max().unwrap_or(0),
        }
    }
}

/// What was run; for classification also the data and the model.
fn headline(shown: &Shown<'_>) -> String {
    let Shown { posterior, model, .. } = shown;
    let draws = match posterior.draws_of_chain() {
        (least, most) if least == most => most.to_string(),
        (least, most) => format!("{least} to {most}"),
    };
    let (chains, each) = match posterior.chains.as_slice() {
        [] => (format!("{} chains", shown.settings.run.indices().len()), " each"),
        [one] => (format!("chain {}", one.index), ""),
        many => (format!("{} chains", many.len()), " each"),
    };
    let line = format!(
        "{} on {} in {} dimension{}: {}{chains}, {} iterations of warm-up and {draws} draws{each}{}, seed {}",
        posterior.sampler,
        posterior.target,
        posterior.dim(),
        if posterior.dim() == 1 { "" } else { "s" },
        match shown.settings.is_too_small_for_population() {
            true => "no population (with fewer than 20000 evaluations only if asked for), ".into(),
            false => population::beginning(posterior),
        },
        posterior.warmup,
        if posterior.thin > 1 { format!(" (one in {} kept)", posterior.thin) } else { String::new() },
        posterior.seed,
    );
    let about = model.and_then(Model::gp).map_or_else(String::new, |gp| gp.introduction());
    paragraph(&line) + &about.lines().map(paragraph).collect::<String>()
}

/// Runs `kameleon summary`.
pub fn summary(args: &SummaryArgs) -> Result<Exit> {
    let settings = kameleon_runs::settings_of(&args.folder)?;
    let mut posterior = reading(|watch| kameleon_runs::load_limited(&args.folder, MOST_BYTES, watch))?;
    let status = Status::read(&Files::of(&args.folder)?);
    let model = match harmless_model(&settings) {
        Ok(model) => model,
        Err(error) => {
            posterior.warnings.push(format!("figures that need the model are left out: {error:#}"));
            None
        }
    };
    let (model, reason) = (model.as_ref(), status.words());
    let shown = Shown { settings: &settings, posterior: &posterior, model, ran: false, reason };
    print(&shown, &args.print)?;
    Ok(Exit::Done)
}

/// Nothing of a folder is executed, for it may come from somebody else: only a built-in target is opened, for its known
/// truth, and a classification problem, for its noise.
fn harmless_model(settings: &RunSettings) -> Result<Option<Model>> {
    match settings.model.kind()? {
        Kind::BuiltIn(_) => {}
        Kind::Gp => {
            // Reading a pipe or a device might never end.
            let data = settings.model.gp.as_ref().and_then(|gp| gp.data.as_deref());
            if let Some(data) = data.filter(|data| !data.is_file()) {
                bail!("the table {} does not exist", data.display());
            }
        }
        _ => return Ok(None),
    }
    Ok(Some(Model::open(settings)?))
}

/// Runs `kameleon merge`.
pub fn merge(args: &MergeArgs) -> Result<Exit> {
    let merged = kameleon_runs::merge(&args.folders, &args.out, args.incomplete);
    merged.map_err(|error| match &error {
        RunError::Incomplete(part) => {
            anyhow!("{part}. Resume it first (kameleon resume), or add --incomplete to take what is there")
        }
        _ => error.into(),
    })?;
    let out = args.out.display();
    write_out(&format!("merged {} parts into {out}; to see the result: kameleon summary {out}\n", args.folders.len()))?;
    Ok(Exit::Done)
}
