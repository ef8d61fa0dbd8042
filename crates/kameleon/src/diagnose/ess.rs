//! Effective sample size: how many independent draws would estimate as well as these.

use super::autocovariance::Autocovariance;
use super::draws::{Draws, moments};
use super::rank::{Ranked, quantile};

/// For the bulk: the effective size of the rank-normalised draws. The one to look at first.
pub fn ess_bulk(chains: &[&[f64]]) -> f64 {
    Draws::diagnosable(chains).map_or(f64::NAN, |draws| alone(&Ranked::new(&draws).scores(&draws)))
}

/// For the tails: the smaller of those for the 5 % and the 95 % quantile.
pub fn ess_tail(chains: &[&[f64]]) -> f64 {
    Draws::diagnosable(chains)
        .map_or(f64::NAN, |draws| of_tail(&draws, &Ranked::new(&draws).sorted, &mut Autocovariance::new(draws.half())))
}

/// For the mean.
pub fn ess_mean(chains: &[&[f64]]) -> f64 {
    Draws::diagnosable(chains).map_or(f64::NAN, |draws| alone(&draws))
}

/// For the standard deviation.
pub fn ess_sd(chains: &[&[f64]]) -> f64 {
    Draws::diagnosable(chains).map_or(f64::NAN, |draws| alone(&squares(&draws)))
}

/// For the quantile at p. NaN for p outside [0, 1].
pub fn ess_quantile(chains: &[&[f64]], p: f64) -> f64 {
    Draws::diagnosable(chains).map_or(f64::NAN, |draws| {
        of_quantile(&draws, &Ranked::new(&draws).sorted, p, &mut Autocovariance::new(draws.half()))
    })
}

/// The squared deviations from the mean of all chains.
pub(super) fn squares(draws: &Draws) -> Draws {
    let (mean, _) = draws.moments();
    draws.map(|x| (x - mean).powi(2))
}

/// As [`ess_tail`], for draws that are sorted already.
pub(super) fn of_tail(draws: &Draws, sorted: &[f64], lags: &mut Autocovariance) -> f64 {
    of_quantile(draws, sorted, 0.05, lags).min(of_quantile(draws, sorted, 0.95, lags))
}

/// As [`ess_quantile`], for draws that are sorted already.
pub(super) fn of_quantile(draws: &Draws, sorted: &[f64], p: f64, lags: &mut Autocovariance) -> f64 {
    let q = quantile(sorted, p);
    if q.is_nan() {
        return f64::NAN;
    }
    effective_size(&draws.map(|x| f64::from(*x <= q)), lags)
}

/// The effective size of draws for which no transform has been planned.
pub(super) fn alone(draws: &Draws) -> f64 {
    effective_size(draws, &mut Autocovariance::new(draws.half()))
}

/// The number of draws over the autocorrelation time of the half chains taken together.
pub(super) fn effective_size(draws: &Draws, lags: &mut Autocovariance) -> f64 {
    let total = draws.in_halves() as f64;
    if is_constant(draws) {
        return total;
    }
    let n = draws.half() as f64;
    let means: Vec<f64> = draws.halves().map(|half| moments(half).0).collect();
    let covariances = lags.mean_of(draws.halves());
    // W and W(n − 1)/n + B/n of R-hat: disagreement between chains counts as correlation at every lag.
    let within = covariances[0] * n / (n - 1.0);
    let variance = covariances[0] + moments(&means).1;
    let time = autocorrelation_time(draws.half(), |lag| 1.0 - (within - covariances[lag]) / variance);
    // Antithetic chains may beat independent draws, within reason.
    let least = 1.0 / total.log10();
    if time < least { total / least } else { total / time }
}

/// −1 + 2 Σ ρ_t by Geyer's initial monotone sequence: pairs ρ_2k + ρ_2k+1 as long as they are positive, none larger than
/// the one before, and the even half of the first pair left out, counted once.
fn autocorrelation_time(n: usize, rho: impl Fn(usize) -> f64) -> f64 {
    let (mut even, mut pair) = (1.0, 1.0 + rho(1));
    let (mut sum, mut largest, mut k) = (0.0, f64::INFINITY, 0);
    while pair > 0.0 && k + 4 < n {
        largest = pair.min(largest);
        sum += largest;
        k += 2;
        even = rho(k);
        pair = even + rho(k + 1);
    }
    if pair.is_nan() {
        return f64::NAN;
    }
    let last = if pair < 0.0 { even.max(0.0) } else { even };
    2.0 * sum - 1.0 + last
}

/// Whether the draws in the halves differ by rounding only. ArviZ's bound of 1e-15, made relative below 1.
fn is_constant(draws: &Draws) -> bool {
    let values = || draws.halves().flatten().copied();
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    high - low <= 1e-15 * low.abs().max(high.abs()).min(1.0)
}
