//! Score matching (Hyvärinen 2005): f is fitted to each half of the history, and bandwidth and regularisation are those that are best on the
//! other halves. The halves are earlier and later, since states that follow each other are alike.

use super::basis::Basis;

/// The bandwidths that are tried, in units of √d, the typical distance of two points from each other over √2.
const BANDWIDTHS: [f64; 4] = [0.5, 0.8, 1.3, 2.1];
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

/// The best fit to points in ℝᵈ, one after another, over a base density of the score −su; none if f is better left out.
pub(super) fn fit(basis: &Basis, points: &[f64], precision: f64) -> Option<Fit> {
    let d = basis.dim();
    let half = points.len() / d / 2 * d;
    let tables = [&points[..half], &points[half..]].map(|points| basis.table(points, precision));
    let mut best: Option<Fit> = None;
    for factor in BANDWIDTHS {
        let sigma = factor * (d as f64).sqrt();
        let [a, b] = [0, 1].map(|half: usize| basis.objective(&tables[half], sigma));
        let norm = basis.norm(sigma);
        let held_out = |lambda: f64| {
            let [from_a, from_b] = [&a, &b].map(|half| half.minimum(&norm, lambda));
            Some(0.5 * (b.at(&from_a?) + a.at(&from_b?)))
        };
        let least = best.as_ref().map_or(0.0, |best| best.held_out);
        let tried = LAMBDAS.iter().filter_map(|lambda| Some((*lambda, held_out(*lambda)?)));
        let found = tried.filter(|(_, held_out)| *held_out < least).min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((lambda, held_out)) = found
            && let Some(theta) = a.with(&b).minimum(&norm, lambda)
        {
            best = Some(Fit { sigma, lambda, theta, held_out });
        }
    }
    best
}
