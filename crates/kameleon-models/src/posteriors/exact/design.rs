//! Covariates of a regression on a common scale.

/// Each number less the mean, over the standard deviation (with n − 1).
pub(crate) fn standardised(column: &[f64]) -> Vec<f64> {
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    let sd = (column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    column.iter().map(|x| (x - mean) / sd).collect()
}
