//! The next level of a ladder, and which particles go on to it.

use crate::Rng;
use crate::diagnose::effective_number;
use rand::RngExt;

/// Halvings of the interval that the next β is searched in.
const HALVINGS: usize = 80;
/// The largest share of the particles that is to be effective.
const MOST_SHARE: f64 = 0.5;

/// The largest β up to 1 at which particles from `beta` have this effective number; at most half of those with a positive likelihood
/// are asked for.
pub(super) fn next_beta(log_likelihood: &[f64], beta: f64, effective: f64) -> f64 {
    let possible: Vec<f64> = log_likelihood.iter().copied().filter(|log| log.is_finite()).collect();
    let enough = |next: f64| {
        let weights: Vec<f64> = possible.iter().map(|log| (next - beta) * log).collect();
        effective_number(&weights) >= effective.min(MOST_SHARE * possible.len() as f64)
    };
    if enough(1.0) {
        return 1.0;
    }
    let (mut low, mut high) = (beta, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if enough(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    // Where the likelihood differs so much that no step is small enough, the smallest one that is a step.
    if low > beta { low } else { high }
}

/// ln of the weights that lead from one β to the next.
pub(super) fn log_weights(log_likelihood: &[f64], step: f64) -> Vec<f64> {
    log_likelihood.iter().map(|log| if log.is_finite() { step * log } else { f64::NEG_INFINITY }).collect()
}

/// `count` indices, each as often as its weight says, to the whole number below or above (systematic resampling).
pub(super) fn resample(log_weights: &[f64], count: usize, rng: &mut Rng) -> Vec<usize> {
    let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = log_weights.iter().map(|log| libm::exp(log - largest)).collect();
    let total: f64 = weights.iter().sum();
    let first: f64 = rng.random();
    let (mut chosen, mut sum, mut i) = (Vec::with_capacity(count), weights[0], 0);
    for k in 0..count {
        let mark = (first + k as f64) / count as f64 * total;
        while sum <= mark && i + 1 < weights.len() {
            i += 1;
            sum += weights[i];
        }
        chosen.push(i);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    #[test]
    fn the_next_level_leaves_the_share_that_was_asked_for() {
        let logs: Vec<f64> = (0..1000).map(|i| -1e4 * (i as f64 / 1000.0).powi(2)).collect();
        let beta = next_beta(&logs, 0.0, 500.0);
        let size = effective_number(&log_weights(&logs, beta));
        assert!((size - 500.0).abs() < 1.0, "{size}");
        assert_eq!(next_beta(&vec![-3.0; 50], 0.2, 25.0), 1.0);
    }

    #[test]
    fn impossible_particles_neither_stop_the_ladder_nor_go_on() {
        let mut logs = vec![f64::NEG_INFINITY; 90];
        logs.extend([-1.0, -2.0, -500.0, -501.0]);
        let beta = next_beta(&logs, 0.0, 47.0);
        assert!(beta > 0.0);
        let chosen = resample(&log_weights(&logs, beta), 40, &mut stream(1, 0, Purpose::Learn));
        assert!(chosen.len() == 40 && chosen.iter().all(|i| *i >= 90));
        // A likelihood whose values lie further apart than numbers can tell still has a next level.
        assert!(next_beta(&[-1e300, 0.0, -1e299, -1e200], 0.0, 2.0) > 0.0);
    }

    #[test]
    fn resampling_takes_each_as_often_as_it_weighs() {
        let weights = [0.1f64, 0.25, 0.0, 0.65];
        let logs: Vec<f64> = weights.iter().map(|w| w.ln()).collect();
        let mut rng = stream(2, 0, Purpose::Learn);
        let mut counts = [0.0; 4];
        for _ in 0..2000 {
            for i in resample(&logs, 7, &mut rng) {
                counts[i] += 1.0;
            }
        }
        for (count, w) in counts.iter().zip(weights) {
            // Each round is off by less than one.
            assert!((count / 2000.0 - 7.0 * w).abs() < 0.05, "{counts:?}");
        }
    }
}
