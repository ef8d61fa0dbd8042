//! A warning of the default sampler: a shape that wants other coordinates.

use crate::moves::HistoryModel;

/// How a warning of a funnel begins.
pub const FUNNEL: &str = "the target looks like a funnel";
/// The correlation of a parameter with the log widths of two others from which on the target looks like a funnel.
const LEAST_TREND: f64 = 0.5;

/// Whether the target looks like a funnel; parameters have these names.
pub fn funnel(history: Option<&HistoryModel>, names: &[String]) -> Option<String> {
    let (i, change) = funnel_parameter(history?)?;
    Some(format!(
        "{FUNNEL}: the widths of several parameters change with {} by a factor of \
         {:.0}, so no single step size fits everywhere. Reparameterise if you can (in a hierarchical model, sample \
         standardised effects and multiply them by their scale)",
        names.get(i).map_or_else(|| format!("parameter {}", i + 1), String::clone),
        libm::exp(4.0 * change)
    ))
}

/// The parameter that the widths of several others change with, and by how much: the change of the log width for one
/// standard deviation of it. None if there is no such parameter.
fn funnel_parameter(history: &HistoryModel) -> Option<(usize, f64)> {
    let (d, n) = (history.z.dim(), history.z.len());
    let mut columns = vec![Vec::with_capacity(n); d];
    let mut x = vec![0.0; d];
    for a in 0..n {
        history.z.get(a, &mut x);
        history.frame.point(&mut x);
        columns.iter_mut().zip(&x).for_each(|(column, x)| column.push(*x));
    }
    columns.iter_mut().for_each(|column| standardise(column));
    let log_widths: Vec<Vec<f64>> = columns.iter().map(|column| log_widths(column)).collect();
    let found = (0..d).filter_map(|i| {
        let slopes = (0..d).filter(|j| *j != i).filter_map(|j| trend(&columns[i], &log_widths[j]));
        let slopes: Vec<f64> = slopes.map(f64::abs).collect();
        (slopes.len() >= 2).then(|| (i, slopes.iter().sum::<f64>() / slopes.len() as f64))
    });
    found.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// The log distances from the median, in which the narrow part of a funnel is; the mean follows the far ends of the wide part.
fn log_widths(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = sorted[sorted.len() / 2];
    values.iter().map(|x| libm::log((x - median).abs().max(1e-12))).collect()
}

/// Brings numbers to mean zero and standard deviation one.
fn standardise(values: &mut [f64]) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let sd = (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
    values.iter_mut().for_each(|x| *x = (*x - mean) / sd.max(f64::MIN_POSITIVE));
}

/// The slope of `y` on the standardised `x`, if the two are strongly correlated.
fn trend(x: &[f64], y: &[f64]) -> Option<f64> {
    let n = x.len() as f64;
    let mean = y.iter().sum::<f64>() / n;
    let sd = (y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n).sqrt();
    let slope = x.iter().zip(y).map(|(x, y)| x * (y - mean)).sum::<f64>() / n;
    (slope.abs() > LEAST_TREND * sd).then_some(slope)
}
