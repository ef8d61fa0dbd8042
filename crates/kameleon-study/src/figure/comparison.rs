//! Samplers compared with a known truth: bars at the end of the chains, and curves along them.

use super::{Figure, Outcome, add_errors, compare, figure_name};
use crate::StudyError;
use crate::draw::{self, BarRow};
use crate::interval::Interval;
use crate::record::{Checkpoint, Record};
use crate::results::Results;
use crate::scheduler::Scheduler;
use crate::spec::Replicates;
use crate::study::Study;

/// Figure 5: acceptance, mean and quantiles at the end.
pub fn bars(study: &Study, scheduler: &Scheduler<'_>) -> Result<Outcome, StudyError> {
    let (mut outcome, scale) = (compare(study, scheduler, measure_end)?, scheduler.settings.scale);
    let samplers = outcome.results.samplers();
    let rows: Vec<BarRow> = study
        .targets()
        .map(|target| {
            let length = target.length(scale);
            let title = format!(
                "{}, d = {}: {} iterations, burn-in {}, {} chains",
                target.name,
                target.dim,
                length.warmup + length.sampling,
                length.warmup,
                study.chains.at(scale)
            );
            BarRow { title, groups: bar_groups(&outcome.results, &target.name, &samplers) }
        })
        .collect();
    let svg = draw::bars(&samplers, &rows, "scaled value", "0.1 … 0.9: deviation of that quantile × 10");
    let caption = "Acceptance rate; distance of the estimated mean from the true mean, divided by 10; and deviations of \
                   the 0.1, …, 0.9-quantiles, times 10 (0.1 is 1 %). Error bars are 80 % intervals over chains.";
    outcome.figures = vec![Figure { name: study.name.clone(), caption: caption.into(), svg }];
    Ok(outcome)
}

/// All measures of one target and sampler after all iterations.
fn measure_end(results: &mut Results, of: &Replicates, records: &[Record]) {
    let ends: Vec<&Checkpoint> = records.iter().filter_map(|record| record.checkpoints.last()).collect();
    let at = ends.first().map_or(0, |end| end.iterations);
    results.add(of, "acceptance", at, Interval::over(records.iter().map(|record| record.acceptance)));
    add_errors(results, of, at, &ends);
    for k in 0..9 {
        let deviations = Interval::over(ends.iter().map(|end| end.deviations[k]));
        results.add(of, &format!("deviation-0.{}", k + 1), at, deviations);
    }
}

/// The groups of bars in the paper's figure, in its scaling.
fn bar_groups(results: &Results, target: &str, samplers: &[&str]) -> Vec<(String, Vec<Interval>)> {
    let scaled = |measure: &str, factor: f64| -> Vec<Interval> {
        let bars = samplers.iter().filter_map(|sampler| results.last(target, sampler, measure));
        bars.map(|i| Interval { mean: factor * i.mean, low: factor * i.low, high: factor * i.high }).collect()
    };
    let mut groups =
        vec![("accept".to_owned(), scaled("acceptance", 1.0)), ("‖mean‖/10".to_owned(), scaled("mean-norm", 0.1))];
    groups.extend((1..10).map(|k| (format!("0.{k}"), scaled(&format!("deviation-0.{k}"), 10.0))));
    groups
}

/// Appendix B: mean and median along the chains.
pub fn convergence(study: &Study, scheduler: &Scheduler<'_>) -> Result<Outcome, StudyError> {
    let mut outcome = compare(study, scheduler, measure_along)?;
    for (k, target) in study.targets().enumerate() {
        let panels = [("mean-norm", "‖mean‖"), ("deviation-0.5", "deviation of the 0.5-quantile")];
        let caption = format!(
            "{}: distance of the mean from the true mean (left) and deviation of the 0.5-quantile (right) against \
             iterations after the burn-in; 80 % intervals over {} chains.",
            target.name,
            study.chains.at(scheduler.settings.scale)
        );
        let svg = draw::curves(&outcome.results, &target.name, &panels);
        outcome.figures.push(Figure { name: figure_name(study, k), caption, svg });
    }
    Ok(outcome)
}

fn measure_along(results: &mut Results, of: &Replicates, records: &[Record]) {
    let length = records.iter().map(|record| record.checkpoints.len()).min().unwrap_or(0);
    type Value = fn(&Checkpoint) -> f64;
    let measures: [(&str, Value); 2] =
        [("mean-norm", |point| point.mean_norm), ("deviation-0.5", |point| point.deviations[4])];
    for (measure, value) in measures {
        for k in 0..length {
            let values = Interval::over(records.iter().map(|record| value(&record.checkpoints[k])));
            results.add(of, measure, records[0].checkpoints[k].iterations, values);
        }
    }
}
