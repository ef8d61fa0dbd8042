//! The kinds of figures: from a study to pictures, data and words.

mod benchmark;
mod clouds;
mod comparison;
mod g_function;
mod plane;
mod posterior;
mod proposals;
mod table;

use crate::StudyError;
use crate::interval::Interval;
use crate::record::{Checkpoint, Record};
use crate::results::Results;
use crate::scheduler::Scheduler;
use crate::settings::Settings;
use crate::spec::{GROUP, Replicates};
use crate::study::{Kind, Study};
use crate::verdict::{Verdict, judge};

/// A picture.
pub struct Figure {
    /// The name of its files.
    pub name: String,
    /// What it shows.
    pub caption: String,
    pub svg: String,
}

/// Everything that came of a study.
#[derive(Default)]
pub struct Outcome {
    pub figures: Vec<Figure>,
    /// The data behind them: names of files and their text.
    pub data: Vec<(String, String)>,
    /// The numbers of a comparison.
    pub results: Results,
    /// The claims, and whether they hold.
    pub verdicts: Vec<Verdict>,
    /// What else is worth a sentence.
    pub facts: Vec<String>,
}

/// Runs what a study needs and draws it.
pub fn make(study: &Study, scheduler: &Scheduler<'_>) -> Result<Outcome, StudyError> {
    match study.kind {
        Kind::Bars => comparison::bars(study, scheduler),
        Kind::Table => table::table(study, scheduler),
        Kind::Convergence => comparison::convergence(study, scheduler),
        Kind::Benchmark => benchmark::benchmark(study, scheduler),
        Kind::Posterior => posterior::posterior(study, scheduler),
        Kind::Proposals => Ok(proposals::proposals(study, scheduler.settings.seed)),
        Kind::Clouds => clouds::clouds(study, scheduler),
        Kind::GFunction => Ok(g_function::g_function(study, scheduler.settings.seed)),
    }
}

/// Runs every target with every sampler, measures the chains, and judges the claims.
fn compare(
    study: &Study,
    scheduler: &Scheduler<'_>,
    mut measure: impl FnMut(&mut Results, &Replicates, &[Record]),
) -> Result<Outcome, StudyError> {
    let all = replicates(study, scheduler.settings);
    let records = scheduler.run(&study.name, &all)?;
    let mut results = Results::default();
    all.iter().zip(&records).for_each(|(replicates, records)| measure(&mut results, replicates, records));
    Ok(Outcome {
        data: vec![(format!("{}.csv", study.name), results.csv())],
        verdicts: judge(study, &results),
        results,
        ..Outcome::default()
    })
}

/// The chains of every target with every sampler, target by target; in groups for a table.
fn replicates(study: &Study, settings: &Settings<'_>) -> Vec<Replicates> {
    let chains = study.chains.at(settings.scale) as usize;
    let grouped = study.kind == Kind::Table;
    let count = if grouped { chains / GROUP } else { chains };
    let mut all = Vec::new();
    for target in study.targets() {
        for sampler in study.samplers(settings.extras) {
            let mut first = target.spec(&sampler.sampler, settings.scale, settings.seed);
            first.grouped = grouped;
            all.push(Replicates { target: target.name.clone(), sampler: sampler.name.clone(), first, count });
        }
    }
    all
}

/// The name of the figure of a target, by its place in the study.
fn figure_name(study: &Study, target: usize) -> String {
    if target == 0 { study.name.clone() } else { format!("{}-{}", study.name, target + 1) }
}

/// Adds the errors at the ends of chains whose truth is known.
fn add_errors(results: &mut Results, of: &Replicates, at: u64, ends: &[&Checkpoint]) {
    results.add(of, "mean-norm", at, Interval::over(ends.iter().map(|end| end.mean_norm)));
    results.add(of, "quantile-deviation", at, Interval::over(ends.iter().map(|end| end.quantile_deviation())));
    if let Some(variance) = of.first.total_variance() {
        let squares = ends.iter().map(|end| end.mean_norm.powi(2));
        results.add(of, "n-eq", at, Interval::ratio(variance, squares));
    }
}

/// The range of the values, wider by a share of it to either side.
pub(crate) fn range(values: impl Iterator<Item = f64> + Clone, margin: f64) -> (f64, f64) {
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(f64::NEG_INFINITY, f64::max);
    let margin = margin * (high - low).max(1e-3);
    (low - margin, high + margin)
}
