//! Whether measured slopes say how the log density changes from place to place.
//!
//! The slope of a step function, such as the likelihood of rounded values, is zero nearly everywhere, and says nothing of the steps.
//! Stein's identity does not hold for it.

/// The share of the differences that slopes must explain, at least. In up to eight dimensions they explained 0.27 at most of steps; of
/// bananas, funnels, Student's t and a valley of cosh 0.36 at least.
const LEAST_SHARE: f64 = 0.3;
/// How far neighbours are apart, at least, in standard deviations: nearer ones may all be on the same step.
const APART: f64 = 0.1;

/// Whether the trapezoid rule, half the sum of the slopes at two points times the way between them, explains enough of the differences
/// of the log density. It is exact for quadratics. Each point, of `dim` coordinates with unit variance, is compared with the nearest
/// that is [`APART`]. Absolute values are summed: squares would be those of a few points far out.
pub fn slopes_explain(points: &[f64], slopes: &[f64], log_density: &[f64], dim: usize) -> bool {
    let (mut whole, mut left) = (0.0, 0.0);
    let row = |all: &[f64], k: usize| all[k * dim..(k + 1) * dim].to_vec();
    for k in 0..log_density.len() {
        let (here, slope) = (row(points, k), row(slopes, k));
        let Some(j) = neighbour(&here, points) else { continue };
        let (there, other) = (row(points, j), row(slopes, j));
        let rule: f64 = (0..dim).map(|i| 0.5 * (slope[i] + other[i]) * (there[i] - here[i])).sum();
        let difference = log_density[j] - log_density[k];
        whole += difference.abs();
        left += (difference - rule).abs();
    }
    left <= (1.0 - LEAST_SHARE) * whole
}

/// The nearest of the points that is far enough away.
fn neighbour(here: &[f64], points: &[f64]) -> Option<usize> {
    let squared = |there: &[f64]| here.iter().zip(there).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let distances = points.chunks_exact(here.len()).map(squared).enumerate();
    distances.filter(|(_, d)| *d >= APART * APART).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(j, _)| j)
}
