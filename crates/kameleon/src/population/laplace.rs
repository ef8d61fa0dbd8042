//! A Laplace approximation by least squares: a quadratic through log posteriors that are already known.

use super::niche::Niche;
use super::particles::Particles;
use crate::linalg::{cholesky, eigen, solve_lower};

/// How many points are fitted, for each coefficient of the quadratic; …
const POINTS_EACH: usize = 3;
/// … fewer than this many for each are too few.
const LEAST_POINTS_EACH: f64 = 1.5;
/// The largest dimension, in which the quadratic has 496 coefficients.
const LARGEST: usize = 30;
/// The centre is at most this many standard deviations of the points from the best of them.
const FARTHEST: f64 = 3.0;
const RIDGE: f64 = 1e-8;
/// The least curvature, over the largest, of something that counts as a top.
const LEAST_CURVATURE: f64 = 1e-6;

/// The niche with the centre and covariance of the quadratic; none if the best points do not show a top.
pub(super) fn laplace(niche: &Niche, known: &Particles) -> Option<Niche> {
    let d = niche.top.len();
    let coefficients = (d + 1) * (d + 2) / 2;
    let mut order: Vec<usize> = (0..known.len()).filter(|i| known.log_posterior(*i).is_finite()).collect();
    order.sort_by(|a, b| known.log_posterior(*b).total_cmp(&known.log_posterior(*a)));
    order.truncate(POINTS_EACH * coefficients);
    if d > LARGEST || (order.len() as f64) < LEAST_POINTS_EACH * coefficients as f64 {
        return None;
    }
    let top = known.log_posterior(order[0]);
    let origin = known.point(order[0]).to_vec();
    let n = order.len() as f64;
    let deviation = |k: usize| {
        let mean = order.iter().map(|i| known.point(*i)[k]).sum::<f64>() / n;
        let off = |i: &usize| known.point(*i)[k] - mean;
        (order.iter().map(|i| off(i) * off(i)).sum::<f64>() / n).sqrt().max(1e-300)
    };
    let scale: Vec<f64> = (0..d).map(deviation).collect();
    // Points near the top count most.
    let unit = ((top - known.log_posterior(order[order.len() / 2])) / 3.0).max(1.0);
    let (mut normal, mut right) = (vec![0.0; coefficients * coefficients], vec![0.0; coefficients]);
    for i in &order {
        let z: Vec<f64> = (0..d).map(|k| (known.point(*i)[k] - origin[k]) / scale[k]).collect();
        let fall = known.log_posterior(*i) - top;
        let features = features(&z);
        let weight = libm::exp(0.5 * fall / unit);
        for (a, fa) in features.iter().enumerate() {
            right[a] += weight * fa * fall;
            let row = &mut normal[a * coefficients..(a + 1) * coefficients];
            row.iter_mut().zip(&features).for_each(|(sum, fb)| *sum += weight * fa * fb);
        }
    }
    normal.iter_mut().step_by(coefficients + 1).for_each(|v| *v += RIDGE);
    let solved = solve(normal, right)?;
    let (covariance, shift) = top_of(&solved, d)?;
    let centre = (0..d).map(|k| origin[k] + scale[k] * shift[k].clamp(-FARTHEST, FARTHEST)).collect();
    let mut factor: Vec<f64> = (0..d * d).map(|k| covariance[k] * scale[k / d] * scale[k % d]).collect();
    cholesky(&mut factor, d).then(|| Niche { centre, factor, ..niche.clone() })
}

/// 1, z_i, and z_i z_j with i ≤ j.
fn features(z: &[f64]) -> Vec<f64> {
    let mut features = vec![1.0];
    features.extend(z);
    for (i, a) in z.iter().enumerate() {
        features.extend(z[i..].iter().map(|b| a * b));
    }
    features
}

/// The solution of Ax = b with A positive definite.
fn solve(mut a: Vec<f64>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    if !cholesky(&mut a, n) {
        return None;
    }
    solve_lower(&a, &mut b);
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| a[k * n + i] * b[k]).sum();
        b[i] = (b[i] - sum) / a[i * n + i];
    }
    Some(b)
}

/// Covariance and centre of the top of a quadratic; none if it has none.
fn top_of(solved: &[f64], d: usize) -> Option<(Vec<f64>, Vec<f64>)> {
    let mut precision = vec![0.0; d * d];
    let mut k = d + 1;
    for i in 0..d {
        for j in i..d {
            // −H, with twice the coefficient of z_i² on the diagonal.
            precision[i * d + j] = -solved[k] * if i == j { 2.0 } else { 1.0 };
            precision[j * d + i] = precision[i * d + j];
            k += 1;
        }
    }
    let mut vectors = vec![0.0; d * d];
    eigen(&mut precision, &mut vectors, d);
    let values: Vec<f64> = precision.into_iter().step_by(d + 1).collect();
    let largest = values.iter().copied().fold(0.0, f64::max);
    if !(largest.is_finite() && values.iter().all(|v| *v > LEAST_CURVATURE * largest)) {
        return None;
    }
    let mut covariance = vec![0.0; d * d];
    for (vector, value) in vectors.chunks_exact(d).zip(values) {
        for i in 0..d {
            (0..d).for_each(|j| covariance[i * d + j] += vector[i] * vector[j] / value);
        }
    }
    let shift = |i: usize| (0..d).map(|j| covariance[i * d + j] * solved[1 + j]).sum();
    let shift = (0..d).map(shift).collect();
    Some((covariance, shift))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::times_transpose;
    use crate::random::{Purpose, stream};
    use rand::RngExt;

    #[test]
    fn of_a_gaussian_it_is_the_gaussian() {
        // Precision (2 1; 1 3) around (5, −1).
        let log = |x: &[f64]| {
            let (a, b) = (x[0] - 5.0, x[1] + 1.0);
            -0.5 * (2.0 * a * a + 2.0 * a * b + 3.0 * b * b) - 7.0
        };
        let mut rng = stream(3, 0, Purpose::Learn);
        let points: Vec<f64> = (0..80).map(|i| rng.random_range(-3.0..3.0) + [5.0, -1.0][i % 2]).collect();
        let log_likelihood: Vec<f64> = points.chunks_exact(2).map(log).collect();
        let known = Particles { points, log_prior: vec![0.0; 40], log_likelihood };
        let niche = Niche::new(vec![4.0, 0.0], -8.0, vec![1.0, 0.0, 0.0, 1.0]);
        let found = laplace(&niche, &known).unwrap();
        let mut covariance = [0.0; 4];
        times_transpose(&found.factor, 2, &mut covariance);
        for (found, expected) in covariance.iter().zip([0.6, -0.2, -0.2, 0.4]) {
            assert!((found - expected).abs() < 1e-5, "{covariance:?}");
        }
        assert!((found.centre[0] - 5.0).abs() < 1e-4 && (found.centre[1] + 1.0).abs() < 1e-4, "{found:?}");
        // A saddle has no top.
        let log_likelihood = known.points.chunks_exact(2).map(|x| x[0] * x[0] - x[1] * x[1]).collect();
        assert!(laplace(&niche, &Particles { log_likelihood, ..known }).is_none());
    }
}
