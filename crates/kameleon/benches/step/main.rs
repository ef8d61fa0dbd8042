//! The cost of one step, side by side: `cargo bench -p kameleon`.
//!
//! Machines are shared, so what counts are the ratios: the contenders take turns, and the shortest of many turns is kept.

mod scalar;

use kameleon::proposal::*;
use kameleon::random::{Purpose, stream};
use kameleon::target::{Banana, Known};
use kameleon::*;
use scalar::ScalarKameleon;
use std::time::Instant;

const TURNS: usize = 15;
const GAMMA: f64 = 0.2;
const NU2: f64 = 0.1;

/// A contender: makes a number of steps.
type Steps<'a> = Box<dyn FnMut(u64) + 'a>;

fn banana(d: usize) -> Banana {
    Banana::new(d, 0.1, 100.0).unwrap()
}

/// Exact draws of the banana, one after another.
fn exact_draws(n: usize, d: usize) -> Vec<f64> {
    let mut rng = stream(1, 0, Purpose::Start);
    let mut z = vec![0.0; n * d];
    z.chunks_mut(d).for_each(|z| banana(d).sample(&mut rng, z));
    z
}

fn stepper<'a, P: Proposal + 'a>(proposal: P, d: usize, warmup: u64) -> Steps<'a> {
    let settings = ChainSettings { index: 0, seed: 1, warmup, normals: 0, correlation: 0.0 };
    let mut chain = Chain::new(proposal, &vec![0.1; d], settings).unwrap();
    let mut target = banana(d);
    Box::new(move |steps| (0..steps).for_each(|_| drop(std::hint::black_box(chain.step(&mut target)))))
}

fn kameleon<'a>(kernel: Kernel, n: usize, d: usize) -> Steps<'a> {
    let z = exact_draws(n, d).chunks(d).map(<[f64]>::to_vec).collect();
    let settings = KamhSettings {
        kernel,
        bandwidth: bandwidth::Bandwidth::Fixed,
        nu2: NU2,
        gamma: GAMMA,
        z: Some(z),
        ..KamhSettings::default()
    };
    stepper(Kamh::new(&settings, d, Length::new(0, 0)).unwrap(), d, 0)
}

fn scalar<'a>(n: usize, d: usize) -> Steps<'a> {
    stepper(ScalarKameleon { z: exact_draws(n, d), sigma: sigma(d), gamma: GAMMA, nu2: NU2 }, d, 0)
}

/// A bandwidth near the median heuristic's.
fn sigma(d: usize) -> f64 {
    10.0 * (d as f64 / 8.0).sqrt().max(1.0)
}

/// Microseconds per step of each contender, in turns.
fn race(contenders: &mut [Steps<'_>], steps: u64) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; contenders.len()];
    for _ in 0..TURNS {
        for (contender, best) in contenders.iter_mut().zip(&mut best) {
            let start = Instant::now();
            contender(steps);
            *best = best.min(start.elapsed().as_secs_f64() * 1e6 / steps as f64);
        }
    }
    best
}

fn table() {
    println!("One step in microseconds, Gaussian kernel, banana target, shortest of {TURNS} turns\n");
    println!("|     n |   d |      SM |   AM-LS | KAMH-LS | plain loops | ratio |");
    println!("|------:|----:|--------:|--------:|--------:|------------:|------:|");
    for n in [100, 1000, 10_000] {
        for d in [2, 8, 32, 128] {
            let length = Length::new(1, 0);
            let am = AdaptiveMetropolisSettings { discard: 0, ..Default::default() };
            let mut contenders = [
                stepper(RandomWalk::new(&RandomWalkSettings::default(), d).unwrap(), d, 0),
                stepper(AdaptiveMetropolis::new(&am, d, length).unwrap(), d, 0),
                kameleon(Kernel::gaussian(sigma(d)), n, d),
                scalar(n, d),
            ];
            let steps = (4_000_000 / (n * d * d.max(8))).max(3) as u64;
            let us = race(&mut contenders, steps);
            println!(
                "| {n:5} | {d:3} | {:7.2} | {:7.2} | {:7.2} | {:11.2} | {:5.1} |",
                us[0],
                us[1],
                us[2],
                us[3],
                us[3] / us[2]
            );
        }
    }
}

fn kernels() {
    println!("\nKernels, n = 1000, d = 8: microseconds per step, and relative to the Gaussian\n");
    use kernel::*;
    let all = [
        ("Gaussian", Kernel::gaussian(10.0)),
        ("Matérn 3/2", Kernel::matern(1.5, 6.0)),
        ("Matérn 5/2", Kernel::matern(2.5, 4.5)),
        ("Matérn 1.7", Kernel::matern(1.7, 6.0)),
        ("rational quadratic", Kernel::RationalQuadratic(RationalQuadratic { alpha: 1.0, length: 10.0 })),
        ("inverse multiquadric", Kernel::InverseMultiquadric(InverseMultiquadric { length: 10.0 })),
        ("linear", Kernel::Linear(Linear)),
        ("polynomial 2", Kernel::polynomial(2)),
    ];
    let mut contenders: Vec<Steps> = all.iter().map(|(_, kernel)| kameleon(kernel.clone(), 1000, 8)).collect();
    let us = race(&mut contenders, 500);
    for ((name, _), us_one) in all.iter().zip(&us) {
        println!("{name:22} {us_one:7.2} {:6.2}", us_one / us[0]);
    }
}

/// A warm-up step against a sampling step, for each way of keeping z, over a whole warm-up.
fn warmup() {
    println!("\nWarm-up, n = 1000, d = 8, 20,000 iterations: microseconds per step, and relative to sampling\n");
    for (name, history) in [("reservoir", history::HistoryKind::Reservoir), ("stored", history::HistoryKind::Stored)] {
        let settings = KamhSettings { history, ..KamhSettings::default() };
        let length = Length::new(20_000, 0);
        let (mut warm, mut cold) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..3 {
            let mut steps = stepper(Kamh::new(&settings, 8, length).unwrap(), 8, length.warmup);
            let start = Instant::now();
            steps(20_000);
            warm = warm.min(start.elapsed().as_secs_f64() * 1e6 / 2e4);
            let start = Instant::now();
            steps(20_000);
            cold = cold.min(start.elapsed().as_secs_f64() * 1e6 / 2e4);
        }
        println!("{name:10} warm-up {warm:7.2}   sampling {cold:7.2}   ratio {:5.2}", warm / cold);
    }
}

/// Two chains on two cores against the same two on one; for chains that learn alone also two runs that know nothing of each
/// other, which is as much as the machine can give.
fn threads() {
    let run = |sampler: &Sampler, chains: usize, threads: usize, pool: bool| {
        let (sampler, threads) = (sampler.clone(), Some(threads));
        let plan = Plan {
            sampler,
            chains,
            warmup: Warmup::Iterations(5000),
            draws: Some(100_000),
            threads,
            pool,
            ..Plan::default()
        };
        sample(banana(8), &[vec![0.0; 8]], &plan, Control::default()).unwrap();
    };
    let apart = |sampler: &Sampler| {
        std::thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(|| run(sampler, 1, 1, false)))));
    };
    println!(
        "\nTwo chains, n = 1000, d = 8: one thread, two threads, two runs side by side; and relative to one thread\n"
    );
    for (name, sampler, pool) in [
        ("KAMH-LS", Sampler::kamh_ls(), false),
        ("kameleon, each alone", Sampler::default(), false),
        ("kameleon, together", Sampler::default(), true),
    ] {
        let mut shortest = [f64::INFINITY; 3];
        for _ in 0..5 {
            let turns: [&dyn Fn(); 3] = [&|| run(&sampler, 2, 1, pool), &|| run(&sampler, 2, 2, pool), &|| {
                if !pool {
                    apart(&sampler)
                }
            }];
            for (shortest, turn) in shortest.iter_mut().zip(turns) {
                let start = Instant::now();
                turn();
                *shortest = shortest.min(start.elapsed().as_secs_f64());
            }
        }
        let [one, two, apart] = shortest;
        let side = if pool { String::new() } else { format!("   {apart:.3} s, ratio {:.2}", one / apart) };
        println!("{name:22} {one:.3} s   {two:.3} s, ratio {:.2}{side}", one / two);
    }
}

fn main() {
    table();
    kernels();
    warmup();
    threads();
}
