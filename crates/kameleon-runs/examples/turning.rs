//! What turning a target around its circle changes: `cargo run --release -p kameleon-runs --example turning -- [SEEDS [WARM-UP]]`.
//!
//! An angle has a von Mises law of concentration 4 around a mode, and a number is normal around twice the sine of its distance to the mode:
//! a curved ridge. The mode is put at several places of the circle, two of them next to where its interval ends. For each place and
//! each kind of warm-up it prints n_eq, the number of independent draws whose means of cosine and sine have the same mean squared error as
//! those of the runs; its ratio to that at the first place with a 95 % interval (bootstrap over seeds); the mean number of
//! evaluations; how many runs gave no evidence because the weights of their jump proposals had a heavy tail, and the largest Pareto k̂; and the p-value
//! of Kolmogorov and Smirnov for the last draw of the first chain of each run against the exact law.

use kameleon::diagnose::{LARGEST_K, kolmogorov_smirnov_uniform};
use kameleon::random::{Purpose, stream};
use kameleon::{Control, Rng};
use kameleon_runs::{Model, RunSettings, start};
use rand::RngExt;
use std::f64::consts::TAU;

const CONCENTRATION: f64 = 4.0;
/// As shares of the circle.
const PLACES: [f64; 5] = [0.5, 0.25, 0.9, 0.02, 0.0];
const RESAMPLED: usize = 2000;
const GRID: usize = 20_000;

/// The mean of a function of the angle, from the mode, and the law up to an angle from −π on.
fn exact(of: impl Fn(f64) -> f64, up_to: f64) -> f64 {
    let weight = |k: usize| {
        let at = TAU * ((k as f64 + 0.5) / GRID as f64 - 0.5);
        (at, (CONCENTRATION * at.cos()).exp())
    };
    let total: f64 = (0..GRID).map(|k| weight(k).1).sum();
    (0..GRID).map(weight).filter(|(at, _)| *at < up_to).map(|(at, w)| w * of(at)).sum::<f64>() / total
}

/// What one run gives.
struct Ran {
    /// The squared errors of the two means, each over its variance.
    error: f64,
    evaluations: f64,
    pareto_k: f64,
    last: f64,
}

fn run(place: f64, warmup: &str, seed: u64) -> Result<Ran, Box<dyn std::error::Error>> {
    let mode = TAU * place;
    let text = format!(
        "[model]\nlog-density = \"{CONCENTRATION}*cos(phi - {mode}) - ((x - 2*sin(phi - {mode}))/0.3)^2/2\"\n\
         [parameters.phi]\nprior = \"uniform(0, {TAU})\"\nperiodic = true\n[parameters.x]\nprior = \"uniform(-4, 4)\"\n\
         [run]\nwarmup = \"{warmup}\"\ndraws = 250\nseed = {seed}\n"
    );
    let settings = RunSettings::from_toml(&text, "turning")?;
    let posterior = start(&settings, Model::open(&settings)?, None, Control::default())?.posterior;
    let angles: Vec<f64> = posterior.chains.iter().flat_map(|c| c.draws.points.iter().step_by(2)).copied().collect();
    let error = |of: fn(f64) -> f64| {
        let mean = exact(of, TAU);
        let variance = exact(|x| of(x) * of(x), TAU) - mean * mean;
        (angles.iter().map(|x| of(x - mode)).sum::<f64>() / angles.len() as f64 - mean).powi(2) / variance
    };
    let last = posterior.chains[0].draws.points.iter().step_by(2).next_back().ok_or("no draws")?;
    let from_mode = (last - mode + TAU / 2.0).rem_euclid(TAU) - TAU / 2.0;
    Ok(Ran {
        error: 0.5 * (error(f64::cos) + error(f64::sin)),
        evaluations: posterior.evaluations() as f64,
        pareto_k: posterior.jumps.as_ref().map_or(f64::NAN, |jumps| jumps.evidence.pareto_k),
        last: exact(|_| 1.0, from_mode),
    })
}

/// The mean of errors, of all of them or of as many that are drawn.
fn mean(errors: &[f64], rng: Option<&mut Rng>) -> f64 {
    let sum: f64 = match rng {
        None => errors.iter().sum(),
        Some(rng) => (0..errors.len()).map(|_| errors[rng.random_range(0..errors.len())]).sum(),
    };
    sum / errors.len() as f64
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seeds: u64 = std::env::args().nth(1).map_or(Ok(200), |text| text.parse())?;
    let only = std::env::args().nth(2);
    println!(
        "| warm-up | mode at | n_eq | ratio | 95 % | evaluations | refused | largest k̂ | p |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    );
    for warmup in
        ["chains", "population"].into_iter().filter(|warmup| only.as_deref().is_none_or(|only| only == *warmup))
    {
        let mut first: Vec<f64> = Vec::new();
        for (k, place) in PLACES.into_iter().enumerate() {
            let runs: Vec<Ran> =
                (0..seeds).map(|seed| run(place, warmup, 1000 * k as u64 + seed)).collect::<Result<_, _>>()?;
            let errors: Vec<f64> = runs.iter().map(|run| run.error).collect();
            if first.is_empty() {
                first.clone_from(&errors);
            }
            let mut rng = stream(1, k as u64, Purpose::Move);
            let mut ratios: Vec<f64> =
                (0..RESAMPLED).map(|_| mean(&first, Some(&mut rng)) / mean(&errors, Some(&mut rng))).collect();
            ratios.sort_by(f64::total_cmp);
            let [low, high] = [0.025, 0.975].map(|p| ratios[(p * RESAMPLED as f64) as usize]);
            let evaluations = runs.iter().map(|run| run.evaluations).sum::<f64>() / seeds as f64;
            let p = kolmogorov_smirnov_uniform(&mut runs.iter().map(|run| run.last).collect::<Vec<f64>>());
            let refused = runs.iter().filter(|run| run.pareto_k > LARGEST_K).count();
            let largest = runs.iter().map(|run| run.pareto_k).fold(f64::NEG_INFINITY, f64::max);
            let (n_eq, ratio) = (1.0 / mean(&errors, None), mean(&first, None) / mean(&errors, None));
            println!(
                "| {warmup} | {place} | {n_eq:.0} | {ratio:.2} | {low:.2} to {high:.2} | {evaluations:.0} | {refused} | {largest:.2} | {p:.2} |"
            );
        }
    }
    Ok(())
}
