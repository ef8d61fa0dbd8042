//! How noisy the estimates are at the maximum of the likelihood, and what they cost:
//! `cargo run --release -p kameleon-models --example noise`.

use kameleon::random::{Purpose, stream};
use kameleon::{Noise, Rng, Target};
use kameleon_models::posteriors::{Cbpp, StochasticVolatility};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::time::Instant;

const TURNS: usize = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:22} {:>8} {:>14} {:>16}", "target", "samples", "sd of log p̂", "µs/evaluation");
    for n_imp in [1, 2, 4, 8, 16] {
        let x = [-1.3992, -0.9914, -1.1278, -1.5795, -0.43464];
        measure("cbpp", n_imp, &mut Cbpp::new(n_imp)?, &x, 20_000)?;
    }
    let series = StochasticVolatility::sterling();
    for particles in [50, 100, 150, 200, 400] {
        let x = [-0.76157, 4.2266, -1.8341];
        let mut target = StochasticVolatility::new(&series, particles)?;
        measure("stochastic volatility", particles, &mut target, &x, 1000)?;
    }
    Ok(())
}

fn measure(
    name: &str,
    samples: usize,
    target: &mut dyn Target,
    x: &[f64],
    count: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut rng: Rng = stream(1, 0, Purpose::Noise);
    let mut normals = vec![0.0; target.normals()];
    let mut values = Vec::with_capacity(count);
    // The minimum over rounds, since other work may disturb the machine.
    let mut shortest = f64::INFINITY;
    for _ in 0..TURNS {
        let started = Instant::now();
        for _ in 0..count / TURNS {
            normals.iter_mut().for_each(|u| *u = rng.sample(StandardNormal));
            values.push(target.log_density(x, Noise { rng: &mut rng, normals: &normals })?);
        }
        shortest = shortest.min(started.elapsed().as_secs_f64());
    }
    let cost = 1e6 * shortest / (count / TURNS) as f64;
    let mean = values.iter().sum::<f64>() / count as f64;
    let sd = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (count - 1) as f64).sqrt();
    println!("{name:22} {samples:>8} {sd:>14.2} {cost:>16.1}");
    Ok(())
}
