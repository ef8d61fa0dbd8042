//! Figure 4: samplers compared with a long benchmark sample, where the truth is not known.

use super::{Figure, Outcome, groups};
use crate::StudyError;
use crate::cells::{Cell, Cells};
use crate::draw::{self, CurvePanel};
use crate::engine::{Engine, Group};
use crate::interval::Interval;
use crate::record::{Record, Spec, checkpoints};
use crate::run::Settings;
use crate::study::Study;
use crate::verdict::judge;
use kameleon::Kernel;
use kameleon::diagnose::{mean_norm, mmd2_biased};

/// The draws of each chain of the benchmark.
pub fn sample(study: &Study, engine: &Engine<'_>, settings: &Settings<'_>) -> Result<Vec<Vec<f64>>, StudyError> {
    let entry = study.benchmark();
    let target = entry.of(study.target());
    let group = Group {
        spec: Spec::of(&target, &entry.sampler, settings.scale, settings.seed),
        chains: entry.chains.at(settings.scale) as usize,
        target: target.name,
        sampler: "benchmark".into(),
    };
    let records = engine.run(&format!("{} (benchmark)", study.name), &[group])?;
    Ok(records.into_iter().flatten().map(|record| record.draws).collect())
}

/// The figure.
pub fn benchmark(study: &Study, engine: &Engine<'_>, settings: &Settings<'_>) -> Result<Outcome, StudyError> {
    let target = study.target();
    let chains = sample(study, engine, settings)?;
    let groups = groups(study, settings);
    let records = engine.run(&study.name, &groups)?;
    let truth = chains.concat();
    let mut cells = Cells::default();
    for (group, records) in groups.iter().zip(&records) {
        measure(&mut cells, group, records, &truth, target.thin.at(settings.scale));
    }
    let samplers = cells.samplers();
    let panel = |measure: &str, label: &str| CurvePanel::of(&cells, &target.name, measure, label);
    let panels = [panel("mean-distance", "distance of the means"), panel("mmd", "MMD to the benchmark")];
    let caption = format!(
        "{}: distance of the mean from that of the benchmark (left) and maximum mean discrepancy to it with the kernel \
         (1 + ⟨θ,θ'⟩)³ (right) against iterations after the burn-in; 80 % intervals over {} chains.",
        target.name,
        study.chains.at(settings.scale)
    );
    let svg = draw::curves(&samplers, &panels, "iterations after burn-in");
    Ok(Outcome {
        figures: vec![Figure { name: study.name.clone(), caption, svg }],
        data: vec![(format!("{}.csv", study.name), cells.csv())],
        verdicts: judge(study, &cells),
        facts: facts(&groups, &records, &chains, target.dim),
        cells,
    })
}

/// Distances of the first so many draws of each chain from the benchmark.
fn measure(cells: &mut Cells, group: &Group, records: &[Record], truth: &[f64], thin: u64) {
    let (dim, kernel) = (group.spec.dim, Kernel::polynomial(3));
    let mean = mean_of(truth, dim);
    let count = records.iter().map(|record| record.draws.len() / dim).min().unwrap_or(0);
    let acceptance: Vec<f64> = records.iter().map(|record| record.acceptance).collect();
    let mut add = |measure: &str, count: usize, values: &[f64]| {
        cells.0.push(Cell {
            target: group.target.clone(),
            sampler: group.sampler.clone(),
            measure: measure.into(),
            at: count as u64 * thin,
            interval: Interval::over(values),
            chains: records.len(),
        });
    };
    add("acceptance", count, &acceptance);
    for count in checkpoints(count) {
        let first = |record: &Record| record.draws[..count * dim].to_vec();
        let distances: Vec<f64> = records.iter().map(|record| mean_norm(&first(record), &mean)).collect();
        // Never negative but for rounding.
        let mmd = |record: &Record| mmd2_biased(&first(record), truth, dim, &kernel).max(0.0).sqrt();
        let discrepancies: Vec<f64> = records.iter().map(mmd).collect();
        add("mean-distance", count, &distances);
        add("mmd", count, &discrepancies);
    }
}

fn mean_of(draws: &[f64], dim: usize) -> Vec<f64> {
    let count = (draws.len() / dim) as f64;
    (0..dim).map(|i| draws.iter().skip(i).step_by(dim).sum::<f64>() / count).collect()
}

/// Whether the benchmark, made with fewer importance samples, agrees with the chains; and what the samplers cost.
fn facts(groups: &[Group], records: &[Vec<Record>], benchmark: &[Vec<f64>], dim: usize) -> Vec<String> {
    let each = |say: &dyn Fn(&Group, &[Record]) -> String| {
        groups.iter().zip(records).map(|(group, records)| say(group, records)).collect::<Vec<String>>().join(", ")
    };
    let agreement = each(&|group, records| {
        let chains: Vec<Vec<f64>> = records.iter().map(|record| record.draws.clone()).collect();
        let scores = differences(&chains, benchmark, dim);
        let mean_square = scores.iter().map(|z| z * z).sum::<f64>() / dim as f64;
        let largest = scores.iter().map(|z| z.abs()).fold(0.0, f64::max);
        format!("{} {:.1} (at most {largest:.1})", group.sampler, mean_square.sqrt())
    });
    let milliseconds = each(&|group, records| {
        let mean = records.iter().map(|record| record.seconds).sum::<f64>() / records.len() as f64;
        format!("{} {:.2} ms", group.sampler, 1e3 * mean / group.spec.iterations() as f64)
    });
    vec![
        format!(
            "Agreement with the benchmark, whose estimates are made of fewer importance samples: the means of the {dim} \
             coordinates differ by, in standard errors, root mean square: {agreement}. Near 1 is what chains of one law \
             give; a sampler that keeps adapting, or has not yet forgotten its start, may be further off."
        ),
        format!("Time for an iteration, where it was run: {milliseconds}."),
    ]
}

/// The differences of the means of two sets of chains in each coordinate, in standard errors found between chains.
fn differences(a: &[Vec<f64>], b: &[Vec<f64>], dim: usize) -> Vec<f64> {
    let mean_and_variance = |chains: &[Vec<f64>], i: usize| -> (f64, f64) {
        let values: Vec<f64> = chains.iter().map(|draws| mean_of(draws, dim)[i]).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        (mean, values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0) / n)
    };
    let score = |i: usize| {
        let ((a, a_variance), (b, b_variance)) = (mean_and_variance(a, i), mean_and_variance(b, i));
        (a - b) / (a_variance + b_variance).sqrt()
    };
    (0..dim).map(score).collect()
}
