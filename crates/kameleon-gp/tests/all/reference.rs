//! The approximations and the estimate against values computed independently (NumPy, scikit-learn, GPy).

use crate::common::{Case, log_mean_exp, mean_sd, normals, reference};
use kameleon::Target;
use kameleon_gp::{
    Approximation, Dataset, GpClassification, Inputs, Likelihood, Settings, Standardise, Transform, glass,
};

const BOTH: [Approximation; 2] = [Approximation::Laplace, Approximation::Ep];

fn target(case: &Case, settings: Settings) -> GpClassification {
    GpClassification::new(&glass(), Settings { standardise: case.standardise, ..settings }).unwrap()
}

fn jittered(jitter: &str, approximation: Approximation) -> Settings {
    Settings { jitter: jitter.parse().unwrap(), approximation, ..Settings::default() }
}

#[test]
fn k_has_the_entries_and_sums_of_the_reference() {
    for case in reference().cases {
        let mut target = target(&case, jittered("1e-8", Approximation::Laplace));
        let k = target.covariance(&case.theta).unwrap();
        let (n, expected) = (214, &case.k);
        let entry = |i: usize, j: usize| k[(j - 1) * n + i - 1];
        let sum = k.iter().sum::<f64>() - n as f64 * 1e-8;
        let squares = k.iter().map(|k| k * k).sum::<f64>() - n as f64 * 2e-8;
        for (ours, theirs) in [
            (entry(1, 2), expected.k_1_2),
            (entry(214, 1), expected.k_1_214),
            (entry(100, 200), expected.k_100_200),
            (sum, expected.sum),
            (squares, expected.frob2),
        ] {
            assert!((ours / theirs - 1.0).abs() < 1e-11, "{}: {ours} {theirs}", case.name);
        }
    }
}

#[test]
fn laplace_is_within_1e_8_of_the_reference() {
    for case in reference().cases {
        for (jitter, expected) in &case.laplace {
            let value = target(&case, jittered(jitter, Approximation::Laplace)).log_marginal(&case.theta).unwrap();
            assert!((value - expected).abs() < 1e-8, "{} {jitter}: {value} {expected}", case.name);
        }
    }
}

#[test]
fn ep_is_within_1e_6_of_the_reference() {
    for case in reference().cases {
        for (jitter, expected) in &case.ep {
            let value = target(&case, jittered(jitter, Approximation::Ep)).log_marginal(&case.theta).unwrap();
            assert!((value - expected).abs() < 1e-6, "{} {jitter}: {value} {expected}", case.name);
        }
    }
}

#[test]
fn the_probit_likelihood_agrees_too() {
    for case in reference().cases {
        let Some(probit) = &case.probit else { continue };
        for (approximation, expected) in
            [(Approximation::Laplace, probit.probit_laplace), (Approximation::Ep, probit.probit_ep)]
        {
            let settings = Settings { likelihood: Likelihood::Probit, ..jittered("1e-8", approximation) };
            let value = target(&case, settings).log_marginal(&case.theta).unwrap();
            assert!((value - expected).abs() < 1e-6, "{} {approximation:?}: {value} {expected}", case.name);
        }
    }
}

#[test]
fn the_estimate_is_within_four_standard_errors_of_the_truth() {
    // 22 comparisons at 4 s.e., the s.e. itself from 40 replicates: about 1 false alarm in 170 seeds; the seed is fixed.
    for approximation in BOTH {
        for case in reference().cases {
            let settings = Settings { approximation, n_imp: 1000, ..Settings::default() };
            let mut target = target(&case, settings);
            let estimate = |i| {
                let u = normals(1, i, target.normals());
                target.log_estimate(&case.theta, &u).unwrap()
            };
            let (value, se) = log_mean_exp(&(0..40).map(estimate).collect::<Vec<_>>());
            let error = (value - case.truth.value) / f64::hypot(se, case.truth.se);
            assert!(error.abs() < 4.0, "{} {approximation:?}: {value} ± {se}, off by {error} s.e.", case.name);
            assert!(se < 0.02, "{} {approximation:?}: ± {se}", case.name);
        }
    }
}

#[test]
fn one_sample_has_the_noise_it_is_known_for() {
    for (approximation, most) in [(Approximation::Laplace, 0.85), (Approximation::Ep, 0.35)] {
        for case in reference().cases {
            let settings = Settings { approximation, n_imp: 4000, antithetic: false, ..Settings::default() };
            let mut target = target(&case, settings);
            let u = normals(2, 0, target.normals());
            target.log_estimate(&case.theta, &u).unwrap();
            let (_, sd) = mean_sd(target.log_weights());
            assert!(sd < most, "{} {approximation:?}: {sd}", case.name);
        }
    }
}

#[test]
fn three_rows_agree_with_quadrature() {
    let data = glass();
    let scaled = Transform::fit(Standardise::Zscore, data.inputs()).unwrap().apply(data.inputs());
    for exact in reference().exact {
        let pick = |column: &[f64]| exact.rows_1based.iter().map(|i| column[i - 1]).collect::<Vec<_>>();
        // A column that is constant over the three rows adds nothing to distances, and would be refused.
        let varies = |d: &usize| pick(scaled.column(*d)).iter().any(|x| *x != pick(scaled.column(*d))[0]);
        let columns: Vec<usize> = (0..scaled.dim()).filter(varies).collect();
        let names = columns.iter().map(|&d| scaled.names()[d].clone()).collect();
        let theta: Vec<f64> = columns.iter().map(|&d| exact.theta[d]).collect();
        let inputs = Inputs::new(names, columns.iter().flat_map(|&d| pick(scaled.column(d))).collect()).unwrap();
        let small = Dataset::new(inputs, pick(data.y())).unwrap();
        for (approximation, expected) in [(Approximation::Laplace, exact.laplace), (Approximation::Ep, exact.ep)] {
            let settings =
                Settings { approximation, standardise: Standardise::None, n_imp: 10_000, ..Settings::default() };
            let mut target = GpClassification::new(&small, settings).unwrap();
            let value = target.log_marginal(&theta).unwrap();
            assert!((value - expected).abs() < 1e-7, "{approximation:?}: {value} {expected}");
            let estimate = |i| {
                let u = normals(3, i, target.normals());
                target.log_estimate(&theta, &u).unwrap()
            };
            let (value, se) = log_mean_exp(&(0..100).map(estimate).collect::<Vec<_>>());
            assert!((value - exact.exact).abs() < 3.0 * se, "{approximation:?}: {value} ± {se}, {}", exact.exact);
        }
    }
}
