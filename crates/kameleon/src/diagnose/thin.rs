//! Kernel thinning: a few draws that stand for all of them, for users whose work on each draw is expensive.
//!
//! Some of the draws, evenly spaced in weight, are candidates. Kernel halving (Dwivedi and Mackey 2021) chooses among them, and
//! swaps then replace one chosen draw after the other by the candidate that brings the mean feature of the chosen nearest to that
//! of all draws. The distance of the two is the maximum mean discrepancy, in a Gaussian kernel on standardised draws.

mod frequencies;
mod gaussian;
mod halve;
mod scale;
mod single;
mod swap;

use frequencies::Frequencies;
use gaussian::Candidates;
use rand::SeedableRng;
use scale::{Scaled, normalised};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// At least this many candidates, if there are draws enough, …
const CANDIDATES: usize = 4096;
/// … and at least this many for each draw that is kept.
const CANDIDATES_EACH: usize = 4;

/// What was kept, and how well it stands for all draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thinned {
    /// The places of the kept draws, in increasing order. A draw whose weight is that of several may come more than once.
    pub kept: Vec<usize>,
    /// The maximum mean discrepancy between the kept draws and all, estimated within about 4 %.
    pub mmd: f64,
    /// The same for standard thinning to the same number: draws evenly spaced, in weight if there are weights.
    pub mmd_standard: f64,
    /// σ of the Gaussian kernel, in standard deviations of the parameters.
    pub bandwidth: f64,
}

/// Why draws cannot be thinned.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ThinError {
    /// Zero draws are to be kept.
    #[error("at least one draw must be kept")]
    NoneAsked,
    /// More draws are to be kept than there are.
    #[error("{to} draws cannot be kept: there are only {draws}")]
    TooFew {
        /// How many are to be kept.
        to: usize,
        /// How many there are.
        draws: usize,
    },
    /// A draw that has no place in space.
    #[error("draw {0} has a value that is not finite")]
    NotFinite(usize),
    /// Weights that do not fit the draws.
    #[error("there are {weights} weights for {draws} draws")]
    OtherNumber {
        /// How many weights there are.
        weights: usize,
        /// How many draws.
        draws: usize,
    },
    /// A weight that is none.
    #[error("the log weight of draw {0} is not a number or infinite")]
    NoWeight(usize),
    /// All weights are zero.
    #[error("every draw has weight zero")]
    AllZero,
}

/// Chooses `to` of the draws, which are `dim` numbers each, one after another, so that they stand for all of them with equal
/// weights. The draws may have weights, given by their logarithms up to a constant. The same seed makes the same choice.
pub fn thin(
    draws: &[f64],
    dim: usize,
    log_weights: Option<&[f64]>,
    to: usize,
    seed: u64,
) -> Result<Thinned, ThinError> {
    let count = draws.len().checked_div(dim).unwrap_or(0);
    let weights = check(draws, dim, log_weights, to)?;
    let standard = evenly_spaced(&weights, to);
    let scaled = Scaled::new(draws, dim, &weights);
    let mut rng = crate::Rng::seed_from_u64(seed);
    let halvings = halvings(count, to);
    let slots = evenly_spaced(&weights, if halvings > 0 { to << halvings } else { count });
    let candidates = Candidates::new(&scaled, &slots);
    let mut chosen: Vec<usize> = match halvings {
        0 => (0..to).map(|k| middle(k, to, count)).collect(),
        _ => (0..slots.len()).collect(),
    };
    for _ in 0..halvings {
        chosen = halve::halve(&candidates, &chosen, &mut rng);
    }
    let all = scaled.merged();
    swap::improve(&candidates, &candidates.means(&all), &mut chosen);
    let mut kept: Vec<usize> = chosen.into_iter().map(|slot| slots[slot]).collect();
    kept.sort_unstable();
    let frequencies = Frequencies::draw(dim, &mut rng);
    let whole = frequencies.means(&all);
    let distance = |kept: &[usize]| frequencies.distance(&whole, &frequencies.means(&scaled.equal(kept)));
    Ok(Thinned { mmd: distance(&kept), mmd_standard: distance(&standard), bandwidth: scaled.bandwidth, kept })
}

/// The normalised weights of draws that can be thinned.
fn check(draws: &[f64], dim: usize, log_weights: Option<&[f64]>, to: usize) -> Result<Vec<f64>, ThinError> {
    let count = draws.len().checked_div(dim).unwrap_or(0);
    if to == 0 {
        return Err(ThinError::NoneAsked);
    }
    if to > count {
        return Err(ThinError::TooFew { to, draws: count });
    }
    match draws.iter().position(|x| !x.is_finite()) {
        Some(place) => Err(ThinError::NotFinite(place / dim)),
        None => normalised(log_weights, count),
    }
}

/// How often the candidates are halved until `to` are left.
fn halvings(draws: usize, to: usize) -> u32 {
    let wanted = CANDIDATES.max(CANDIDATES_EACH.saturating_mul(to)).div_ceil(to).next_power_of_two();
    wanted.ilog2().min((draws / to).ilog2())
}

/// The middle of part k of `parts` equal parts of `whole`.
fn middle(k: usize, parts: usize, whole: usize) -> usize {
    ((2 * k as u128 + 1) * whole as u128 / (2 * parts as u128)) as usize
}

/// The places of `number` draws that are evenly spaced in weight: each comes as often as its weight says, up to rounding.
fn evenly_spaced(weights: &[f64], number: usize) -> Vec<usize> {
    if weights.windows(2).all(|pair| pair[0] == pair[1]) {
        return (0..number).map(|k| middle(k, number, weights.len())).collect();
    }
    let (mut place, mut below) = (0, weights[0]);
    let next = |k: usize| {
        let level = (k as f64 + 0.5) / number as f64;
        while below < level && place + 1 < weights.len() {
            place += 1;
            below += weights[place];
        }
        place
    };
    (0..number).map(next).collect()
}

#[cfg(test)]
mod tests;
