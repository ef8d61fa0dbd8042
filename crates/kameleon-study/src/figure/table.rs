//! Samplers on many targets, in numbers: effective sizes, errors, agreement and cost.

use super::{Outcome, groups};
use crate::StudyError;
use crate::cells::{Cell, Cells};
use crate::engine::{Engine, Group};
use crate::interval::Interval;
use crate::record::{Checkpoint, Record};
use crate::run::Settings;
use crate::study::Study;
use crate::verdict::{judge, show};
use kameleon::Target;

/// Runs all teams and measures them.
pub fn table(study: &Study, engine: &Engine<'_>, settings: &Settings<'_>) -> Result<Outcome, StudyError> {
    let groups = groups(study, settings);
    let records = engine.run(&study.name, &groups)?;
    let mut cells = Cells::default();
    for (group, records) in groups.iter().zip(&records) {
        measure(&mut cells, group, records);
    }
    Ok(Outcome {
        data: vec![
            (format!("{}.csv", study.name), cells.csv()),
            (format!("{}.md", study.name), markdown(study, &cells)),
        ],
        verdicts: judge(study, &cells),
        cells,
        ..Outcome::default()
    })
}

fn measure(cells: &mut Cells, group: &Group, records: &[Record]) {
    let chains: Vec<&Checkpoint> = records.iter().flat_map(|record| &record.checkpoints).collect();
    let teams: Vec<_> = records.iter().filter_map(|record| record.team).collect();
    let over = |values: Vec<f64>| Interval::over(&values);
    let mut add = |measure: &str, interval: Interval| {
        let (target, sampler, measure) = (group.target.clone(), group.sampler.clone(), measure.to_owned());
        let at = group.spec.sampling();
        cells.0.push(Cell { target, sampler, measure, at, interval, chains: records.len() * crate::team::TEAM });
    };
    add("ess", over(teams.iter().map(|team| team.ess).collect()));
    // The worst of all teams: a number without an interval.
    let worst = teams.iter().map(|team| team.r_hat).fold(0.0, f64::max);
    add("worst-r-hat", Interval { mean: worst, low: worst, high: worst });
    add("acceptance", over(records.iter().map(|record| record.acceptance).collect()));
    add("evaluations", over(teams.iter().map(|team| team.evaluations as f64).collect()));
    add("seconds", over(records.iter().map(|record| record.seconds).collect()));
    if chains.is_empty() {
        return;
    }
    add("mean-norm", over(chains.iter().map(|end| end.mean_norm).collect()));
    add("quantile-deviation", over(chains.iter().map(|end| end.deviations.iter().sum::<f64>() / 9.0).collect()));
    if let Some(variance) = group.spec.build().ok().and_then(|built| Some(built.known()?.total_variance())) {
        let squares: Vec<f64> = chains.iter().map(|end| end.mean_norm.powi(2)).collect();
        add("n-eq", Interval::ratio(variance, &squares));
    }
}

/// The same for a document.
fn markdown(study: &Study, cells: &Cells) -> String {
    let measures = study.kind.measures();
    let mut text =
        format!("| target | sampler | {} |\n|---|---|{}\n", measures.join(" | "), "---|".repeat(measures.len()));
    for target in cells.targets() {
        for sampler in cells.samplers() {
            let number = |measure: &&str| cells.last(target, sampler, measure).map_or(String::new(), show);
            let numbers: Vec<String> = measures.iter().map(number).collect();
            text += &format!("| {target} | {sampler} | {} |\n", numbers.join(" | "));
        }
    }
    text
}
