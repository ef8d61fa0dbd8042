//! Whether to believe the draws: convergence diagnostics, and distances to a known truth.

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
