//! R-hat: whether the chains, each cut in two, agree with one another.

use super::draws::{Draws, moments};
use super::rank::Ranked;

/// R-hat, the larger of [`r_hat_bulk`] and [`r_hat_folded`]: near 1 when the chains agree, to be mistrusted above 1.01.
/// NaN for one chain, as in ArviZ.
pub fn r_hat(chains: &[&[f64]]) -> f64 {
    several(chains).map_or(f64::NAN, |draws| of_ranked(&draws, &Ranked::new(&draws)))
}

/// R-hat of the rank-normalised halves: whether the chains have one place.
pub fn r_hat_bulk(chains: &[&[f64]]) -> f64 {
    several(chains).map_or(f64::NAN, |draws| of_scores(&Ranked::new(&draws).scores(&draws)))
}

/// R-hat of the rank-normalised distances to the median: whether the chains have one spread.
pub fn r_hat_folded(chains: &[&[f64]]) -> f64 {
    several(chains).map_or(f64::NAN, |draws| of_scores(&Ranked::new(&draws).folded_scores(&draws)))
}

fn several(chains: &[&[f64]]) -> Option<Draws> {
    Draws::diagnosable(chains).filter(|draws| draws.chains > 1)
}

fn of_ranked(draws: &Draws, ranked: &Ranked) -> f64 {
    larger(of_scores(&ranked.scores(draws)), ranked, draws)
}

/// The larger of the bulk R-hat, already known, and the folded one.
/// The folded one alone is NaN when all draws are equally far from the median; then the bulk decides.
pub(super) fn larger(bulk: f64, ranked: &Ranked, draws: &Draws) -> f64 {
    bulk.max(of_scores(&ranked.folded_scores(draws)))
}

/// √((B/W + n − 1)/n), from the variance B/n between the means of the halves and the mean W of their variances.
/// Infinite if no chain moves but they differ, NaN if all draws are one.
pub(super) fn of_scores(scores: &Draws) -> f64 {
    let (means, variances): (Vec<f64>, Vec<f64>) = scores.halves().map(moments).unzip();
    let n = scores.half() as f64;
    let between = n * moments(&means).1;
    let within = variances.iter().sum::<f64>() / variances.len() as f64;
    ((between / within + n - 1.0) / n).sqrt()
}
