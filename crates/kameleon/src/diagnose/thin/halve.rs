//! Kernel halving: of each pair of neighbours one is kept, so that what is kept balances what is not.

use super::gaussian::Candidates;
use crate::Rng;
use rand::RngExt;

/// The probability with which the balance may get out of hand, for the whole of a halving.
const FAILURE: f64 = 0.5;

/// One of each two neighbours among the candidates `among`: by a coin that is biased against the imbalance so far (Dwivedi and
/// Mackey 2021, algorithm 1a with one round).
pub(super) fn halve(candidates: &Candidates, among: &[usize], rng: &mut Rng) -> Vec<usize> {
    let points = candidates.select(among);
    let pairs = among.len() / 2;
    let spread = (2.0 * libm::log(2.0 * among.len() as f64 / FAILURE)).sqrt();
    // +1 for what is kept, −1 for what is not.
    let mut signs: Vec<f64> = Vec::with_capacity(among.len());
    let mut columns = [vec![0.0; among.len()], vec![0.0; among.len()]];
    // σ², the sub-Gaussian variance of the imbalance.
    let mut variance = 0.0_f64;
    for first in (0..2 * pairs).step_by(2) {
        for (k, column) in columns.iter_mut().enumerate() {
            points.column(&points.place(first + k), &mut column[..first + 2]);
        }
        let [a, b] = &columns;
        let imbalance: f64 = signs.iter().zip(a.iter().zip(b)).map(|(sign, (a, b))| sign * (a - b)).sum();
        // ‖k(a, ·) − k(b, ·)‖²
        let distance = 2.0 * (1.0 - a[first + 1]).max(0.0);
        let threshold = ((distance * variance).sqrt() * spread).max(distance);
        let sign =
            if threshold > 0.0 && rng.random::<f64>() >= 0.5 * (1.0 - imbalance / threshold) { -1.0 } else { 1.0 };
        signs.extend([sign, -sign]);
        if threshold > 0.0 {
            let growth = (distance - 2.0 * threshold).mul_add(variance / (threshold * threshold), 1.0);
            variance += distance * growth.max(0.0);
        }
    }
    let side = if rng.random::<bool>() { 1.0 } else { -1.0 };
    among.iter().zip(&signs).filter(|(_, sign)| **sign == side).map(|(slot, _)| *slot).collect()
}
