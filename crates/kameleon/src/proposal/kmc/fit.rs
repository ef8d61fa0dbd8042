//! Score matching (Hyvärinen 2005): f is fitted to each half of the history, and bandwidth and regularisation are those that are best on the
//! other halves. The halves are earlier and later, since states that follow each other are alike, and each has the kernels at its own states.

use super::basis::Basis;
use super::objective::{Objective, Table};

/// The bandwidths that are tried first, in units of √d, the typical distance of two points from each other over √2.
const BANDWIDTHS: [f64; 4] = [0.5, 0.8, 1.3, 2.1];
/// The factor from one to the next beyond them, where the best is the first or the last …
const FURTHER: f64 = 1.6;
/// … and how many more are tried at most.
const MOST_FURTHER: usize = 4;
/// The regularisations λ that are tried.
const LAMBDAS: [f64; 5] = [1.0, 1e-1, 1e-2, 1e-4, 1e-6];

/// What was chosen and fitted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fit {
    pub sigma: f64,
    pub lambda: f64,
    pub theta: Vec<f64>,
    /// The mean of the objectives on the halves, each of the fit to the other half; negative if f is better than none.
    pub held_out: f64,
}

/// What a bandwidth, in units of √d, comes to with its best λ.
#[derive(Clone, Copy)]
struct Choice {
    bandwidth: f64,
    lambda: f64,
    held_out: f64,
}

/// A half that is fitted to, with its functions, and the other half.
struct Half {
    basis: Basis,
    fitted: Table,
    other: Table,
}

/// The best fit to points in ℝᵈ, one after another, over a base density of the score −su; none if f is better left out.
pub(super) fn fit(basis: &Basis, points: &[f64], precision: f64) -> Option<Fit> {
    let d = basis.dim();
    let (earlier, later) = points.split_at(points.len() / d / 2 * d);
    let [first, second] = basis.halves();
    let halves = [(first, earlier, later), (second, later, earlier)].map(|(basis, fitted, other)| {
        let [fitted, other] = [fitted, other].map(|points| basis.table(points, precision));
        Half { basis, fitted, other }
    });
    let Choice { bandwidth, lambda, held_out } = best(|bandwidth| try_bandwidth(&halves, bandwidth))?;
    let sigma = bandwidth * (d as f64).sqrt();
    let theta = basis.objective(&basis.table(points, precision), sigma).minimum(&basis.norm(sigma), lambda)?;
    Some(Fit { sigma, lambda, theta, held_out })
}

/// The best bandwidth; beyond the first ones it is looked for as long as there are better ones.
fn best(tried: impl Fn(f64) -> Option<Choice>) -> Option<Choice> {
    let first = BANDWIDTHS.iter().filter_map(|bandwidth| tried(*bandwidth));
    let mut best = first.min_by(|a, b| a.held_out.total_cmp(&b.held_out))?;
    let factor = match best.bandwidth {
        edge if edge == BANDWIDTHS[0] => 1.0 / FURTHER,
        edge if edge == BANDWIDTHS[BANDWIDTHS.len() - 1] => FURTHER,
        _ => return Some(best),
    };
    for _ in 0..MOST_FURTHER {
        match tried(best.bandwidth * factor) {
            Some(next) if next.held_out < best.held_out => best = next,
            _ => break,
        }
    }
    Some(best)
}

/// The best λ of a bandwidth; none if f is better left out.
fn try_bandwidth(halves: &[Half; 2], bandwidth: f64) -> Option<Choice> {
    let sigma = bandwidth * (halves[0].basis.dim() as f64).sqrt();
    let parts = halves.each_ref().map(|Half { basis, fitted, other }| {
        (basis.objective(fitted, sigma), basis.norm(sigma), basis.objective(other, sigma))
    });
    let held_out = |lambda: f64| -> Option<f64> {
        let of =
            |(fitted, norm, other): &(Objective, Vec<f64>, Objective)| Some(other.at(&fitted.minimum(norm, lambda)?));
        Some(0.5 * (of(&parts[0])? + of(&parts[1])?))
    };
    let tried =
        LAMBDAS.iter().filter_map(|lambda| Some(Choice { bandwidth, lambda: *lambda, held_out: held_out(*lambda)? }));
    tried.filter(|choice| choice.held_out < 0.0).min_by(|a, b| a.held_out.total_cmp(&b.held_out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidths_beyond_the_first_are_tried_as_long_as_they_are_better_and_not_for_ever() {
        // The nearer to `at`, the better.
        let found = |at: f64| {
            let tried = |bandwidth: f64| {
                let held_out = -1.0 / (1.0 + (bandwidth / at).ln().abs());
                Some(Choice { bandwidth, lambda: 1.0, held_out })
            };
            best(tried).unwrap().bandwidth
        };
        assert_eq!([0.5, 0.8, 1.3, 2.1].map(found), [0.5, 0.8, 1.3, 2.1]);
        assert!((found(0.2) - 0.5 / FURTHER.powi(2)).abs() < 1e-12, "{}", found(0.2));
        assert!((found(5.0) - 2.1 * FURTHER.powi(2)).abs() < 1e-12, "{}", found(5.0));
        assert!((found(1e-9) - 0.5 / FURTHER.powi(4)).abs() < 1e-12, "{}", found(1e-9));
        assert!((found(1e9) - 2.1 * FURTHER.powi(4)).abs() < 1e-9, "{}", found(1e9));
        assert!(best(|_| None).is_none());
    }
}
