//! Measures samplers on targets whose truth is known: `measure SAMPLERS TARGETS [chains] [warmup] [draws] [seed] [pool]`.
//!
//! The default sampler takes its largest dimension of jumps from the environment variable JUMPS and its n from N; with VERBOSE
//! it tells what it learned, and the ESS of every parameter.

use kameleon::diagnose::{n_eq, quantile_deviation};
use kameleon::random::{Purpose, stream};
use kameleon::target::{Banana, Flower, Funnel, Gaussian, StudentT, TwoModes};
use kameleon::*;
use rand::RngExt;
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: u64| args.get(i).map_or(default, |text| text.parse().unwrap());
    let (chains, warmup, draws, seed) = (number(2, 8) as usize, number(3, 20_000), number(4, 20_000), number(5, 1));
    let pool = number(6, 1) == 1;
    for target in args[1].split(',') {
        for name in args[0].split(',') {
            let mut sampler = Sampler::chosen(&name.parse().unwrap()).unwrap();
            if let (Sampler::Kameleon(settings), Ok(text)) = (&mut sampler, std::env::var("JUMPS")) {
                settings.jumps_up_to = text.parse().unwrap();
            }
            if let (Sampler::Kameleon(settings), Ok(text)) = (&mut sampler, std::env::var("N")) {
                settings.n = text.parse().unwrap();
            }
            let plan =
                Plan { sampler, chains, warmup: Some(warmup), draws: Some(draws), seed, pool, ..Plan::default() };
            match target {
                "b003" => measure(target, Banana::new(8, 0.03, 100.0).unwrap(), &plan),
                "b01" => measure(target, Banana::new(8, 0.1, 100.0).unwrap(), &plan),
                "flower" => measure(target, Flower::new(8, 10.0, 6.0, 6.0, 1.0).unwrap(), &plan),
                "ring2" => measure(target, Flower::ring(2, 3.5, 0.05).unwrap(), &plan),
                "ring8" => measure(target, Flower::ring(8, 3.5, 0.05).unwrap(), &plan),
                "cond" => {
                    let v: Vec<f64> = (0..10).map(|i| 10f64.powf(-8.0 * f64::from(i) / 9.0)).collect();
                    measure(target, Gaussian::diagonal(&v).unwrap(), &plan);
                }
                "b2" => measure(target, Banana::new(2, 0.1, 100.0).unwrap(), &plan),
                "b20" => measure(target, Banana::new(20, 0.1, 100.0).unwrap(), &plan),
                "b50" => measure(target, Banana::new(50, 0.1, 100.0).unwrap(), &plan),
                "funnel5" => measure(target, Funnel::new(5, 3.0).unwrap(), &plan),
                "funnel10" => measure(target, Funnel::new(10, 3.0).unwrap(), &plan),
                "modes" => measure(target, TwoModes::new(5, 6.0, 0.5).unwrap(), &plan),
                "t3" => measure(target, StudentT::new(8, 3.0).unwrap(), &plan),
                "c20" => measure(target, Banana::new(20, 0.03, 100.0).unwrap(), &plan),
                "c50" => measure(target, Banana::new(50, 0.03, 100.0).unwrap(), &plan),
                "mix8" => measure(target, Mixed::new(8), &plan),
                "mix20" => measure(target, Mixed::new(20), &plan),
                "c30" => measure(target, Banana::new(30, 0.03, 100.0).unwrap(), &plan),
                "c12" => measure(target, Banana::new(12, 0.03, 100.0).unwrap(), &plan),
                "c16" => measure(target, Banana::new(16, 0.03, 100.0).unwrap(), &plan),
                other => panic!("no target {other}"),
            }
        }
    }
}

/// A banana in coordinates that are mixed and of very different units.
#[derive(Clone)]
struct Mixed {
    banana: Banana,
    factor: Vec<f64>,
    d: usize,
}

impl Mixed {
    fn new(d: usize) -> Self {
        let mut rng = stream(7, 0, Purpose::Start);
        let mut factor = vec![0.0; d * d];
        for i in 0..d {
            let unit = 10f64.powf(rng.random_range(-1.5..1.5));
            for j in 0..i {
                factor[i * d + j] = unit * rng.random_range(-0.5..0.5);
            }
            factor[i * d + i] = unit;
        }
        Self { banana: Banana::new(d, 0.1, 100.0).unwrap(), factor, d }
    }

    fn back(&self, x: &[f64]) -> Vec<f64> {
        let d = self.d;
        let mut y = x.to_vec();
        for i in 0..d {
            let sum: f64 = (0..i).map(|j| self.factor[i * d + j] * y[j]).sum();
            y[i] = (y[i] - sum) / self.factor[i * d + i];
        }
        // Banana's axes last, and the first one narrow.
        y.reverse();
        y[0] *= 10.0;
        y
    }
}

impl Target for Mixed {
    fn dim(&self) -> Option<usize> {
        Some(self.d)
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> target::Evaluation {
        let y = self.back(x);
        self.banana.log_density(&y, noise)
    }
}

impl Known for Mixed {
    fn sample(&self, rng: &mut Rng, x: &mut [f64]) {
        let mut y = vec![0.0; self.d];
        self.banana.sample(rng, &mut y);
        y[0] /= 10.0;
        y.reverse();
        for (i, x) in x.iter_mut().enumerate() {
            *x = (0..=i).map(|j| self.factor[i * self.d + j] * y[j]).sum();
        }
    }

    fn mean(&self) -> Vec<f64> {
        vec![0.0; self.d]
    }

    fn total_variance(&self) -> f64 {
        // Of the banana's coordinates, only the second has not variance one: 1 + 2b²v².
        let variance = |j: usize| if j + 2 == self.d { 201.0 } else { 1.0 };
        self.factor.iter().enumerate().map(|(k, l)| l * l * variance(k % self.d)).sum()
    }

    fn level(&self, x: &[f64]) -> f64 {
        self.banana.level(&self.back(x))
    }
}

fn measure(name: &str, target: impl Known + Clone + Send, plan: &Plan) {
    let d = target.dim().unwrap();
    let start = |chain: usize| {
        let mut rng = stream(plan.seed, chain as u64, Purpose::Start);
        (0..d).map(|_| rng.random_range(-2.0..2.0)).collect::<Vec<f64>>()
    };
    let starts: Vec<Vec<f64>> = (0..plan.chains).map(start).collect();
    let started = Instant::now();
    let run = sample(target.clone(), &starts, plan, Control::default()).unwrap();
    let seconds = started.elapsed().as_secs_f64();
    let summary = run.summary();
    let ess = summary.parameters.iter().map(|p| p.ess_bulk).fold(f64::INFINITY, f64::min);
    let tail = summary.parameters.iter().map(|p| p.ess_tail).fold(f64::INFINITY, f64::min);
    let draws_each = plan.draws.unwrap_or_default() as f64;
    let total = draws_each * plan.chains as f64 / 1000.0;
    let (mut errors, mut deviation, mut worst) = (Vec::new(), 0.0, 0.0f64);
    let mean = target.mean();
    for draws in run.draws() {
        let found: Vec<f64> = (0..d).map(|i| draws.iter().skip(i).step_by(d).sum::<f64>() / draws_each).collect();
        errors.push(found.iter().zip(&mean).map(|(a, b)| (a - b).powi(2)).sum::<f64>());
        let levels: Vec<f64> = draws.chunks(d).map(|x| target.level(x)).collect();
        deviation += quantile_deviation(&levels) / plan.chains as f64;
    }
    for group in run.draws().chunks(4) {
        let summary = diagnose::summarise(&[], group, d);
        worst = worst.max(summary.parameters.iter().map(|p| p.r_hat).fold(0.0, f64::max));
    }
    if std::env::var("VERBOSE").is_ok() {
        println!(
            "{:?}",
            summary.parameters.iter().map(|p| (p.ess_bulk / total * 100.0).round() / 100.0).collect::<Vec<_>>()
        );
        for (chain, error) in run.chains.iter().zip(&errors) {
            println!("   {:?}", chain.advice);
            println!("   error2 {error:8.2} {:?}", chain.report);
        }
    }
    println!(
        "{name:7} {:9} ess/1000 {:7.2} tail {:7.2} n_eq {:8.1} qdev {:.2} % rhat {worst:.3} accept {:.3} wait {:5} us/eval {:.2}",
        plan.sampler.name(),
        ess / total,
        tail / total,
        n_eq(target.total_variance(), &errors),
        100.0 * deviation,
        run.acceptance(),
        run.chains.iter().map(|c| c.statistics.longest_rejection_run).max().unwrap(),
        1e6 * seconds / run.evaluations() as f64,
    );
}
