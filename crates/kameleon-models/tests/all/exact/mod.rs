//! The exact likelihoods, computed in another way than the estimates: by the trapezoidal rule on fine grids, which for
//! smooth integrands that vanish at both ends is as good as exact.

use std::f64::consts::TAU;

/// log p(y | β, σ) of the herds, with the random effects on a grid of ten standard deviations to either side.
#[allow(dead_code)]
pub fn cbpp(beta: [f64; 4], sd: f64) -> f64 {
    let table = include_str!("../../../data/cbpp.csv");
    let rows: Vec<Vec<u32>> =
        table.lines().skip(1).map(|line| line.split(',').map(|field| field.parse().unwrap()).collect()).collect();
    let step = 0.01;
    let herd = |herd: u32| {
        let integrand = |k: i32| {
            let t = step * f64::from(k);
            let product: f64 = rows.iter().filter(|row| row[0] == herd).fold(1.0, |product, row| {
                let eta = beta[0] + if row[1] > 1 { beta[row[1] as usize - 1] } else { 0.0 } + sd * t;
                product * binomial(row[2], row[3], 1.0 / (1.0 + (-eta).exp()))
            });
            product * (-0.5 * t * t).exp() / TAU.sqrt()
        };
        (step * (-1000..=1000).map(integrand).sum::<f64>()).ln()
    };
    (1..=15).map(herd).sum()
}

fn binomial(cases: u32, size: u32, p: f64) -> f64 {
    let choose: f64 = (0..cases).map(|k| f64::from(size - k) / f64::from(cases - k)).product();
    choose * p.powi(cases as i32) * (1.0 - p).powi((size - cases) as i32)
}

/// log p(y | μ, φ, σ), with the density of h given the past on a grid of ten stationary standard deviations to either side.
#[allow(dead_code)]
pub fn stochastic_volatility(y: &[f64], mu: f64, phi: f64, sigma: f64) -> f64 {
    let normal = |x: f64, sd: f64| (-0.5 * (x / sd).powi(2)).exp() / (sd * TAU.sqrt());
    let stationary = sigma / (1.0 - phi * phi).sqrt();
    let half = (10.0 * stationary / (0.25 * sigma.min(0.4))).ceil() as i32;
    let step = 10.0 * stationary / f64::from(half);
    let grid: Vec<f64> = (-half..=half).map(|k| step * f64::from(k)).collect();
    let moves: Vec<f64> =
        grid.iter().flat_map(|to| grid.iter().map(move |from| normal(to - phi * from, sigma))).collect();
    let mut density: Vec<f64> = grid.iter().map(|h| normal(*h, stationary)).collect();
    let mut total = 0.0;
    for y in y {
        density.iter_mut().zip(&grid).for_each(|(p, h)| *p *= normal(*y, (0.5 * (mu + h)).exp()));
        let likelihood = step * density.iter().sum::<f64>();
        total += likelihood.ln();
        let ahead = |row: &[f64]| step / likelihood * row.iter().zip(&density).map(|(q, p)| q * p).sum::<f64>();
        density = moves.chunks_exact(grid.len()).map(ahead).collect();
    }
    total
}

/// How many standard errors the mean of exp(log ratio) is away from one, and the standard error.
#[allow(dead_code)]
pub fn bias(log_ratios: &[f64]) -> (f64, f64) {
    let (mean, variance) = moments(&log_ratios.iter().map(|x| x.exp()).collect::<Vec<_>>());
    let error = (variance / log_ratios.len() as f64).sqrt();
    ((mean - 1.0) / error, error)
}

/// Mean and variance.
pub fn moments(x: &[f64]) -> (f64, f64) {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    (mean, x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (x.len() - 1) as f64)
}
