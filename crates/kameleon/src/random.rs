//! Random streams: one named generator, one stream per chain and purpose, all from one seed.
//!
//! What happens between two draws is arithmetic and functions of the crate `libm`, not of the system's library, so a seed
//! gives the same draws on every kind of machine, as far as the target does. Two exceptions use the system's exponential and
//! logarithm: the rare tail draws of a normal, and the Bessel function of Matérn kernels of orders other than 3/2 and 5/2.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// The generator used everywhere: portable, seekable and serialisable.
pub type Rng = ChaCha8Rng;

/// What a chain's stream is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Proposals, acceptance and adaptation.
    Move = 0,
    /// The noise of a target that is known through an estimate.
    Noise = 1,
    /// Where the chain starts, when starts are drawn.
    Start = 2,
    /// What is learned at a refresh, by one chain or a group.
    Learn = 3,
}

/// The stream of `chain` for `purpose` under `seed`: independent of every other, and of the number of threads.
pub fn stream(seed: u64, chain: u64, purpose: Purpose) -> Rng {
    let mut rng = Rng::seed_from_u64(seed);
    rng.set_stream(chain * 4 + purpose as u64);
    rng
}

/// A draw of χ² with ν ≥ 2 degrees of freedom (Marsaglia and Tsang 2000).
pub fn chi_squared(nu: f64, rng: &mut Rng) -> f64 {
    let d = 0.5 * nu - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x: f64 = rng.sample(StandardNormal);
        let v = 1.0 + c * x;
        let v = v * v * v;
        let u: f64 = rng.random();
        if v > 0.0 && libm::log(u) < 0.5 * x * x + d * (1.0 - v + libm::log(v)) {
            return 2.0 * d * v;
        }
    }
}
