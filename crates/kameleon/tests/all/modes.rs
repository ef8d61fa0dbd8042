//! Modes that each have a chain of their own at the start: jumps settle how much each weighs.

use kameleon::diagnose::mcse_mean;
use kameleon::random::{Purpose, stream};
use kameleon::{Control, Plan, sample};
use rand::RngExt;

const DIM: usize = 5;
const MODES: usize = 8;

/// Eight Gaussians with equal weights and widths e^U(−1, 1), in a box of half-width 10.
struct Modes {
    centres: Vec<Vec<f64>>,
    widths: Vec<f64>,
}

impl Modes {
    fn new() -> Self {
        let mut rng = stream(5, 0, Purpose::Start);
        let centres = (0..MODES).map(|_| (0..DIM).map(|_| rng.random_range(-10.0..10.0)).collect()).collect();
        Self { centres, widths: (0..MODES).map(|_| libm::exp(rng.random_range(-1.0..1.0))).collect() }
    }

    /// ln of the density at x, and the share of each mode in it, whose mean over the target is an eighth.
    fn shares(&self, x: &[f64]) -> (f64, [f64; MODES]) {
        let logs: [f64; MODES] = std::array::from_fn(|k| {
            let squared: f64 = x.iter().zip(&self.centres[k]).map(|(x, m)| (x - m).powi(2)).sum();
            -0.5 * squared / self.widths[k].powi(2) - DIM as f64 * libm::log(self.widths[k])
        });
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs.iter().map(|log| libm::exp(log - largest)).sum();
        (largest + libm::log(sum), logs.map(|log| libm::exp(log - largest) / sum))
    }
}

/// Three runs with eight weights each: a right sampler fails once in 600 times.
#[test]
fn a_chain_in_each_of_eight_modes_gives_every_mode_its_weight() {
    let modes = Modes::new();
    for seed in 1..=3 {
        let plan = Plan { chains: MODES, draws: Some(4000), seed, ..Plan::default() };
        let run = sample(|x: &[f64]| modes.shares(x).0, &modes.centres, &plan, Control::default()).unwrap();
        for k in 0..MODES {
            let share = |x: &[f64]| modes.shares(x).1[k];
            let shares: Vec<Vec<f64>> =
                run.draws().iter().map(|draws| draws.chunks_exact(DIM).map(share).collect()).collect();
            let chains: Vec<&[f64]> = shares.iter().map(Vec::as_slice).collect();
            let weight = shares.concat().iter().sum::<f64>() / (MODES * 4000) as f64;
            let error = mcse_mean(&chains);
            let what = format!("seed {seed}, mode {k}: {weight} ± {error}");
            assert!((weight - 1.0 / MODES as f64).abs() < 4.0 * error && error < 0.01, "{what}");
        }
    }
}
