use super::*;
use crate::kernel::{InverseMultiquadric, Linear};

fn kernels() -> Vec<Kernel> {
    vec![
        Kernel::gaussian(2.0),
        Kernel::matern(1.5, 1.0),
        Kernel::matern(2.5, 1.0),
        Kernel::InverseMultiquadric(InverseMultiquadric { length: 1.5 }),
        Kernel::Linear(Linear),
        Kernel::polynomial(2),
        Kernel::Sum(vec![Kernel::gaussian(1.0), Kernel::Scaled(0.1, Box::new(Kernel::Linear(Linear)))]),
    ]
}

fn cloud(n: usize, d: usize) -> Vec<f64> {
    (0..n * d).map(|k| ((k * k % 977) as f64 * 0.37).sin() * 1.5).collect()
}

/// The columns m_a of M, one after another.
fn gradients(kernel: &Kernel, rows: &[f64], y: &[f64]) -> Vec<f64> {
    let mut m = vec![0.0; rows.len()];
    for (m, z) in m.chunks_mut(y.len()).zip(rows.chunks(y.len())) {
        kernel.gradient(y, z, m);
        m.iter_mut().for_each(|m| *m *= 2.0);
    }
    m
}

#[test]
fn the_gradient_covariance_is_that_of_the_definition() {
    for kernel in kernels() {
        for (n, d) in [(1, 2), (5, 3), (127, 2), (128, 8), (129, 4), (300, 5), (1000, 8), (64, 33)] {
            let (rows, y) = (cloud(n, d), cloud(1, d));
            let mut s = vec![0.0; d * d];
            gradient_covariance(&kernel, &Points::from_rows(&rows, d), &y, &mut Scratch::new(d), &mut s);
            let m = gradients(&kernel, &rows, &y);
            let mean: Vec<f64> = (0..d).map(|i| m.iter().skip(i).step_by(d).sum::<f64>() / n as f64).collect();
            // M H Mᵀ, centred before it is multiplied.
            let naive = |i: usize, j: usize| m.chunks(d).map(|m| (m[i] - mean[i]) * (m[j] - mean[j])).sum::<f64>();
            let size = m.iter().map(|m| m * m).sum::<f64>();
            for (i, j) in (0..d * d).map(|k| (k / d, k % d)) {
                let error = (s[i * d + j] - naive(i, j)).abs();
                assert!(error <= 1e-12 * (1.0 + size), "{kernel:?} n={n} d={d} at {i},{j}: off by {error}");
                assert_eq!(s[i * d + j], s[j * d + i]);
            }
        }
    }
}

#[test]
fn no_points_have_no_gradient_covariance() {
    let mut s = [1.0; 4];
    gradient_covariance(&Kernel::gaussian(1.0), &Points::new(2, 10), &[0.0, 0.0], &mut Scratch::new(2), &mut s);
    assert_eq!(s, [0.0; 4]);
}

#[test]
fn directions_are_those_of_the_definition() {
    let (n, d, components) = (200, 3, 2);
    let (rows, y) = (cloud(n, d), cloud(1, d));
    let alphas: Vec<f64> = (0..components * n).map(|k| (k as f64).cos()).collect();
    for kernel in kernels() {
        let mut u = vec![0.0; components * d];
        directions(&kernel, &Points::from_rows(&rows, d), &y, &alphas, &mut Scratch::new(d), &mut u);
        let m = gradients(&kernel, &rows, &y);
        for (j, i) in (0..components * d).map(|k| (k / d, k % d)) {
            let naive: f64 = (0..n).map(|a| alphas[j * n + a] * m[a * d + i]).sum();
            assert!((u[j * d + i] - naive).abs() < 1e-10 * (1.0 + naive.abs()), "{kernel:?}");
        }
    }
}
