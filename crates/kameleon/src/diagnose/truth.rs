//! How far draws are from a truth that is known.

/// ‖mean of the draws − `mean`‖, for draws one after another.
pub fn mean_norm(draws: &[f64], mean: &[f64]) -> f64 {
    let (d, count) = (mean.len(), draws.len() / mean.len());
    let error = |i: usize| draws.iter().skip(i).step_by(d).sum::<f64>() / count as f64 - mean[i];
    (0..d).map(|i| error(i).powi(2)).sum::<f64>().sqrt()
}

/// The p-value of the Kolmogorov-Smirnov test that the sample is uniform on (0, 1). Sorts the sample.
pub fn kolmogorov_smirnov_uniform(sample: &mut [f64]) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let distance =
        sample.iter().enumerate().map(|(i, u)| (u - i as f64 / n).max((i + 1) as f64 / n - u)).fold(0.0, f64::max);
    let s = (n.sqrt() + 0.12 + 0.11 / n.sqrt()) * distance;
    let tail = (1..=100).map(|k| (-1f64).powi(k - 1) * (-2.0 * f64::from(k * k) * s * s).exp()).sum::<f64>();
    (2.0 * tail).clamp(0.0, 1.0)
}

/// |fraction of levels ≤ α − α| for α = 0.1, …, 0.9, where a draw's level is the probability of the region around the
/// mode that reaches out to it: uniform on (0, 1) under the truth.
pub fn quantile_deviations(levels: &[f64]) -> [f64; 9] {
    std::array::from_fn(|k| {
        let alpha = (k + 1) as f64 / 10.0;
        let count = levels.iter().filter(|level| **level <= alpha).count();
        (count as f64 / levels.len() as f64 - alpha).abs()
    })
}

/// The mean of the [`quantile_deviations`].
pub fn quantile_deviation(levels: &[f64]) -> f64 {
    quantile_deviations(levels).iter().sum::<f64>() / 9.0
}

/// tr Σ over the mean of ‖mean error‖²: how many independent draws would estimate the mean as well as one of the chains
/// whose squared errors are given.
pub fn n_eq(total_variance: f64, squared_mean_errors: &[f64]) -> f64 {
    total_variance * squared_mean_errors.len() as f64 / squared_mean_errors.iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_grid_of_levels_deviates_by_nothing_and_a_single_level_by_much() {
        let grid: Vec<f64> = (0..1000).map(|i| (f64::from(i) + 0.5) / 1000.0).collect();
        assert!(quantile_deviation(&grid) < 1e-12);
        let stuck = quantile_deviations(&[0.25; 10]);
        for (k, expected) in [0.1, 0.2, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1].into_iter().enumerate() {
            assert!((stuck[k] - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn a_mean_with_the_error_of_a_hundred_draws_is_worth_a_hundred() {
        assert_eq!(n_eq(5.0, &[0.04, 0.06]), 100.0);
    }

    #[test]
    fn the_mean_norm_is_the_distance_of_the_means() {
        assert_eq!(mean_norm(&[1.0, 2.0, 5.0, 6.0], &[0.0, 0.0]), 5.0);
    }
}
