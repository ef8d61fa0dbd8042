//! Monte Carlo standard errors: how far an estimate from these draws may be off, given their effective size.

use super::autocovariance::Autocovariance;
use super::draws::Draws;
use super::ess::{alone, of_quantile, squares};
use super::rank::Ranked;
use spec_math::cephes64::incbi;

/// Of the mean.
pub fn mcse_mean(chains: &[&[f64]]) -> f64 {
    Draws::diagnosable(chains).map_or(f64::NAN, |draws| (draws.moments().1 / alone(&draws)).sqrt())
}

/// Of the standard deviation. NaN for constant draws.
pub fn mcse_sd(chains: &[&[f64]]) -> f64 {
    Draws::diagnosable(chains).map_or(f64::NAN, |draws| {
        let squares = squares(&draws);
        let n = squares.values.len() as f64;
        let (variance, of_squares) = squares.moments();
        (of_squares * (n - 1.0) / n / alone(&squares) / variance / 4.0).sqrt()
    })
}

/// Of the quantile at p: half the distance between the draws at both ends of a one-sigma interval. NaN for p outside
/// [0, 1].
pub fn mcse_quantile(chains: &[&[f64]], p: f64) -> f64 {
    let Some(draws) = Draws::diagnosable(chains) else { return f64::NAN };
    let ranked = Ranked::new(&draws);
    let sorted = &ranked.sorted;
    let ess = of_quantile(&draws, sorted, p, &mut Autocovariance::new(draws.half()));
    if ess.is_nan() {
        return f64::NAN;
    }
    // Φ(−1) and Φ(1), with ArviZ's seven digits.
    let [low, high] = [0.158_655_3, 0.841_344_7].map(|level| incbi(ess * p + 1.0, ess * (1.0 - p) + 1.0, level));
    let (n, last) = (sorted.len() as f64, sorted.len() - 1);
    let at = |place: f64| sorted[(place.max(0.0) as usize).min(last)];
    (at((high * n - 1.0).ceil()) - at((low * n - 1.0).floor())) / 2.0
}
