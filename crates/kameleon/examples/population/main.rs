//! Measures the population warm-up on problems whose evidence is known:
//! `population PROBLEMS [seeds=N] [first=SEED] [looks=N] [particles=N] [ladders=N] [check=N] [unsure=0] [noise=SD] [moves=kernel] [scale=logit]
//! [budget=N] [only=looks]`.
//!
//! Problems are separated by commas; `all` is all of them. With VERBOSE it has a line for each seed. With `only=looks` it tells how
//! often short looks show one mode, and what they cost. With `scale=logit` a population sees logits of what is in a box, as in runs.

mod problems;

use kameleon::diagnose::quantile;
use kameleon::population::{Found, Moves, Population, Prior, Settings};
use kameleon::random::{Purpose, stream};
use problems::{NAMES, Problem};
use rand::RngExt;
use rand_distr::StandardNormal;

/// What the progress of each stage is told by.
const STAGES: [&str; 4] = ["level", "testing links", "round", "niches"];

const LEVELS: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| args.iter().find_map(|arg| arg.strip_prefix(name)?.strip_prefix('='));
    let number = |name: &str, default: usize| option(name).map_or(default, |text| text.parse().unwrap());
    let settings = Settings {
        looks: number("looks", 0),
        particles: option("particles").map(|text| text.parse().unwrap()),
        ladders: number("ladders", 1),
        check: number("check", 5000),
        ladder_when_unsure: number("unsure", 1) == 1,
        max_evaluations: option("budget").map(|text| text.parse().unwrap()),
        moves: if option("moves") == Some("kernel") { Moves::Kernel } else { Moves::Usual },
    };
    let is_logit = option("scale") == Some("logit");
    let noise: f64 = option("noise").map_or(0.0, |text| text.parse().unwrap());
    let names: Vec<&str> = match args.first().map(String::as_str) {
        Some("all") | None => NAMES.to_vec(),
        Some(names) => names.split(',').collect(),
    };
    let seeds = number("first", 1)..number("first", 1) + number("seeds", 3);
    if option("only") == Some("looks") {
        return names.iter().for_each(|name| show_looks(name, seeds.clone(), &settings, is_logit));
    }
    println!(
        "{:10} {:>7} {:>6} {:>6} {:>13} {:>6} {:>6} {:>6} {:>5} {:>6} {:>7} {:>7} {:>6} {:>5} {:>6}",
        "problem",
        "log Z",
        "rms",
        "worst",
        "ladder",
        "sweeps",
        "found",
        "weight",
        "q %",
        "good",
        "evals",
        "most",
        "batch",
        "eff",
        "s"
    );
    for name in names {
        let runs: Vec<Measured> =
            seeds.clone().map(|seed| measure(name, seed as u64, &settings, noise, is_logit)).collect();
        show(name, &runs);
    }
}

/// What one run gave.
struct Measured {
    log_z: f64,
    ladder: f64,
    /// The sweeps of all ladders, and the evaluations and batches of each stage.
    sweeps: f64,
    spent: [f64; STAGES.len()],
    asked: [usize; STAGES.len()],
    /// Whether every mode has draws, and the largest error of a mode's weight.
    found: bool,
    weight: f64,
    /// The mean error of five quantiles, in per cent.
    quantiles: f64,
    efficiency: f64,
    good: bool,
    evaluations: f64,
    batches: f64,
    seconds: f64,
}

fn measure(name: &str, seed: u64, settings: &Settings, noise: f64, is_logit: bool) -> Measured {
    let mut problem = Problem::named(name, seed);
    problem.is_logit = is_logit;
    let mut rng = stream(seed, 0, Purpose::Noise);
    let mut noisy = |x: &[f64]| {
        let e: f64 = if noise > 0.0 { rng.sample(StandardNormal) } else { 0.0 };
        problem.log_likelihood(&problem.own(x)) + noise * e - 0.5 * noise * noise
    };
    let begun = std::time::Instant::now();
    let mut population = Population::new(problem.dim(), settings, seed).unwrap();
    let (spent, asked, sweeps) = run(&mut population, &problem, &mut noisy);
    let found = population.found().unwrap();
    let (weight, all) = mode_weights(&problem, found);
    let measured = Measured {
        log_z: found.frozen.map_or(f64::NAN, |estimate| estimate.log_z) - problem.log_z,
        ladder: found.ladders.last().copied().unwrap_or(f64::NAN) - problem.log_z,
        sweeps,
        spent,
        asked,
        found: all,
        weight,
        quantiles: quantile_error(&problem, found),
        efficiency: found.frozen.map_or(f64::NAN, |estimate| estimate.efficiency),
        good: found.is_good,
        evaluations: found.evaluations as f64,
        batches: found.batches as f64,
        seconds: begun.elapsed().as_secs_f64(),
    };
    if std::env::var_os("VERBOSE").is_some() {
        println!(
            "  {name} {seed}: log Z {:+.3} ladder {:+.2} niches {} weight {:.3} q {:.2} eff {:.2} k {:.2} evals {} {:?} batches {} {:?} {:?}",
            measured.log_z,
            measured.ladder,
            found.niches.len(),
            weight,
            measured.quantiles,
            measured.efficiency,
            found.frozen.map_or(f64::NAN, |estimate| estimate.pareto_k),
            found.evaluations,
            measured.spent,
            found.batches,
            measured.asked,
            found.doubts
        );
    }
    measured
}

/// Runs it to its end; tells the evaluations and batches of each stage, and the number of sweeps.
fn run(
    population: &mut Population,
    problem: &Problem,
    log_likelihood: &mut dyn FnMut(&[f64]) -> f64,
) -> ([f64; STAGES.len()], [usize; STAGES.len()], f64) {
    let (mut spent, mut asked, mut sweeps) = ([0.0; STAGES.len()], [0; STAGES.len()], 0.0);
    while let Some(points) = population.ask(problem) {
        let values: Vec<f64> = points.chunks_exact(problem.dim()).map(&mut *log_likelihood).collect();
        let line = population.progress();
        let stage = STAGES.iter().position(|stage| line.contains(stage)).unwrap();
        spent[stage] += values.len() as f64;
        asked[stage] += 1;
        sweeps += if stage == 0 && !line.contains("level 0") { 1.0 } else { 0.0 };
        population.tell(problem, &values).unwrap();
    }
    (spent, asked, sweeps)
}

/// Runs looks only, and shows how many of them end with one mode.
fn show_looks(name: &str, seeds: std::ops::Range<usize>, settings: &Settings, is_logit: bool) {
    let (count, mut one, mut evaluations) = (seeds.len(), 0, 0);
    for seed in seeds {
        let mut problem = Problem::named(name, seed as u64);
        problem.is_logit = is_logit;
        let mut population = Population::new(problem.dim(), settings, seed as u64).unwrap();
        while let Some(points) = population.ask(&problem) {
            let values: Vec<f64> =
                points.chunks_exact(problem.dim()).map(|x| problem.log_likelihood(&problem.own(x))).collect();
            let line = population.progress();
            if !line.starts_with("look") {
                one += usize::from(line.starts_with("round"));
                break;
            }
            population.tell(&problem, &values).unwrap();
        }
        evaluations += population.evaluations();
    }
    println!("{name:10} one mode in {one} of {count}, {:.1}k evaluations", evaluations as f64 / count as f64 / 1e3);
}

fn weights(found: &Found) -> Vec<f64> {
    let largest = found.log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = found.log_weights.iter().map(|log| (log - largest).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|w| w / total).collect()
}

/// The largest error of a mode's weight, and whether every mode of more than one per cent has a tenth of its weight.
fn mode_weights(problem: &Problem, found: &Found) -> (f64, bool) {
    if problem.modes.is_empty() {
        return (f64::NAN, true);
    }
    let mut share = vec![0.0; problem.modes.len()];
    for (x, w) in found.points.chunks_exact(problem.dim()).zip(weights(found)) {
        share[problem.nearest_mode(&problem.own(x))] += w;
    }
    let error = |(share, mode): (&f64, &problems::Mode)| (share - mode.weight).abs();
    let worst = share.iter().zip(&problem.modes).map(error).fold(0.0, f64::max);
    let all = share.iter().zip(&problem.modes).all(|(share, mode)| mode.weight < 0.01 || *share > 0.1 * mode.weight);
    (worst, all)
}

/// The mean over coordinates and levels of the error of the distribution function at the true quantiles.
fn quantile_error(problem: &Problem, found: &Found) -> f64 {
    let mut rng = stream(99, 0, Purpose::Start);
    let Some(draws) = (0..20_000).map(|_| problem.exact(&mut rng)).collect::<Option<Vec<_>>>() else {
        return f64::NAN;
    };
    let (d, weights) = (problem.dim(), weights(found));
    let mut sum = 0.0;
    for i in 0..d {
        let mut exact: Vec<f64> = draws.iter().map(|x| x[i]).collect();
        exact.sort_by(f64::total_cmp);
        for level in LEVELS {
            let at = quantile(&exact, level);
            let below = found
                .points
                .chunks_exact(d)
                .zip(&weights)
                .filter(|(x, _)| problem.own(x)[i] <= at)
                .map(|(_, w)| w)
                .sum::<f64>();
            sum += (below - level).abs();
        }
    }
    100.0 * sum / (d * LEVELS.len()) as f64
}

fn show(name: &str, runs: &[Measured]) {
    let n = runs.len() as f64;
    let mean = |of: &dyn Fn(&Measured) -> f64| runs.iter().map(of).sum::<f64>() / n;
    let most = |of: &dyn Fn(&Measured) -> f64| runs.iter().map(of).fold(0.0, f64::max);
    let ladder = mean(&|run| run.ladder);
    println!(
        "{name:10} {:+7.3} {:6.3} {:6.3} {ladder:+6.2} ± {:4.2} {:6.0} {:3}/{:<2} {:6.3} {:5.2} {:3}/{:<2} {:6.1}k {:6.1}k {:6.0} {:5.2} {:6.1}",
        mean(&|run| run.log_z),
        mean(&|run| run.log_z.powi(2)).sqrt(),
        most(&|run| run.log_z.abs()),
        mean(&|run| (run.ladder - ladder).powi(2)).sqrt(),
        mean(&|run| run.sweeps),
        runs.iter().filter(|run| run.found).count(),
        runs.len(),
        most(&|run| run.weight),
        mean(&|run| run.quantiles),
        runs.iter().filter(|run| run.good).count(),
        runs.len(),
        mean(&|run| run.evaluations) / 1e3,
        most(&|run| run.evaluations) / 1e3,
        mean(&|run| run.batches),
        mean(&|run| run.efficiency),
        mean(&|run| run.seconds),
    );
}
