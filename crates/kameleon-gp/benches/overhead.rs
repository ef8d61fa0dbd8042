//! What KAMH-LS costs over standard Metropolis on the Glass data, per iteration: `cargo bench -p kameleon-gp`.
//!
//! The chains run in turn, and the shortest turn of each counts, so that other work on the machine disturbs little. They
//! visit different points, whose estimates take different numbers of Newton steps; so the time inside the estimates is
//! measured too, and the overhead is also given for estimates of equal cost, which is due to the samplers alone.

use kameleon::any_chain::AnyChain;
use kameleon::proposal::KamhSettings;
use kameleon::{ChainSettings, Evaluation, Length, Noise, Sampler, Target};
use kameleon_gp::{GpClassification, Settings, glass};
use std::time::{Duration, Instant};

const N: usize = 1000;
const WARMUP: u64 = 3000;
const TURNS: usize = 120;
const STEPS: u64 = 25;

/// A target that knows how long its estimates took.
struct Timed {
    target: GpClassification,
    spent: Duration,
}

impl Target for Timed {
    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        let start = Instant::now();
        let value = self.target.log_density(x, noise);
        self.spent += start.elapsed();
        value
    }
}

fn chain(sampler: &Sampler, normals: usize) -> Box<dyn AnyChain> {
    let length = Length::new(WARMUP, TURNS as u64 * STEPS);
    let settings = ChainSettings { index: 0, seed: 1, warmup: WARMUP, normals, correlation: 0.0 };
    sampler.chain(&[2.0; 9], settings, length).expect("the settings are sound")
}

/// Milliseconds for each iteration of a turn: in all, and outside the estimate.
fn turn(chain: &mut dyn AnyChain, target: &mut Timed, steps: u64) -> (f64, f64) {
    target.spent = Duration::ZERO;
    let start = Instant::now();
    for _ in 0..steps {
        chain.step(target).expect("Glass can be sampled");
    }
    let all = start.elapsed();
    let each = |time: Duration| 1e3 * time.as_secs_f64() / steps as f64;
    (each(all), each(all.saturating_sub(target.spent)))
}

fn main() {
    let settings = Settings { n_imp: 100, ..Settings::default() };
    let target = GpClassification::new(&glass(), settings).expect("the settings are sound");
    let normals = target.normals();
    let mut target = Timed { target, spent: Duration::ZERO };
    let kamh_ls = Sampler::Kamh(KamhSettings { n: N, ..KamhSettings::default() });
    let samplers = [Sampler::sm(), kamh_ls];
    let mut chains = samplers.each_ref().map(|sampler| chain(sampler, normals));
    for chain in &mut chains {
        turn(&mut **chain, &mut target, WARMUP);
    }
    let mut best = [(f64::INFINITY, f64::INFINITY); 2];
    for _ in 0..TURNS {
        for (chain, best) in chains.iter_mut().zip(&mut best) {
            let (all, own) = turn(&mut **chain, &mut target, STEPS);
            *best = (best.0.min(all), best.1.min(own));
        }
    }
    for (sampler, (all, own)) in samplers.iter().zip(best) {
        println!("{:8} {all:.4} ms an iteration, {own:.4} ms of it outside the estimate", sampler.name());
    }
    let [(sm, sm_own), (kamh, kamh_own)] = best;
    println!("overhead of KAMH-LS (n = {N}) over SM, as timed: {:.2} %", 100.0 * (kamh / sm - 1.0));
    println!("the same for equal estimates: {:.2} % (aim: at most 3 %)", 100.0 * (kamh_own - sm_own) / sm);
}
