//! Samplers on many targets, in numbers: effective sample sizes, errors, agreement and cost.

use super::{Figure, Outcome, add_errors, compare};
use crate::StudyError;
use crate::draw::{Dot, Strip, strips};
use crate::interval::Interval;
use crate::record::{Checkpoint, Record, largest};
use crate::results::Results;
use crate::scheduler::Scheduler;
use crate::spec::Replicates;
use crate::study::{Study, TargetEntry};
use crate::verdict::show;

/// Runs all groups of chains and measures them.
pub fn table(study: &Study, scheduler: &Scheduler<'_>) -> Result<Outcome, StudyError> {
    let mut outcome = compare(study, scheduler, measure)?;
    outcome.data.push((format!("{}.md", study.name), markdown(study, &outcome.results)));
    let svg = sizes(study, &outcome.results, scheduler.settings.extras);
    let caption = "Effective draws per 1000 evaluations: the smallest bulk ESS of any parameter, on a logarithmic axis, with 80 % \
                   intervals over groups of four chains. A log density with its gradient counts as one evaluation. Hollow: the R-hat \
                   of some parameter in some group is above 1.1, so that the number says little.";
    outcome.figures = vec![Figure { name: study.name.clone(), caption: caption.into(), svg }];
    Ok(outcome)
}

/// Chains with a larger R-hat do not agree.
const AGREE: f64 = 1.1;

/// The figure of effective sample sizes.
fn sizes(study: &Study, results: &Results, extras: bool) -> String {
    let samplers: Vec<(&str, bool)> = study
        .samplers(extras)
        .into_iter()
        .map(|sampler| (sampler.name.as_str(), sampler.sampler.needs_gradient()))
        .collect();
    let strip = |target: &TargetEntry| {
        let dot = |(sampler, _): &(&str, bool)| {
            let number = |measure: &str| results.last(&target.name, sampler, measure).copied();
            let (interval, r_hat) = (number("ess")?, number("worst-r-hat")?.mean);
            // Chains that never moved have none.
            (interval.mean > 0.0).then_some(Dot { interval, doubtful: r_hat > AGREE })
        };
        Strip { title: target.name.clone(), dots: samplers.iter().map(dot).collect() }
    };
    let all: Vec<Strip> = study.targets().map(strip).collect();
    strips(&samplers, &all, "ESS per 1000 evaluations")
}

fn measure(results: &mut Results, of: &Replicates, records: &[Record]) {
    let at = of.first.sampling;
    let groups = || records.iter().filter_map(|record| record.group);
    // The worst of all groups: a number without an interval.
    let worst = largest(groups().map(|group| group.r_hat));
    let mut add = |measure: &str, interval: Interval| results.add(of, measure, at, interval);
    add("ess", Interval::over(groups().map(|group| group.ess)));
    add("ess-per-second", Interval::over(groups().map(|group| group.ess_per_second)));
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
