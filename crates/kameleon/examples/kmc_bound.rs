//! The most that KMC can give in many dimensions: its density is fitted to exact draws, which no chain has, and its moves are
//! measured from exact starts: `kmc_bound [seed] [kernels] [states]`.
//!
//! It prints the acceptance rate of paths and the smallest bulk ESS of any parameter for 1000 evaluations, of four frozen chains. A burn-in
//! before them learns the length of paths only.

use kameleon::diagnose::ess_bulk;
use kameleon::proposal::{Kmc, KmcSettings, Proposal};
use kameleon::random::{Purpose, stream};
use kameleon::target::{Banana, Gaussian, Known};
use kameleon::*;

const CHAINS: usize = 4;
const BURN_IN: u64 = 6000;
const DRAWS: u64 = 4000;

fn main() {
    let args: Vec<u64> = std::env::args().skip(1).map(|text| text.parse().expect("a whole number")).collect();
    let number = |i: usize, default: u64| args.get(i).copied().unwrap_or(default);
    let (seed, n, history) = (number(0, 1), number(1, 300) as usize, number(2, 1000) as usize);
    for finite in [false, true] {
        let settings = KmcSettings { finite, n, history, ..KmcSettings::default() };
        for d in [20, 50] {
            report(&format!("B(0.03, 100), d = {d}"), &Banana::new(d, 0.03, 100.0).unwrap(), &settings, seed);
        }
        for d in [50, 100] {
            for correlation in [0.5, 0.9] {
                let name = format!("Gaussian, correlations {correlation}, d = {d}");
                report(&name, &correlated(d, correlation), &settings, seed);
            }
        }
    }
}

/// Unit variances, and this correlation of each pair.
fn correlated(d: usize, correlation: f64) -> Gaussian {
    let covariance: Vec<f64> = (0..d * d).map(|k| if k / d == k % d { 1.0 } else { correlation }).collect();
    Gaussian::new(&vec![0.0; d], &covariance).unwrap()
}

fn report<T: Known + Clone>(name: &str, target: &T, settings: &KmcSettings, seed: u64) {
    let proposal = fitted(target, settings, seed);
    let d = target.dim().unwrap();
    let (mut draws, mut accepted, mut paths) = (vec![Vec::new(); d * CHAINS], 0, 0);
    for index in 0..CHAINS {
        let how = ChainSettings { index, seed, warmup: BURN_IN, normals: 0, correlation: 0.0 };
        let mut start = vec![0.0; d];
        target.sample(&mut stream(seed, index as u64, Purpose::Start), &mut start);
        let mut chain = Chain::new(proposal.clone(), &start, how).unwrap();
        for _ in 0..BURN_IN + DRAWS {
            let step = chain.step(&mut target.clone()).unwrap();
            if step.warm {
                continue;
            }
            if step.component > 0 {
                paths += 1;
                accepted += u64::from(step.outcome == Outcome::Accepted);
            }
            (0..d).for_each(|i| draws[i * CHAINS + index].push(chain.position()[i]));
        }
    }
    let ess = |chains: &[Vec<f64>]| ess_bulk(&chains.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let least = draws.chunks(CHAINS).map(ess).fold(f64::INFINITY, f64::min);
    let kind = if settings.finite { "KMC-finite" } else { "KMC" };
    let (rate, per) = (accepted as f64 / paths as f64, 1000.0 * least / (DRAWS as f64 * CHAINS as f64));
    println!("{kind:10} {name:38} acceptance {rate:.2}  ESS for 1000 evaluations {per:.1}");
}

/// KMC that has seen exact draws, and no more than that: all of its fits are of them.
fn fitted<T: Known>(target: &T, settings: &KmcSettings, seed: u64) -> Kmc {
    let d = target.dim().unwrap();
    // The last fit sees what comes between a quarter and three quarters of the time after the discard.
    let warmup = settings.discard + 2 * settings.history as u64 + 4;
    let mut proposal = Kmc::new(settings, d, Length::new(warmup, 0)).unwrap();
    let (mut at, mut x) = (proposal.allocate(d), vec![0.0; d]);
    let (mut rng, mut exact) = (stream(seed, 0, Purpose::Move), stream(seed, 99, Purpose::Start));
    for t in 0..warmup {
        target.sample(&mut exact, &mut x);
        let (outcome, acceptance) = (Outcome::Accepted, settings.acceptance);
        let step = Step { t, warm: true, sampling: 0, outcome, accepted: 1, acceptance, component: 1, jump: None };
        proposal.adapt(&x, &mut at, &step, &mut rng);
    }
    proposal
}
