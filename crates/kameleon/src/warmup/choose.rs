//! Which metric, width and tails the density estimate has: those that predict other times of the history best.
//!
//! No target evaluation is spent. What is held out are blocks of time, since draws next to each other are alike, and an
//! estimate judged on randomly held-out draws confirms itself.

use super::window::{Part, Window, in_frame};
use crate::Rng;
use crate::bandwidth::median_heuristic;
use crate::moves::{DensityShape, Frame, JumpDensity, LocalFactors, mix};

/// How many states train and test the candidates.
const TRAINED: usize = 500;
const TESTED: usize = 300;
const WIDTHS: [f64; 2] = [0.5, 1.0];
const H2: [f64; 3] = [0.25, 0.5, 1.0];
const DELTA: [f64; 3] = [0.1, 0.5, 0.9];

/// The candidate with the largest mean log density on what it has not seen, and that density over the one of a Gaussian.
pub fn choose(window: &Window<'_>, metric: &Frame, rng: &mut Rng) -> Option<(f64, DensityShape)> {
    let trained = window.sample(Part::Even, TRAINED, rng);
    let tested = window.sample(Part::Odd, TESTED, rng);
    if trained.len() <= metric.dim() + 1 || tested.is_empty() {
        return None;
    }
    let mut best: Option<(f64, DensityShape)> = None;
    for (white, width) in shapes(metric) {
        let shape = DensityShape { white, width, ..DensityShape::default() };
        for (score, shape) in scores(shape, &trained, &tested, metric) {
            if best.is_none_or(|(highest, _)| score > highest) {
                best = Some((score, shape));
            }
        }
    }
    let mut u = vec![0.0; metric.dim()];
    let mut gaussian = |x: &&[f64]| {
        metric.coordinates(x, &mut u);
        -0.5 * u.iter().map(|u| u * u + libm::log(std::f64::consts::TAU)).sum::<f64>() - metric.log_volume()
    };
    let mean = tested.iter().map(&mut gaussian).sum::<f64>() / tested.len() as f64;
    best.map(|(score, shape)| (score - mean, shape))
}

/// Metrics and widths. Components of one shape are the same in both metrics, and all are where white coordinates are the raw
/// ones, as in a subspace.
fn shapes(metric: &Frame) -> impl Iterator<Item = (bool, Option<f64>)> {
    let metrics: &[bool] = if metric.is_raw() { &[true] } else { &[true, false] };
    let local = metrics.iter().flat_map(|white| WIDTHS.map(|width| (*white, Some(width))));
    std::iter::once((true, None)).chain(local)
}

/// The mean log density in the original coordinates, for every h² and δ.
fn scores(shape: DensityShape, trained: &[&[f64]], tested: &[&[f64]], metric: &Frame) -> Vec<(f64, DensityShape)> {
    let d = metric.dim();
    let frame = shape.frame(metric);
    let z = in_frame(trained, &frame);
    let Some(sigma) = median_heuristic(&z) else { return Vec::new() };
    let locals = shape.width.map(|width| LocalFactors::new(&z, width * sigma));
    let factor = if shape.white { Frame::raw(vec![0.0; d]).factor } else { metric.factor.clone() };
    let (mut u, mut scratch) = (vec![0.0; d], JumpDensity::scratch(d));
    let mut scores = Vec::new();
    for h2 in H2 {
        let density = JumpDensity::new(&z, locals.as_ref(), &factor, h2, 0.5);
        let parts: Vec<(f64, f64)> = tested
            .iter()
            .map(|x| {
                frame.coordinates(x, &mut u);
                density.log_parts(&u, &mut scratch)
            })
            .collect();
        for delta in DELTA {
            let mean = parts.iter().map(|(near, wide)| mix(*near, *wide, delta)).sum::<f64>() / parts.len() as f64;
            scores.push((mean - frame.log_volume(), DensityShape { h2, delta, ..shape }));
        }
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_shape_is_tried_twice() {
        assert_eq!(shapes(&Frame::raw(vec![0.0; 2])).count(), 1 + WIDTHS.len());
        let metric = Frame { origin: vec![0.0; 2], factor: vec![2.0, 0.0, 0.5, 1.0] };
        assert_eq!(shapes(&metric).count(), 1 + 2 * WIDTHS.len());
    }
}
