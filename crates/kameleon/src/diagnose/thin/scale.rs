//! Draws in the units of the kernel: standardised, and divided by the bandwidth.

use super::{ThinError, evenly_spaced};
use crate::bandwidth::median_heuristic;
use crate::points::Points;

/// The bandwidth is found from this many draws.
const MOST: usize = 1000;

/// All draws, in units in which the kernel is exp(−‖x − y‖²).
pub(super) struct Scaled {
    rows: Vec<f64>,
    weights: Vec<f64>,
    pub dim: usize,
    /// σ, in standard deviations.
    pub bandwidth: f64,
}

/// Rows with their weights.
pub(super) struct Weighted {
    pub rows: Vec<f64>,
    pub weights: Vec<f64>,
}

impl Scaled {
    /// Each parameter is divided by its standard deviation, and one that is constant by nothing. Zero is the median: the mean may be
    /// so far from nearly all draws that single precision could not tell them apart. The bandwidth is that of the
    /// median heuristic; where more than half of the distances are zero, √d, as for a Gaussian.
    pub fn new(draws: &[f64], dim: usize, weights: &[f64]) -> Self {
        let mut rows = draws.to_vec();
        let some = evenly_spaced(weights, MOST.min(weights.len()));
        for i in 0..dim {
            let column = || draws.iter().skip(i).step_by(dim);
            let largest = column().fold(0.0_f64, |most, x| most.max(x.abs()));
            // Divided by the largest first, so that no square overflows.
            let unit = |x: &f64| if largest > 0.0 { x / largest } else { 0.0 };
            let zero = median(some.iter().map(|k| unit(&draws[k * dim + i])).collect());
            let mean: f64 = column().zip(weights).map(|(x, w)| w * (unit(x) - zero)).sum();
            let variance: f64 = column().zip(weights).map(|(x, w)| w * (unit(x) - zero - mean).powi(2)).sum();
            let sd = variance.sqrt();
            // The last digits of a constant are no spread.
            let factor = if sd > 8.0 * f64::EPSILON * zero.abs() { 1.0 / sd } else { 0.0 };
            rows.iter_mut().skip(i).step_by(dim).for_each(|x| *x = (unit(x) - zero) * factor);
        }
        let some: Vec<f64> = some.iter().flat_map(|k| &rows[k * dim..(k + 1) * dim]).copied().collect();
        let bandwidth = median_heuristic(&Points::from_rows(&some, dim)).unwrap_or((dim as f64).sqrt());
        rows.iter_mut().for_each(|x| *x /= bandwidth * std::f64::consts::SQRT_2);
        Self { rows, weights: weights.to_vec(), dim, bandwidth }
    }

    /// A draw.
    pub fn row(&self, k: usize) -> &[f64] {
        &self.rows[k * self.dim..(k + 1) * self.dim]
    }

    /// All draws, where a chain that stayed at a point gives one row with the weight of all, and rows without weight are left out.
    pub fn merged(&self) -> Weighted {
        let mut merged = Weighted { rows: Vec::new(), weights: Vec::new() };
        for (row, weight) in self.rows.chunks_exact(self.dim).zip(&self.weights).filter(|(_, weight)| **weight > 0.0) {
            match merged.weights.last_mut().filter(|_| merged.rows.ends_with(row)) {
                Some(last) => *last += weight,
                None => {
                    merged.rows.extend_from_slice(row);
                    merged.weights.push(*weight);
                }
            }
        }
        merged
    }

    /// Some draws, with equal weights.
    pub fn equal(&self, kept: &[usize]) -> Weighted {
        let rows = kept.iter().flat_map(|k| self.row(*k)).copied().collect();
        Weighted { rows, weights: vec![1.0 / kept.len() as f64; kept.len()] }
    }
}

fn median(mut x: Vec<f64>) -> f64 {
    let middle = x.len() / 2;
    *x.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// Weights that sum to one; equal ones if none are given.
pub(super) fn normalised(log_weights: Option<&[f64]>, draws: usize) -> Result<Vec<f64>, ThinError> {
    let Some(log_weights) = log_weights else {
        return Ok(vec![1.0 / draws as f64; draws]);
    };
    if log_weights.len() != draws {
        return Err(ThinError::OtherNumber { weights: log_weights.len(), draws });
    }
    if let Some(place) = log_weights.iter().position(|w| w.is_nan() || *w == f64::INFINITY) {
        return Err(ThinError::NoWeight(place));
    }
    let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return Err(ThinError::AllZero);
    }
    let weights: Vec<f64> = log_weights.iter().map(|w| libm::exp(w - largest)).collect();
    let total: f64 = weights.iter().sum();
    Ok(weights.into_iter().map(|w| w / total).collect())
}
