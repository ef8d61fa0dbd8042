//! Measures samplers on targets whose truth is known: `measure SAMPLERS TARGETS [chains] [warmup] [draws] [seed] [runs]`.
//!
//! The warm-up is a number of iterations or `auto`; then `draws` is the number of evaluations of a whole run. With VERBOSE it
//! tells what was learned in each run.

use kameleon::diagnose::n_eq;
use kameleon::random::{Purpose, stream};
use kameleon::target::{Banana, BananaSettings, Flower, Funnel, Gaussian, MixedBanana, Noisy, StudentT, TwoModes};
use kameleon::*;
use rand::RngExt;

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
            match target {
                "b003" => measure(target, Banana::new(8, 0.03, 100.0).unwrap(), &plan, runs),
                "noisy003" => {
                    let banana = Banana::new(8, 0.03, 100.0).unwrap();
                    measure(target, Noisy::new(banana, 1.0).unwrap(), &plan, runs);
                }
                "b01" => measure(target, Banana::new(8, 0.1, 100.0).unwrap(), &plan, runs),
                "flower" => measure(target, Flower::new(8, 10.0, 6.0, 6.0, 1.0).unwrap(), &plan, runs),
                "ring2" => measure(target, Flower::ring(2, 3.5, 0.05).unwrap(), &plan, runs),
                "ring8" => measure(target, Flower::ring(8, 3.5, 0.05).unwrap(), &plan, runs),
                "cond" => {
                    let v: Vec<f64> = (0..10).map(|i| 10f64.powf(-8.0 * f64::from(i) / 9.0)).collect();
                    measure(target, Gaussian::diagonal(&v).unwrap(), &plan, runs);
                }
                "b2" => measure(target, Banana::new(2, 0.1, 100.0).unwrap(), &plan, runs),
                "b20" => measure(target, Banana::new(20, 0.1, 100.0).unwrap(), &plan, runs),
                "b50" => measure(target, Banana::new(50, 0.1, 100.0).unwrap(), &plan, runs),
                "funnel5" => measure(target, Funnel::new(5, 3.0).unwrap(), &plan, runs),
                "funnel10" => measure(target, Funnel::new(10, 3.0).unwrap(), &plan, runs),
                "modes" => measure(target, TwoModes::new(5, 6.0, 0.5).unwrap(), &plan, runs),
                "t3" => measure(target, StudentT::new(8, 3.0).unwrap(), &plan, runs),
                "c20" => measure(target, Banana::new(20, 0.03, 100.0).unwrap(), &plan, runs),
                "c50" => measure(target, Banana::new(50, 0.03, 100.0).unwrap(), &plan, runs),
                "mix8" => measure(target, mixed(8), &plan, runs),
                "mix20" => measure(target, mixed(20), &plan, runs),
                "c30" => measure(target, Banana::new(30, 0.03, 100.0).unwrap(), &plan, runs),
                "c12" => measure(target, Banana::new(12, 0.03, 100.0).unwrap(), &plan, runs),
                "gauss20" => measure(target, Gaussian::diagonal(&[1.0; 20]).unwrap(), &plan, runs),
                "gauss50" => measure(target, Gaussian::diagonal(&[1.0; 50]).unwrap(), &plan, runs),
                "corr60" => measure(target, correlated(60, 0.9), &plan, runs),
                "noisy2" => {
                    let banana = Banana::new(2, 0.1, 100.0).unwrap();
                    measure(target, Noisy::new(banana, 1.0).unwrap(), &plan, runs);
                }
                "c16" => measure(target, Banana::new(16, 0.03, 100.0).unwrap(), &plan, runs),
                other => panic!("no target {other}"),
            }
        }
    }
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

fn measure(name: &str, target: impl Target + Clone + Send, plan: &Plan, runs: u64) {
    let d = target.dim().unwrap();
    let known = target.known().unwrap();
    let truth = known.mean();
    let (mut errors, mut ess, mut tail, mut accepted, mut warm) = (Vec::new(), 0.0, 0.0, 0.0, 0.0);
    let (mut rhat, mut evaluations, mut warned) = (0.0f64, 0, 0);
    let (mut weighted_errors, mut logs) = (Vec::new(), Vec::new());
    let mut seconds = 0.0;
    for k in 0..runs {
        let plan = Plan { seed: plan.seed + k, ..plan.clone() };
        let start = |chain: usize| {
            let mut rng = stream(plan.seed, chain as u64, Purpose::Start);
            (0..d).map(|_| rng.random_range(-2.0..2.0)).collect::<Vec<f64>>()
        };
        let starts: Vec<Vec<f64>> = (0..plan.chains).map(start).collect();
        let before = processor_seconds();
        let run = sample(target.clone(), &starts, &plan, Control::default()).unwrap();
        seconds += processor_seconds() - before;
        let summary = run.summary();
        let draws: usize = run.draws().iter().map(|draws| draws.len() / d).sum();
        let least = |of: fn(&diagnose::ParameterSummary) -> f64| {
            summary.parameters.iter().map(of).fold(f64::INFINITY, f64::min)
        };
        ess += least(|p| p.ess_bulk) / draws as f64 * 1000.0 / runs as f64;
        tail += least(|p| p.ess_tail) / draws as f64 * 1000.0 / runs as f64;
        rhat = summary.parameters.iter().map(|p| p.r_hat).fold(rhat, f64::max);
        accepted += run.acceptance() / runs as f64;
        warm += run.chains[0].statistics.warmup.total() as f64 / runs as f64;
        evaluations += run.evaluations();
        warned += u64::from(!run.warnings().is_empty());
        let mean = |i: usize| run.draws().iter().flat_map(|c| c.iter().skip(i).step_by(d)).sum::<f64>() / draws as f64;
        errors.push((0..d).map(|i| (mean(i) - truth[i]).powi(2)).sum::<f64>());
        let (mut points, mut ratios) = (Vec::new(), Vec::new());
        for chain in &run.chains {
            points.extend_from_slice(&chain.draws.jumps.points);
            ratios.extend_from_slice(&chain.draws.jumps.log_ratio);
        }
        if ratios.len() > 1 {
            let weighted = diagnose::weighted_means(&points, d, &ratios).mean;
            weighted_errors.push(weighted.iter().zip(&truth).map(|(a, b)| (a - b).powi(2)).sum::<f64>());
        }
        if let Some(evidence) = run.evidence(plan.pools()) {
            logs.push((evidence.log, evidence.error, evidence.reliable));
        }
        if std::env::var("VERBOSE").is_ok() {
            println!(
                "   error2 {:.4} warm-up {} {:?}",
                errors[k as usize],
                run.chains[0].statistics.warmup.total(),
                run.chains[0].report
            );
            println!("   {:?}", run.warnings());
        }
    }
    println!(
        "{name:7} {:9} ess/1000 {ess:6.1} tail {tail:6.1} n_eq {:8.0} worst |mean| {:6.3} rhat {rhat:.3} warned {warned} accept {accepted:.3} warm-up {warm:.0} \
         us/eval {:.2}",
        plan.sampler.name(),
        n_eq(known.total_variance(), &errors),
        errors.iter().fold(0.0f64, |a, b| a.max(*b)).sqrt(),
        1e6 * seconds / evaluations as f64,
    );
    if !logs.is_empty() {
        // The log normalising constant, against the mean over runs where the truth is not known.
        let n = logs.len() as f64;
        let mean = logs.iter().map(|(log, ..)| log).sum::<f64>() / n;
        let exact = std::env::var("LOGZ").map_or(mean, |text| text.parse().unwrap());
        let rms = (logs.iter().map(|(log, ..)| (log - exact).powi(2)).sum::<f64>() / n).sqrt();
        let distances =
            logs.iter().filter(|(.., reliable)| *reliable).map(|(log, error, _)| (log - exact).abs() / error);
        let (covered, reliable) = (distances.clone().filter(|z| *z <= 1.96).count(), distances.clone().count());
        let worst = distances.fold(0.0, f64::max);
        println!(
            "        weighted n_eq {:8.0}  log Z {mean:.4} rms {rms:.4} claimed {:.4} reliable {reliable} of {n}, \
             of these covered {covered}, worst {worst:.1} errors off",
            n_eq(known.total_variance(), &weighted_errors),
            logs.iter().map(|(_, error, _)| error).sum::<f64>() / n,
        );
    }
}
