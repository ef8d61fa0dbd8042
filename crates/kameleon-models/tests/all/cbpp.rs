//! The estimate for the herds: right on average, as noisy as documented, smooth, and a function of its normals.

use crate::exact::{self, bias, moments};
use kameleon::random::{Purpose, stream};
use kameleon::{EvalError, Target};
use kameleon_models::posteriors::Cbpp;
use rand::RngExt;
use rand_distr::StandardNormal;

/// The maximum of the likelihood.
const BEST: [f64; 5] = [-1.3992, -0.9914, -1.1278, -1.5795, -0.43464];

fn normals(seed: u64, count: usize) -> Vec<f64> {
    let mut rng = stream(seed, 0, Purpose::Noise);
    (0..count).map(|_| rng.sample(StandardNormal)).collect()
}

/// log p̂ for each of the seeds.
fn estimates(target: &Cbpp, x: &[f64], seeds: u64) -> Vec<f64> {
    (0..seeds).map(|seed| target.log_estimate(x, &normals(seed, target.normals())).unwrap()).collect()
}

fn exactly(x: &[f64; 5]) -> f64 {
    exact::cbpp([x[0], x[1], x[2], x[3]], x[4].exp())
}

#[test]
fn the_exact_likelihood_is_that_of_the_reference() {
    // Values made with adaptive Gauss–Hermite quadrature; Laplace's approximation would give −92.0340.
    assert!((exact::cbpp([-1.4, -1.0, -1.1, -1.6], 0.65) + 91.990_233_654_48).abs() < 1e-9);
    assert!((exact::cbpp([-1.3992, -0.9914, -1.1278, -1.5795], 0.6475) + 91.983_369_037_3).abs() < 1e-6);
}

#[test]
fn many_samples_give_the_exact_likelihood() {
    // 20,000 samples for each herd: the standard deviation is below 0.01.
    let target = Cbpp::new(20_000).unwrap();
    let estimate = estimates(&target, &BEST, 1)[0];
    assert!((estimate - exactly(&BEST)).abs() < 0.05, "{estimate}");
}

#[test]
fn the_estimate_is_unbiased() {
    // At the maximum and where the random effects are strong, weak, or at odds with the coefficients. Five standard errors:
    // false alarms below 1e-5 over all points. One wrong percent in the weight of a herd is 15 percent here.
    let target = Cbpp::new(2).unwrap();
    let points = [BEST, [-1.0, -0.5, 0.0, -2.0, 1.0], [-2.0, 0.0, 0.0, 0.0, -2.0], [0.0, -2.0, -2.0, -2.0, 0.5]];
    for x in points {
        let exact = exactly(&x);
        let log_ratios: Vec<f64> = estimates(&target, &x, 40_000).iter().map(|value| value - exact).collect();
        let (off, error) = bias(&log_ratios);
        assert!(off.abs() < 5.0 && error < 0.03, "{x:?}: {off} standard errors of {error}");
    }
}

#[test]
fn the_noise_is_as_documented_and_falls_with_the_number_of_samples() {
    let sd = |n_imp: usize| moments(&estimates(&Cbpp::new(n_imp).unwrap(), &BEST, 4000)).1.sqrt();
    // Relative error of a standard deviation from 4000 values: 1.1 percent.
    let (few, many) = (sd(8), sd(128));
    assert!((few / many - 4.0).abs() < 0.3, "{few} {many}");
    assert!((sd(Cbpp::N_IMP) - 0.31).abs() < 0.02, "{}", sd(Cbpp::N_IMP));
}

#[test]
fn the_estimate_is_smooth_in_the_parameters_and_the_normals() {
    let target = Cbpp::new(2).unwrap();
    let u = normals(3, target.normals());
    let value = |x: &[f64], u: &[f64]| target.log_estimate(x, u).unwrap();
    let step = 1e-4;
    for i in 0..5 {
        let at = |k: f64| {
            let mut x = BEST;
            x[i] += k * step;
            value(&x, &u)
        };
        // The third difference of a smooth function is of order step³.
        let third = at(3.0) - 3.0 * at(2.0) + 3.0 * at(1.0) - at(0.0);
        assert!(third.abs() < 1e-8, "{i}: {third}");
    }
    let moved: Vec<f64> = u.iter().map(|u| u + 1e-6).collect();
    assert!((value(&BEST, &moved) - value(&BEST, &u)).abs() < 1e-4);
}

#[test]
fn the_prior_is_a_density() {
    // Five independent normals: four of standard deviation 5 and one of 1.
    let target = Cbpp::new(1).unwrap();
    let constant = -4.0 * 5f64.ln() - 2.5 * std::f64::consts::TAU.ln();
    assert!((target.log_prior(&[0.0; 5]).unwrap() - constant).abs() < 1e-12);
    assert!((target.log_prior(&[5.0, -10.0, 0.0, 0.0, 3.0]).unwrap() - constant + 7.0).abs() < 1e-12);
}

#[test]
fn what_cannot_be_computed_is_told() {
    assert_eq!(Cbpp::new(0).unwrap_err().to_string(), "n-imp: must be from 1 to 1000000, not 0");
    let target = Cbpp::new(2).unwrap();
    let u = normals(1, target.normals());
    assert!(matches!(target.log_estimate(&[0.0; 4], &u), Err(EvalError::Fatal(_))));
    assert!(matches!(target.log_estimate(&BEST, &u[1..]), Err(EvalError::Fatal(_))));
    for extreme in [1e3, -1e3, 1e300, f64::NAN] {
        for i in 0..5 {
            let mut x = BEST;
            x[i] = extreme;
            assert!(!matches!(target.log_estimate(&x, &u), Err(EvalError::Fatal(_))), "{x:?}");
        }
    }
    let tiny_effects = target.log_estimate(&[-1.4, -1.0, -1.1, -1.6, -20.0], &u).unwrap();
    assert!((tiny_effects - exact::cbpp([-1.4, -1.0, -1.1, -1.6], 1e-9)).abs() < 1.0);
}
