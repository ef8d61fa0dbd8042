use super::*;
use crate::random::{Purpose, stream};

fn cloud(n: usize, d: usize) -> Points {
    let rows: Vec<f64> = (0..n * d).map(|k| ((k * k % 977) as f64 * 0.37).sin() * 1.5).collect();
    Points::from_rows(&rows, d)
}

/// A lower triangular factor of some covariance.
fn some_factor(d: usize) -> Vec<f64> {
    let entry = |i: usize, j: usize| if i == j { 1.0 + i as f64 * 0.3 } else { 0.2 * (i + j) as f64 / d as f64 };
    (0..d * d).map(|k| if k % d <= k / d { entry(k / d, k % d) } else { 0.0 }).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
}

/// ln t₅(u; centre, covariance), by the definition.
fn log_t(u: &[f64], centre: &[f64], covariance: &[f64]) -> f64 {
    let d = u.len();
    let mut factor = covariance.to_vec();
    assert!(crate::linalg::cholesky(&mut factor, d));
    let mut e: Vec<f64> = u.iter().zip(centre).map(|(u, z)| u - z).collect();
    crate::linalg::solve_lower(&factor, &mut e);
    let q: f64 = e.iter().map(|e| e * e).sum();
    log_t_constant(d) - crate::linalg::log_diagonal(&factor, d) - 0.5 * (5 + d) as f64 * (1.0 + q / 5.0).ln()
}

/// ln Q by plain loops: local covariances, shrinkage, ridge and mixture as they are written down.
fn naive(z: &[Vec<f64>], sigma: Option<f64>, factor: &[f64], h2: f64, delta: f64, u: &[f64]) -> f64 {
    let (n, d) = (z.len(), u.len());
    let identity: Vec<f64> = (0..d * d).map(|k| f64::from(u8::from(k % d == k / d))).collect();
    let mut covariances = vec![identity; n];
    if let Some(sigma) = sigma {
        let mut sizes = Vec::new();
        for (i, c) in covariances.iter_mut().enumerate() {
            let weights: Vec<f64> = z.iter().map(|z_j| (-distance(z_j, &z[i]) / (sigma * sigma)).exp()).collect();
            let sum: f64 = weights.iter().sum();
            sizes.push(sum * sum / weights.iter().map(|w| w * w).sum::<f64>());
            for k in 0..d * d {
                let product = |x: &Vec<f64>| (x[k / d] - z[i][k / d]) * (x[k % d] - z[i][k % d]);
                c[k] = weights.iter().zip(z).map(|(w, x)| w * product(x)).sum::<f64>() / sum;
            }
        }
        let mean: Vec<f64> = (0..d * d).map(|k| covariances.iter().map(|c| c[k]).sum::<f64>() / n as f64).collect();
        let ridge = 1e-3 * (0..d).map(|i| mean[i * d + i]).sum::<f64>() / d as f64;
        for (c, size) in covariances.iter_mut().zip(sizes) {
            for k in 0..d * d {
                let diagonal = if k % d == k / d { ridge } else { 0.0 };
                c[k] = (size * c[k] + d as f64 * mean[k]) / (size + d as f64) + diagonal;
            }
        }
    }
    let near: f64 = z
        .iter()
        .zip(&covariances)
        .map(|(z, c)| log_t(u, z, &c.iter().map(|c| h2 * c).collect::<Vec<_>>()).exp() / n as f64)
        .sum();
    let row = |i: usize| &factor[i * d..(i + 1) * d];
    let sigma: Vec<f64> = (0..d * d).map(|k| crate::linalg::dot(row(k / d), row(k % d))).collect();
    ((1.0 - delta) * near + delta * log_t(u, &vec![0.0; d], &sigma).exp()).ln()
}

#[test]
fn the_density_is_that_of_the_definition() {
    for (n, d) in [(2, 1), (130, 2), (300, 3), (128, 8), (257, 20)] {
        let z = cloud(n, d);
        let rows: Vec<Vec<f64>> = (0..n)
            .map(|a| {
                let mut x = vec![0.0; d];
                z.get(a, &mut x);
                x
            })
            .collect();
        let factor = some_factor(d);
        for sigma in [None, Some(1.3)] {
            let locals = sigma.map(|sigma| LocalFactors::new(&z, sigma));
            let jump = JumpDensity::new(&z, locals.as_ref(), &factor, 0.5, 0.3);
            for shift in [0.0, 0.4, 30.0] {
                let u: Vec<f64> = rows[n / 2].iter().map(|x| x + shift).collect();
                let found = jump.log_density(&u, &mut JumpDensity::scratch(d));
                let expected = naive(&rows, sigma, &factor, 0.5, 0.3, &u);
                assert!((found - expected).abs() < 1e-11 * (1.0 + expected.abs()), "{n} {d}: {found} {expected}");
            }
        }
    }
}

/// For a density with and without local shapes: the mean of `value` over 200,000 draws, and its standard error.
fn means(seed: u64, value: impl Fn(&JumpDensity, &mut Rng, &mut DensityScratch) -> f64) -> [(f64, f64); 2] {
    let (n, d, count) = (150, 2, 200_000);
    let z = cloud(n, d);
    let mut rng = stream(seed, 0, Purpose::Move);
    let mut scratch = JumpDensity::scratch(d);
    [None, Some(0.8)].map(|sigma| {
        let locals = sigma.map(|sigma| LocalFactors::new(&z, sigma));
        let jump = JumpDensity::new(&z, locals.as_ref(), &some_factor(d), 0.5, 0.3);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..count {
            let value = value(&jump, &mut rng, &mut scratch);
            sum += value / f64::from(count);
            squares += value * value / f64::from(count);
        }
        (sum, ((squares - sum * sum) / f64::from(count)).sqrt())
    })
}

#[test]
fn the_density_integrates_to_one() {
    // Importance sampling from a wide normal: the standard error is below 0.004, five of them, 6e-7 false alarms a case.
    let sd = 6.0;
    let ratio = |jump: &JumpDensity, rng: &mut Rng, scratch: &mut DensityScratch| {
        let u = [0, 1].map(|_| sd * rng.sample::<f64, _>(StandardNormal));
        let log_normal = -0.5 * distance(&u, &[0.0, 0.0]) / (sd * sd) - (std::f64::consts::TAU * sd * sd).ln();
        (jump.log_density(&u, scratch) - log_normal).exp()
    };
    for (mean, error) in means(5, ratio) {
        assert!(error < 0.02 && (mean - 1.0).abs() < 5.0 * error, "{mean} ± {error}");
    }
}

#[test]
fn draws_have_the_density() {
    // Importance sampling by the draws themselves: the mean of 1/Q over those in a box is the volume of the box.
    let inverse = |jump: &JumpDensity, rng: &mut Rng, scratch: &mut DensityScratch| {
        let mut u = [0.0; 2];
        jump.draw(rng, &mut u);
        if u.iter().all(|u| u.abs() < 2.0) { (-jump.log_density(&u, scratch)).exp() } else { 0.0 }
    };
    for (mean, error) in means(6, inverse) {
        assert!(error < 0.2 && (mean - 16.0).abs() < 5.0 * error, "{mean} ± {error}");
    }
}
