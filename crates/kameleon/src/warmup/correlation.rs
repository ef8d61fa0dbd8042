//! How far the correlations of a sample can be trusted.
//!
//! In many dimensions a sample holds few independent points for each, and its correlations are mostly chance. They are
//! multiplied with the factor for which one part of the sample predicts the part that is held out best.

use crate::linalg::{cholesky, dot, log_diagonal, solve_lower};
use crate::mixture::{Part, Sample};
use crate::moves::Frame;

/// The shrinkage factors that are tried.
const FACTORS: [f64; 7] = [1.0, 0.95, 0.85, 0.7, 0.5, 0.25, 0.0];

/// With this many independent points for each dimension correlations are trusted.
const SURE: f64 = 200.0;

/// Multiplies everything off the diagonal.
fn scale_correlations(sigma: &mut [f64], d: usize, factor: f64) {
    (0..d * d).filter(|k| k / d != k % d).for_each(|k| sigma[k] *= factor);
}

/// Mean and covariance of a sample, its correlations as far as they can be trusted, and factorised; none if it is too small.
pub fn shrunk_frame(sample: &Sample) -> Option<Frame> {
    let d = sample.dim;
    let (origin, mut factor) = shrunk_moments(sample)?;
    (0..d).for_each(|i| factor[i * d + i] *= 1.0 + 1e-12);
    cholesky(&mut factor, d).then_some(Frame { origin, factor }).filter(|frame| frame.fits(d))
}

/// Mean and covariance of a sample, its correlations as far as they can be trusted; none if it is too small.
pub fn shrunk_moments(sample: &Sample) -> Option<(Vec<f64>, Vec<f64>)> {
    let d = sample.dim;
    let (mean, mut covariance) = sample.moments(Part::All)?;
    if sample.size() < SURE * d as f64
        && let Some(factor) = correlation_shrinkage(sample)
    {
        scale_correlations(&mut covariance, d, factor);
    }
    Some((mean, covariance))
}

/// The best factor; none if the sample is too small to tell.
fn correlation_shrinkage(sample: &Sample) -> Option<f64> {
    let d = sample.dim;
    let (here, sigma) = sample.moments(Part::Fitted)?;
    let (there, mut seen) = sample.moments(Part::HeldOut)?;
    for i in 0..d {
        for j in 0..d {
            seen[i * d + j] += (there[i] - here[i]) * (there[j] - here[j]);
        }
    }
    let mut best: Option<(f64, f64)> = None;
    for factor in FACTORS {
        let mut shrunk = sigma.clone();
        scale_correlations(&mut shrunk, d, factor);
        if !cholesky(&mut shrunk, d) {
            continue;
        }
        let score = -log_diagonal(&shrunk, d) - 0.5 * trace_of_quotient(&shrunk, &seen, d);
        if best.is_none_or(|(highest, _)| score > highest) {
            best = Some((score, factor));
        }
    }
    best.map(|(_, factor)| factor)
}

/// tr((LLᵀ)⁻¹V) = Σ_ij (L⁻¹)_ij (L⁻¹V)_ij, row by row of L⁻¹.
fn trace_of_quotient(factor: &[f64], v: &[f64], d: usize) -> f64 {
    let mut solved = v.to_vec();
    solved.chunks_exact_mut(d).for_each(|row| solve_lower(factor, row));
    let mut unit = vec![0.0; d];
    let mut sum = 0.0;
    for j in 0..d {
        // Column j of L⁻¹, against column j of L⁻¹V, which is row j of what was solved since V is symmetric.
        unit.fill(0.0);
        unit[j] = 1.0;
        solve_lower(factor, &mut unit);
        sum += dot(&unit, &solved[j * d..(j + 1) * d]);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use rand::RngExt;
    use rand_distr::StandardNormal;

    /// Independent draws, each coordinate with the share `common` of one that all have; every other block is held out.
    fn factor(n: usize, d: usize, common: f64) -> f64 {
        let mut rng = stream(4, 0, Purpose::Move);
        let mut sample = Sample::new(d);
        for i in 0..n {
            let shared: f64 = rng.sample(StandardNormal);
            let x: Vec<f64> = (0..d).map(|_| common * shared + rng.sample::<f64, _>(StandardNormal)).collect();
            sample.push(&x, 1.0, i % 16 < 8);
        }
        correlation_shrinkage(&sample).unwrap()
    }

    #[test]
    fn correlations_by_chance_are_dropped_and_true_ones_kept() {
        assert!(factor(120, 20, 0.0) <= 0.25);
        assert!(factor(8000, 5, 2.0) >= 0.95);
    }

    #[test]
    fn the_trace_is_that_of_the_quotient() {
        // Σ = (4 2; 2 5), V = (3 1; 1 2): Σ⁻¹ = (5 −2; −2 4)/16.
        let mut factor = vec![4.0, 2.0, 2.0, 5.0];
        assert!(cholesky(&mut factor, 2));
        let trace = trace_of_quotient(&factor, &[3.0, 1.0, 1.0, 2.0], 2);
        assert!((trace - (15.0 - 4.0 + 8.0) / 16.0).abs() < 1e-12, "{trace}");
    }
}
