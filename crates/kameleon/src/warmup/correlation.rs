//! How far the correlations of a window can be trusted.
//!
//! In many dimensions a window holds few independent states for each, and its correlations are mostly chance. They are
//! multiplied with the factor for which one half of the window, cut in blocks of time, predicts the other best.

use super::window::{Part, Window};
use crate::linalg::{cholesky, dot, log_diagonal, solve_lower};

/// The shrinkage factors that are tried.
const FACTORS: [f64; 7] = [1.0, 0.95, 0.85, 0.7, 0.5, 0.25, 0.0];

/// Multiplies everything off the diagonal.
pub fn scale_correlations(sigma: &mut [f64], d: usize, factor: f64) {
    (0..d * d).filter(|k| k / d != k % d).for_each(|k| sigma[k] *= factor);
}

/// The best factor; none if the window is too short to tell.
pub fn correlation_shrinkage(window: &Window<'_>, d: usize) -> Option<f64> {
    let (even, sigma) = window.moments(Part::Even)?;
    let (odd, mut seen) = window.moments(Part::Odd)?;
    for i in 0..d {
        for j in 0..d {
            seen[i * d + j] += (odd[i] - even[i]) * (odd[j] - even[j]);
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

    /// Two chains of independent draws, each coordinate with the share `common` of one that all have.
    fn window(n: usize, d: usize, common: f64) -> Vec<Vec<f64>> {
        let mut rng = stream(4, 0, Purpose::Move);
        let mut state = || {
            let shared: f64 = rng.sample(StandardNormal);
            (0..d).map(|_| common * shared + rng.sample::<f64, _>(StandardNormal)).collect::<Vec<f64>>()
        };
        (0..2).map(|_| (0..n).flat_map(|_| state()).collect()).collect()
    }

    fn factor(n: usize, d: usize, common: f64) -> f64 {
        let states = window(n, d, common);
        correlation_shrinkage(&Window::new(states.iter().map(Vec::as_slice).collect(), d), d).unwrap()
    }

    #[test]
    fn correlations_by_chance_are_dropped_and_true_ones_kept() {
        assert!(factor(60, 20, 0.0) <= 0.25);
        assert!(factor(4000, 5, 2.0) >= 0.95);
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
