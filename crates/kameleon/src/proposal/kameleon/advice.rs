//! A warning of the default sampler: a shape that wants other coordinates.

use crate::moves::HistoryModel;

/// How a warning of a funnel begins.
pub const FUNNEL: &str = "the target looks like a funnel";
/// The correlation of a parameter with the log widths of two others from which on the target looks like a funnel.
const LEAST_TREND: f64 = 0.5;
/// The same within the lower and within the upper half of that parameter: two modes of different widths have a trend between them, and
/// none within.
const LEAST_WITHIN: f64 = 0.2;

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
    steepest(columns)
}

/// The same from the values of each parameter.
fn steepest(mut columns: Vec<Vec<f64>>) -> Option<(usize, f64)> {
    let d = columns.len();
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

/// The slope of `y` on the standardised `x`, if the two are strongly correlated, and also within either half of `x`.
fn trend(x: &[f64], y: &[f64]) -> Option<f64> {
    let mut pairs: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (whole, slope) = correlation(&pairs);
    let (low, high) = pairs.split_at(pairs.len() / 2);
    let within = [low, high].iter().all(|half| correlation(half).0 * whole.signum() > LEAST_WITHIN);
    (whole.abs() > LEAST_TREND && within).then_some(slope)
}

/// The correlation of pairs, and the slope of the second on the first.
fn correlation(pairs: &[(f64, f64)]) -> (f64, f64) {
    let n = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for pair in pairs {
        let (a, b) = (pair.0 - x, pair.1 - y);
        (xx, yy, xy) = (xx + a * a, yy + b * b, xy + a * b);
    }
    (xy / (xx * yy).sqrt().max(f64::MIN_POSITIVE), xy / xx.max(f64::MIN_POSITIVE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use rand::RngExt;
    use rand_distr::StandardNormal;

    /// 600 points: a first parameter, and two others with the width that `width` gives there.
    fn columns(seed: u64, first: impl Fn(f64) -> f64, width: impl Fn(f64) -> f64) -> Vec<Vec<f64>> {
        let mut rng = stream(seed, 0, Purpose::Start);
        let mut columns = vec![Vec::new(); 3];
        for _ in 0..600 {
            let x = first(rng.sample(StandardNormal));
            columns[0].push(x);
            (1..3).for_each(|j| columns[j].push(width(x) * rng.sample::<f64, _>(StandardNormal)));
        }
        columns
    }

    #[test]
    fn a_funnel_is_found_and_two_modes_of_different_widths_are_none() {
        for seed in 0..20 {
            let funnel = steepest(columns(seed, |z| 3.0 * z, |x| libm::exp(x / 2.0)));
            assert_eq!(funnel.map(|(i, _)| i), Some(0), "{seed}");
            let modes = columns(seed, |z| z + if z > 0.0 { 6.0 } else { -6.0 }, |x| if x > 0.0 { 10.0 } else { 1.0 });
            assert_eq!(steepest(modes), None, "{seed}");
        }
    }
}
