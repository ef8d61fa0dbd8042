//! Figure 4: samplers compared with a long benchmark sample where the truth is not known.

use super::{Figure, Outcome, compare};
use crate::StudyError;
use crate::draw;
use crate::interval::Interval;
use crate::record::{Record, checkpoints};
use crate::results::Results;
use crate::scheduler::Scheduler;
use crate::spec::Replicates;
use crate::study::Study;
use kameleon::Kernel;
use kameleon::diagnose::{mean_norm, mmd2_biased};

/// The draws of each chain of the benchmark.
pub fn sample(study: &Study, scheduler: &Scheduler<'_>) -> Result<Vec<Vec<f64>>, StudyError> {
    let (entry, settings) = (study.benchmark(), scheduler.settings);
    let target = entry.of(study.target());
    let chains = Replicates {
        first: target.spec(&entry.sampler, settings.scale, settings.seed),
        count: entry.chains.at(settings.scale) as usize,
        target: target.name,
        sampler: "benchmark".into(),
    };
    let records = scheduler.run(&format!("{} (benchmark)", study.name), &[chains])?;
    Ok(records.into_iter().flatten().map(|record| record.draws).collect())
}

/// The figure.
pub fn benchmark(study: &Study, scheduler: &Scheduler<'_>) -> Result<Outcome, StudyError> {
    let target = study.target();
    let chains = sample(study, scheduler)?;
    let truth = chains.concat();
    let (mut agreement, mut times) = (Vec::new(), Vec::new());
    let mut outcome = compare(study, scheduler, |results, of, records| {
        measure(results, of, records, &truth);
        agreement.push(format!("{} {}", of.sampler, agree(records, &chains, target.dim)));
        let seconds = records.iter().map(|record| record.seconds).sum::<f64>() / records.len() as f64;
        times.push(format!("{} {:.2} ms", of.sampler, 1e3 * seconds / of.first.iterations() as f64));
    })?;
    let panels = [("mean-distance", "distance of the means"), ("mmd", "MMD to the benchmark")];
    let svg = draw::curves(&outcome.results, &target.name, &panels);
    let caption = format!(
        "{}: distance of the mean from that of the benchmark (left) and maximum mean discrepancy to it with the kernel \
         (1 + ⟨θ,θ'⟩)³ (right) against iterations after the burn-in; 80 % intervals over {} chains.",
        target.name,
        study.chains.at(scheduler.settings.scale)
    );
    outcome.figures = vec![Figure { name: study.name.clone(), caption, svg }];
    outcome.facts = vec![
        format!(
            "Agreement with the benchmark: root mean square, over the {} \
             coordinates, of the difference of the means in standard errors: {}. Chains with the same distribution give \
             about 1; a sampler that keeps adapting, or has not yet forgotten its start, may be further off.",
            target.dim,
            agreement.join(", ")
        ),
        format!("Processor time per iteration on this machine: {}.", times.join(", ")),
    ];
    Ok(outcome)
}

/// Distances of the first draws of each chain from the benchmark, for more and more draws.
fn measure(results: &mut Results, of: &Replicates, records: &[Record], truth: &[f64]) {
    let (dim, thin, kernel) = (of.first.dim, of.first.thin, Kernel::polynomial(3));
    let mean = mean_of(truth, dim);
    let count = records.iter().map(|record| record.draws.len() / dim).min().unwrap_or(0);
    let acceptance = Interval::over(records.iter().map(|record| record.acceptance));
    results.add(of, "acceptance", count as u64 * thin, acceptance);
    for count in checkpoints(count) {
        let first = || records.iter().map(|record| &record.draws[..count * dim]);
        // Never negative but for rounding.
        let mmd = |draws: &[f64]| mmd2_biased(draws, truth, dim, &kernel).max(0.0).sqrt();
        let at = count as u64 * thin;
        results.add(of, "mean-distance", at, Interval::over(first().map(|draws| mean_norm(draws, &mean))));
        results.add(of, "mmd", at, Interval::over(first().map(mmd)));
    }
}

fn mean_of(draws: &[f64], dim: usize) -> Vec<f64> {
    let count = (draws.len() / dim) as f64;
    (0..dim).map(|i| draws.iter().skip(i).step_by(dim).sum::<f64>() / count).collect()
}

/// The differences of the means from those of the benchmark in each coordinate, in standard errors between chains: their
/// root mean square and the largest.
fn agree(records: &[Record], benchmark: &[Vec<f64>], dim: usize) -> String {
    let mean_and_variance = |means: Vec<Vec<f64>>, i: usize| -> (f64, f64) {
        let n = means.len() as f64;
        let mean = means.iter().map(|mean| mean[i]).sum::<f64>() / n;
        (mean, means.iter().map(|other| (other[i] - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0) / n)
    };
    let score = |i: usize| {
        let (a, a_variance) = mean_and_variance(records.iter().map(|r| mean_of(&r.draws, dim)).collect(), i);
        let (b, b_variance) = mean_and_variance(benchmark.iter().map(|draws| mean_of(draws, dim)).collect(), i);
        (a - b) / (a_variance + b_variance).sqrt()
    };
    let scores: Vec<f64> = (0..dim).map(score).collect();
    let mean_square = scores.iter().map(|z| z * z).sum::<f64>() / dim as f64;
    let largest = scores.iter().map(|z| z.abs()).fold(0.0, f64::max);
    format!("{:.1} (at most {largest:.1})", mean_square.sqrt())
}
