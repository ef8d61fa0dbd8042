//! Measures samplers on targets whose truth is known: `measure SAMPLERS TARGETS [chains] [warmup] [draws] [seed] [runs]`.
//!
//! The warm-up is a number of iterations or `auto`; then `draws` is the number of evaluations of a whole run. With VERBOSE it
//! tells what was learned in each run.

use kameleon::diagnose::{ParameterSummary, n_eq};
use kameleon::random::{Purpose, stream};
use kameleon::record::Draws;
use kameleon::target::{Banana, BananaSettings, Flower, Funnel, Gaussian, MixedBanana, Noisy, StudentT, TwoModes};
use kameleon::*;
use rand::RngExt;
use std::f64::consts::TAU;

/// Half the width of an interval of 95 %, in standard errors.
const WIDTH: f64 = 1.96;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: u64| args.get(i).map_or(default, |text| text.parse().unwrap());
    let (chains, draws, seed, runs) = (number(2, 4) as usize, number(4, 20_000), number(5, 1), number(6, 1));
    let warmup: Warmup = args.get(3).map_or(Warmup::Iterations(20_000), |text| text.parse().unwrap());
    for target in args[1].split(',') {
        for name in args[0].split(',') {
            let sampler = Sampler::chosen(&name.parse().unwrap()).unwrap();
            let mut plan = Plan { sampler, chains, warmup, draws: Some(draws), seed, ..Plan::default() };
            if warmup == Warmup::Auto {
                (plan.draws, plan.max_evaluations) = (None, Some(draws));
            }
            measure_named(target, &plan, runs);
        }
    }
}

fn measure_named(name: &str, plan: &Plan, runs: u64) {
    let banana = |dim, b| measure(name, Banana::new(dim, b, 100.0).unwrap(), Some(log_z_of_banana(dim)), plan, runs);
    let noisy_banana = |dim, b| {
        let noisy = Noisy::new(Banana::new(dim, b, 100.0).unwrap(), 1.0).unwrap();
        measure(name, noisy, Some(log_z_of_banana(dim)), plan, runs);
    };
    let flower = || Flower::new(8, 10.0, 6.0, 6.0, 1.0).unwrap();
    match name {
        "b003" => banana(8, 0.03),
        "b01" => banana(8, 0.1),
        "b2" => banana(2, 0.1),
        "b20" => banana(20, 0.1),
        "b50" => banana(50, 0.1),
        "c12" => banana(12, 0.03),
        "c16" => banana(16, 0.03),
        "c20" => banana(20, 0.03),
        "c30" => banana(30, 0.03),
        "c50" => banana(50, 0.03),
        "noisy003" => noisy_banana(8, 0.03),
        "noisy01" => noisy_banana(8, 0.1),
        "noisy2" => noisy_banana(2, 0.1),
        "flower" => measure(name, flower(), Some(log_z_of_flower()), plan, runs),
        "noisy-flower" => measure(name, Noisy::new(flower(), 1.0).unwrap(), Some(log_z_of_flower()), plan, runs),
        "ring2" => measure(name, Flower::ring(2, 3.5, 0.05).unwrap(), None, plan, runs),
        "ring8" => measure(name, Flower::ring(8, 3.5, 0.05).unwrap(), None, plan, runs),
        "cond" => {
            let v: Vec<f64> = (0..10).map(|i| 10f64.powf(-8.0 * f64::from(i) / 9.0)).collect();
            measure(name, Gaussian::diagonal(&v).unwrap(), None, plan, runs);
        }
        "funnel5" => measure(name, Funnel::new(5, 3.0).unwrap(), None, plan, runs),
        "funnel10" => measure(name, Funnel::new(10, 3.0).unwrap(), None, plan, runs),
        "modes" => measure(name, TwoModes::new(5, 6.0, 0.5).unwrap(), None, plan, runs),
        "t3" => measure(name, StudentT::new(8, 3.0).unwrap(), None, plan, runs),
        "mix8" => measure(name, mixed(8), None, plan, runs),
        "mix20" => measure(name, mixed(20), None, plan, runs),
        "gauss20" => measure(name, Gaussian::diagonal(&[1.0; 20]).unwrap(), None, plan, runs),
        "gauss50" => measure(name, Gaussian::diagonal(&[1.0; 50]).unwrap(), None, plan, runs),
        "corr60" => measure(name, correlated(60, 0.9), None, plan, runs),
        other => panic!("no target {other}"),
    }
}

/// ln ∫ of a banana with v = 100: its bend changes no volume.
fn log_z_of_banana(dim: usize) -> f64 {
    0.5 * dim as f64 * TAU.ln() + 10f64.ln()
}

/// ln ∫ of F(10, 6, 6, 1) in 8 dimensions, 10.5730: ∫ r exp(−(r − μ)²/2) dr, over a grid of r and over angles.
fn log_z_of_flower() -> f64 {
    let (angles, step) = (512, 1e-3);
    let radial = |k: i32| {
        let ridge = 10.0 + 6.0 * (6.0 * (f64::from(k) + 0.5) * TAU / f64::from(angles)).cos();
        let radii = (0..24_000).map(|i| step * (f64::from(i) + 0.5));
        radii.map(|r| r * (-0.5 * (r - ridge).powi(2)).exp()).sum::<f64>()
    };
    let plane = (0..angles).map(radial).sum::<f64>() * step * TAU / f64::from(angles);
    plane.ln() + 3.0 * TAU.ln()
}

/// Unit variances, all correlations the same.
fn correlated(dim: usize, rho: f64) -> Gaussian {
    let covariance: Vec<f64> = (0..dim * dim).map(|k| if k / dim == k % dim { 1.0 } else { rho }).collect();
    Gaussian::new(&vec![0.0; dim], &covariance).unwrap()
}

fn mixed(dim: usize) -> MixedBanana {
    MixedBanana::new(dim, BananaSettings { b: 0.1, v: 100.0 }).unwrap()
}

/// The time of the processor that this process has had.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let after = text.rsplit_once(')').unwrap().1;
    let ticks: u64 = after.split_whitespace().skip(11).take(2).map(|field| field.parse::<u64>().unwrap()).sum();
    ticks as f64 / 100.0
}

/// What all runs on a target came to.
#[derive(Default)]
struct Figures {
    runs: f64,
    ess: f64,
    tail: f64,
    accepted: f64,
    warmup: f64,
    r_hat: f64,
    evaluations: u64,
    seconds: f64,
    /// Runs of which the summary of the program would say something against the draws.
    warned: u64,
    /// Squared errors of the means over the draws, and by weights.
    errors: Vec<f64>,
    weighted_errors: Vec<f64>,
    /// ln Z, its standard error, and whether it is given.
    logs: Vec<(f64, f64, bool)>,
}

fn measure(name: &str, target: impl Target + Clone + Send, log_z: Option<f64>, plan: &Plan, runs: u64) {
    let d = target.dim().unwrap();
    let known = target.known().unwrap();
    let (truth, variance) = (known.mean(), known.total_variance());
    let mut figures = Figures::default();
    for k in 0..runs {
        let plan = Plan { seed: plan.seed + k, ..plan.clone() };
        let start = |chain: usize| {
            let mut rng = stream(plan.seed, chain as u64, Purpose::Start);
            (0..d).map(|_| rng.random_range(-2.0..2.0)).collect::<Vec<f64>>()
        };
        let starts: Vec<Vec<f64>> = (0..plan.chains).map(start).collect();
        let before = processor_seconds();
        let run = sample(target.clone(), &starts, &plan, Control::default()).unwrap();
        figures.seconds += processor_seconds() - before;
        figures.add(&run, &plan, &truth);
        if std::env::var("VERBOSE").is_ok() {
            let (error, log) = (figures.errors.last(), figures.logs.last());
            let warmup = run.chains[0].statistics.warmup.total();
            println!("   error2 {error:.4?} log Z {log:.4?} warm-up {warmup} {:?}", run.chains[0].report);
            println!("   {:?} {:?}", run.warnings(), run.evidence(plan.pools()).map(|evidence| evidence.why));
        }
    }
    figures.print(name, &plan.sampler, variance);
    figures.print_evidence(variance, log_z);
}

impl Figures {
    fn add(&mut self, run: &Run, plan: &Plan, truth: &[f64]) {
        let (summary, d) = (run.summary(), truth.len());
        let draws = run.draws().iter().map(|draws| draws.len() / d).sum::<usize>() as f64;
        let least = |of: fn(&ParameterSummary) -> f64| {
            1000.0 / draws * summary.parameters.iter().map(of).fold(f64::INFINITY, f64::min)
        };
        self.runs += 1.0;
        self.ess += least(|p| p.ess_bulk);
        self.tail += least(|p| p.ess_tail);
        self.r_hat = summary.parameters.iter().map(|p| p.r_hat).fold(self.r_hat, f64::max);
        self.accepted += run.acceptance();
        self.warmup += run.chains[0].statistics.warmup.total() as f64;
        self.evaluations += run.evaluations();
        let all: Vec<&Draws> = run.chains.iter().map(|chain| &chain.draws).collect();
        let stein = plan.check.stein(&all, run.chains.iter().map(|chain| &chain.statistics), d);
        let misfit = stein.is_some_and(|stein| !stein.off().is_empty());
        self.warned += u64::from(misfit || !summary.verdict.messages.is_empty() || !run.warnings().is_empty());
        let squared = |mean: &dyn Fn(usize) -> f64| (0..d).map(|i| (mean(i) - truth[i]).powi(2)).sum::<f64>();
        let of_draws = |i: usize| run.draws().iter().flat_map(|c| c.iter().skip(i).step_by(d)).sum::<f64>() / draws;
        self.errors.push(squared(&of_draws));
        let points: Vec<f64> = all.iter().flat_map(|draws| &draws.jumps.points).copied().collect();
        let weights: Vec<f64> = all.iter().flat_map(|draws| &draws.jumps.log_weight).copied().collect();
        if weights.len() > 1 {
            let weighted = diagnose::weighted_means(&points, d, &weights).mean;
            self.weighted_errors.push(squared(&|i| weighted[i]));
        }
        self.logs.extend(run.evidence(plan.pools()).map(|found| (found.log, found.error, found.reliable)));
    }

    fn print(&self, name: &str, sampler: &Sampler, variance: f64) {
        println!(
            "{name:7} {:9} ess/1000 {:6.1} tail {:6.1} n_eq {:8.0} worst |mean| {:6.3} rhat {:.3} warned {} accept {:.3} warm-up {:.0} \
             us/eval {:.2}",
            sampler.name(),
            self.ess / self.runs,
            self.tail / self.runs,
            n_eq(variance, &self.errors),
            self.errors.iter().fold(0.0f64, |a, b| a.max(*b)).sqrt(),
            self.r_hat,
            self.warned,
            self.accepted / self.runs,
            self.warmup / self.runs,
            1e6 * self.seconds / self.evaluations as f64,
        );
    }

    /// The log normalising constant of those runs that give one, against the mean over all where the truth is not known.
    fn print_evidence(&self, variance: f64, log_z: Option<f64>) {
        if self.logs.is_empty() {
            return;
        }
        let mean = |of: &dyn Fn(&(f64, f64, bool)) -> f64, logs: &[(f64, f64, bool)]| {
            logs.iter().map(of).sum::<f64>() / logs.len() as f64
        };
        let all = mean(&|(log, ..)| *log, &self.logs);
        let exact = log_z.unwrap_or(all);
        let given: Vec<_> = self.logs.iter().copied().filter(|(.., reliable)| *reliable).collect();
        let rms = |logs: &[(f64, f64, bool)]| mean(&|(log, ..)| (log - exact).powi(2), logs).sqrt();
        let distances = || given.iter().map(|(log, error, _)| (log - exact).abs() / error);
        println!(
            "        weighted n_eq {:8.0}  log Z mean {all:.4} exact {exact:.4} rms {:.4} (of all runs {:.4}) claimed {:.4} given {} of {}, \
             covered {}, worst {:.1} errors off",
            n_eq(variance, &self.weighted_errors),
            rms(&given),
            rms(&self.logs),
            mean(&|(_, error, _)| *error, &given),
            given.len(),
            self.logs.len(),
            distances().filter(|z| *z <= WIDTH).count(),
            distances().fold(0.0, f64::max),
        );
    }
}
