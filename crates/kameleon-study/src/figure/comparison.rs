//! Samplers compared with a truth that is known: bars at the end, and curves on the way there.

use super::{Figure, Outcome, groups};
use crate::StudyError;
use crate::cells::{Cell, Cells};
use crate::draw::{self, BarRow, CurvePanel};
use crate::engine::{Engine, Group};
use crate::interval::Interval;
use crate::record::{Checkpoint, Record};
use crate::run::Settings;
use crate::study::Study;
use crate::verdict::judge;
use kameleon::Target;

/// Figure 5: what is left of acceptance, mean and quantiles at the end.
pub fn bars(study: &Study, engine: &Engine<'_>, settings: &Settings<'_>) -> Result<Outcome, StudyError> {
    let groups = groups(study, settings);
    let records = engine.run(&study.name, &groups)?;
    let mut cells = Cells::default();
    for (group, records) in groups.iter().zip(&records) {
        measure_end(&mut cells, group, records);
    }
    let samplers = cells.samplers();
    let rows: Vec<BarRow> = study
        .targets()
        .map(|target| {
            let length = target.length(settings.scale);
            let title = format!(
                "{}, d = {}: {} iterations, burn-in {}, {} chains",
                target.name,
                target.dim,
                length.warmup + length.sampling,
                length.warmup,
                study.chains.at(settings.scale)
            );
            BarRow { title, groups: bar_groups(&cells, &target.name, &samplers) }
        })
        .collect();
    let svg = draw::bars(&samplers, &rows, "scaled value", "0.1 … 0.9: deviation of that quantile × 10");
    let caption = "Acceptance rate; distance of the estimated mean from the true one, divided by 10; and deviations of \
                   the 0.1, …, 0.9-quantiles, times 10 (0.1 is 1 %). Error bars are 80 % intervals over chains.";
    Ok(Outcome {
        figures: vec![Figure { name: study.name.clone(), caption: caption.into(), svg }],
        data: vec![(format!("{}.csv", study.name), cells.csv())],
        verdicts: judge(study, &cells),
        facts: vec![],
        cells,
    })
}

/// All measures of one target and sampler after all iterations.
fn measure_end(cells: &mut Cells, group: &Group, records: &[Record]) {
    let last = |value: &dyn Fn(&Checkpoint) -> f64| -> Vec<f64> {
        records.iter().filter_map(|record| record.checkpoints.last()).map(value).collect()
    };
    let at = records.first().and_then(|record| record.checkpoints.last()).map_or(0, |point| point.iterations);
    let mut add = |measure: String, interval: Interval| {
        let (target, sampler) = (group.target.clone(), group.sampler.clone());
        cells.0.push(Cell { target, sampler, measure, at, interval, chains: records.len() });
    };
    let acceptance: Vec<f64> = records.iter().map(|record| record.acceptance).collect();
    add("acceptance".into(), Interval::over(&acceptance));
    add("mean-norm".into(), Interval::over(&last(&|point| point.mean_norm)));
    add("quantile-deviation".into(), Interval::over(&last(&|point| point.deviations.iter().sum::<f64>() / 9.0)));
    for k in 0..9 {
        add(format!("deviation-0.{}", k + 1), Interval::over(&last(&|point| point.deviations[k])));
    }
    if let Some(variance) = group.spec.build().ok().and_then(|built| Some(built.known()?.total_variance())) {
        add("n-eq".into(), Interval::ratio(variance, &last(&|point| point.mean_norm.powi(2))));
    }
}

/// The groups of the paper's figure, in its scaling.
fn bar_groups(cells: &Cells, target: &str, samplers: &[&str]) -> Vec<(String, Vec<Interval>)> {
    let scaled = |measure: &str, factor: f64| -> Vec<Interval> {
        let bars = samplers.iter().filter_map(|sampler| cells.last(target, sampler, measure));
        bars.map(|i| Interval { mean: factor * i.mean, low: factor * i.low, high: factor * i.high }).collect()
    };
    let mut groups =
        vec![("accept".to_owned(), scaled("acceptance", 1.0)), ("‖mean‖/10".to_owned(), scaled("mean-norm", 0.1))];
    groups.extend((1..10).map(|k| (format!("0.{k}"), scaled(&format!("deviation-0.{k}"), 10.0))));
    groups
}

/// Appendix B: mean and median on the way.
pub fn convergence(study: &Study, engine: &Engine<'_>, settings: &Settings<'_>) -> Result<Outcome, StudyError> {
    let groups = groups(study, settings);
    let records = engine.run(&study.name, &groups)?;
    let mut cells = Cells::default();
    for (group, records) in groups.iter().zip(&records) {
        measure_on_the_way(&mut cells, group, records);
    }
    let samplers = cells.samplers();
    let mut figures = Vec::new();
    for (k, target) in study.targets().enumerate() {
        let panel = |measure: &str, label: &str| CurvePanel::of(&cells, &target.name, measure, label);
        let panels = [panel("mean-norm", "‖mean‖"), panel("deviation-0.5", "deviation of the 0.5-quantile")];
        let name = if k == 0 { study.name.clone() } else { format!("{}-{}", study.name, k + 1) };
        let caption = format!(
            "{}: distance of the mean from the true one (left) and deviation of the 0.5-quantile (right) against \
             iterations after the burn-in; 80 % intervals over {} chains.",
            target.name,
            study.chains.at(settings.scale)
        );
        let svg = draw::curves(&samplers, &panels, "iterations after burn-in");
        figures.push(Figure { name, caption, svg });
    }
    Ok(Outcome {
        figures,
        data: vec![(format!("{}.csv", study.name), cells.csv())],
        verdicts: judge(study, &cells),
        facts: vec![],
        cells,
    })
}

fn measure_on_the_way(cells: &mut Cells, group: &Group, records: &[Record]) {
    let length = records.iter().map(|record| record.checkpoints.len()).min().unwrap_or(0);
    type Value = fn(&Checkpoint) -> f64;
    let measures: [(&str, Value); 2] =
        [("mean-norm", |point| point.mean_norm), ("deviation-0.5", |point| point.deviations[4])];
    for (measure, value) in measures {
        for k in 0..length {
            let values: Vec<f64> = records.iter().map(|record| value(&record.checkpoints[k])).collect();
            cells.0.push(Cell {
                target: group.target.clone(),
                sampler: group.sampler.clone(),
                measure: measure.into(),
                at: records[0].checkpoints[k].iterations,
                interval: Interval::over(&values),
                chains: records.len(),
            });
        }
    }
}
