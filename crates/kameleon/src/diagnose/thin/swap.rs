//! Swaps: each chosen draw in turn gives way to the candidate that brings the chosen nearest to all draws.

use super::gaussian::Candidates;

/// All chosen draws are gone through this often at most.
const PASSES: usize = 20;
/// A gain below this is rounding.
const LEAST_GAIN: f64 = 1e-13;

/// Improves the choice until no single swap does; `means` is the mean feature of all draws at each candidate. No candidate is
/// chosen twice.
pub(super) fn improve(candidates: &Candidates, means: &[f64], chosen: &mut [usize]) {
    let share = 1.0 / chosen.len() as f64;
    let mut taken = vec![0.0; means.len()];
    // The mean feature of the chosen less that of all, at each candidate.
    let mut excess: Vec<f64> = means.iter().map(|mean| -mean).collect();
    let (mut old, mut new) = (vec![0.0; means.len()], vec![0.0; means.len()]);
    for slot in chosen.iter() {
        taken[*slot] = f64::INFINITY;
        candidates.column(&candidates.place(*slot), &mut old);
        add(&mut excess, share, &old);
    }
    for _ in 0..PASSES {
        let mut moved = false;
        for slot in chosen.iter_mut() {
            candidates.column(&candidates.place(*slot), &mut old);
            add(&mut excess, -share, &old);
            // k(c, c) is the same for all, so the least excess is the least distance.
            let best = least(&excess, &taken);
            if best.is_some_and(|best| excess[best] < excess[*slot] - LEAST_GAIN) {
                taken[*slot] = 0.0;
                *slot = best.unwrap_or(*slot);
                taken[*slot] = f64::INFINITY;
                candidates.column(&candidates.place(*slot), &mut new);
                add(&mut excess, share, &new);
                moved = true;
            } else {
                add(&mut excess, share, &old);
            }
        }
        if !moved {
            return;
        }
    }
}

fn add(sum: &mut [f64], factor: f64, values: &[f64]) {
    sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
}

/// Where the excess is least among those not taken.
fn least(excess: &[f64], taken: &[f64]) -> Option<usize> {
    let values = excess.iter().zip(taken).map(|(excess, taken)| excess + taken).enumerate();
    values.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, value)| value.is_finite()).map(|(place, _)| place)
}
