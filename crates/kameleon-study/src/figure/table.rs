//! Samplers on many targets, in numbers: effective sample sizes, errors, agreement and cost.

use super::{Outcome, add_errors, compare};
use crate::StudyError;
use crate::interval::Interval;
use crate::record::{Checkpoint, Record};
use crate::results::Results;
use crate::scheduler::Scheduler;
use crate::spec::Replicates;
use crate::study::Study;
use crate::verdict::show;

/// Runs all groups of chains and measures them.
pub fn table(study: &Study, scheduler: &Scheduler<'_>) -> Result<Outcome, StudyError> {
    let mut outcome = compare(study, scheduler, measure)?;
    outcome.data.push((format!("{}.md", study.name), markdown(study, &outcome.results)));
    Ok(outcome)
}

fn measure(results: &mut Results, of: &Replicates, records: &[Record]) {
    let at = of.first.sampling;
    let groups = || records.iter().filter_map(|record| record.group);
    // The worst of all groups: a number without an interval.
    let worst = groups().map(|group| group.r_hat).fold(0.0, f64::max);
    let mut add = |measure: &str, interval: Interval| results.add(of, measure, at, interval);
    add("ess", Interval::over(groups().map(|group| group.ess)));
    add("worst-r-hat", Interval { mean: worst, low: worst, high: worst });
    add("acceptance", Interval::over(records.iter().map(|record| record.acceptance)));
    add("evaluations", Interval::over(groups().map(|group| group.evaluations as f64)));
    add("seconds", Interval::over(records.iter().map(|record| record.seconds)));
    let ends: Vec<&Checkpoint> = records.iter().flat_map(|record| &record.checkpoints).collect();
    if !ends.is_empty() {
        add_errors(results, of, at, &ends);
    }
}

/// The table for a document.
fn markdown(study: &Study, results: &Results) -> String {
    let measures = study.kind.measures();
    let mut text =
        format!("| target | sampler | {} |\n|---|---|{}\n", measures.join(" | "), "---|".repeat(measures.len()));
    for target in results.targets() {
        for sampler in results.samplers() {
            let number = |measure: &&str| results.last(target, sampler, measure).map_or(String::new(), show);
            let numbers: Vec<String> = measures.iter().map(number).collect();
            text += &format!("| {target} | {sampler} | {} |\n", numbers.join(" | "));
        }
    }
    text
}
