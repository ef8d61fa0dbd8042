//! Pareto k̂: how heavy the tail of importance weights is.

/// Weights below this share of the largest are no tail: they cannot be told from zero.
const SMALLEST: f64 = f64::MIN_POSITIVE;
/// The weak prior of k̂: as many observations of this value.
const PRIOR_COUNT: f64 = 10.0;
const PRIOR_VALUE: f64 = 0.5;

/// The shape k̂ of a generalised Pareto distribution fitted to the largest weights, by the method of Zhang and Stephens (2009)
/// with the weak prior of Pareto-smoothed importance sampling (Vehtari, Simpson, Gelman, Yao and Gabry 2024); to the figures of
/// ArviZ. Below 0.5 the weights have a finite variance; above 0.7 averages over them are not to be believed.
///
/// Takes log weights; −∞ is a weight of zero. Infinite if fewer than five weights are larger than the rest, 0 if the largest
/// are all the same, and NaN without a positive weight.
pub fn pareto_k(log_weights: &[f64]) -> f64 {
    let mut sorted = log_weights.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    let Some(&largest) = sorted.last().filter(|largest| largest.is_finite()) else { return f64::NAN };
    let count = (n as f64 / 5.0).min(3.0 * (n as f64).sqrt()).ceil() as usize;
    let relative = |log: f64| (log - largest).exp();
    let cutoff = relative(sorted[(n - 1).saturating_sub(count)]).max(SMALLEST);
    if cutoff == 1.0 {
        return if n < 5 { f64::INFINITY } else { 0.0 };
    }
    let tail: Vec<f64> = sorted.iter().map(|log| relative(*log)).filter(|w| *w > cutoff).map(|w| w - cutoff).collect();
    if tail.len() < 5 { f64::INFINITY } else { shape(&tail) }
}

/// The shape of the distribution of these ascending excesses.
fn shape(tail: &[f64]) -> f64 {
    let n = tail.len() as f64;
    let count = 30 + n.sqrt() as usize;
    let quartile = tail[(n / 4.0 + 0.5) as usize - 1];
    let shape_at = |b: f64| tail.iter().map(|x| (-b * x).ln_1p()).sum::<f64>() / n;
    // b = −k/σ on a grid, and the profile log likelihood there.
    let grid: Vec<(f64, f64)> = (1..=count)
        .map(|i| {
            let b = (1.0 - (count as f64 / (i as f64 - 0.5)).sqrt()) / (3.0 * quartile) + 1.0 / tail[tail.len() - 1];
            let k = shape_at(b);
            (b, n * ((-b / k).ln() - k - 1.0))
        })
        .collect();
    let best = grid.iter().map(|(_, log)| *log).fold(f64::NEG_INFINITY, f64::max);
    let (sum, total) = grid.iter().fold((0.0, 0.0), |(sum, total), (b, log)| {
        let weight = (log - best).exp();
        (sum + weight * b, total + weight)
    });
    (n * shape_at(sum / total) + PRIOR_COUNT * PRIOR_VALUE) / (n + PRIOR_COUNT)
}
