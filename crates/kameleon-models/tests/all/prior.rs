//! Priors have the density they claim, integrate to one, and are drawn from correctly.

use crate::common::{evaluate, names};
use kameleon::diagnose::kolmogorov_smirnov_uniform;
use kameleon::random::{Purpose, stream};
use kameleon::{Evaluation, Target};
use kameleon_models::{Bound, Expression, Prior, WithPrior};
use spec_math::{Gamma, NormDist};
use std::f64::consts::PI;

const PRIORS: [&str; 9] = [
    "normal(1.5, 2)",
    "uniform(-1, 3)",
    "gamma(2.5, 0.5)",
    "gamma(0.3, 4)",
    "gamma(200, 10)",
    "beta(2, 5)",
    "beta(0.5, 0.5)",
    "half-cauchy(2.5)",
    "log-normal(0.5, 0.75)",
];

fn prior(text: &str) -> Prior {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// P(X ≤ x), written apart from the densities.
fn distribution(text: &str, x: f64) -> f64 {
    match text {
        "normal(1.5, 2)" => ((x - 1.5) / 2.0).norm_cdf(),
        "uniform(-1, 3)" => (x + 1.0) / 4.0,
        "gamma(2.5, 0.5)" => 2.5.igamma(0.5 * x),
        "gamma(0.3, 4)" => 0.3.igamma(4.0 * x),
        "gamma(200, 10)" => 200.0.igamma(10.0 * x),
        "beta(2, 5)" => 1.0 - (1.0 - x).powi(6) - 6.0 * x * (1.0 - x).powi(5),
        "beta(0.5, 0.5)" => 2.0 / PI * x.sqrt().asin(),
        "half-cauchy(2.5)" => 2.0 / PI * (x / 2.5).atan(),
        "log-normal(0.5, 0.75)" => ((x.ln() - 0.5) / 0.75).norm_cdf(),
        other => panic!("{other}"),
    }
}

#[test]
fn log_densities_agree_with_scipy() {
    let table = include_str!("../prior_values.csv");
    let mut count = 0;
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(';').collect();
        let (x, wanted): (f64, f64) = (fields[1].parse().unwrap(), fields[2].parse().unwrap());
        let found = prior(fields[0]).log_density(x);
        let close = (found - wanted).abs() <= 1e-12 * wanted.abs().max(1.0);
        assert!(found == wanted || close, "{line}: {found}");
        count += 1;
    }
    assert!(count > 100);
}

#[test]
fn every_density_integrates_to_one() {
    for text in PRIORS {
        // Over the real line, through the same substitution as bounded sampling; the midpoint rule is very exact there.
        let prior = prior(text);
        let flat = WithPrior::new(|_: &[f64]| 0.0, vec![Some(prior)]).unwrap();
        let mut target = kameleon_models::Bounded::new(flat, vec![prior.support()]).unwrap();
        let (wide, step) = (400.0, 0.002);
        let count = (2.0 * wide / step) as usize;
        let density = |i: usize| evaluate(&mut target, &[-wide + (i as f64 + 0.5) * step]).unwrap().exp();
        let total: f64 = (0..count).map(density).sum::<f64>() * step;
        assert!((total - 1.0).abs() < 1e-6, "{text}: {total}");
    }
}

#[test]
fn draws_follow_the_distribution() {
    // 20,000 draws of each, p > 1e-6: false alarms below 1e-5 over all.
    for (i, text) in PRIORS.into_iter().enumerate() {
        let mut rng = stream(5, i as u64, Purpose::Start);
        let prior = prior(text);
        let draws: Vec<f64> = (0..20_000).map(|_| prior.sample(&mut rng)).collect();
        assert!(
            draws.iter().all(|&x| prior.log_density(x) > f64::NEG_INFINITY && prior.support().contains(x)),
            "{text}"
        );
        let mut levels: Vec<f64> = draws.iter().map(|&x| distribution(text, x)).collect();
        let p = kolmogorov_smirnov_uniform(&mut levels);
        assert!(p > 1e-6, "{text}: p = {p}");
    }
}

#[test]
fn draws_of_extreme_priors_stay_inside_the_support() {
    for text in ["beta(0.001, 0.001)", "gamma(0.001, 1)", "log-normal(0, 500)", "half-cauchy(1e300)"] {
        let (prior, mut rng) = (prior(text), stream(5, 0, Purpose::Start));
        for _ in 0..2_000 {
            let x = prior.sample(&mut rng);
            assert!(prior.support().contains(x) && prior.log_density(x).is_finite(), "{text}: {x}");
        }
    }
}

#[test]
fn the_ends_of_the_support_are_finite_or_outside() {
    assert_eq!(prior("uniform(-1, 3)").log_density(3.0), -4f64.ln());
    assert_eq!(prior("uniform(-1, 3)").log_density(3.1), f64::NEG_INFINITY);
    assert!(prior("half-cauchy(1)").log_density(0.0).is_finite());
    assert!(prior("half-cauchy(1)").log_density(1e200).is_finite());
    for text in ["gamma(0.5, 1)", "gamma(1, 1)", "beta(0.5, 0.5)", "log-normal(0, 1)"] {
        assert_eq!(prior(text).log_density(0.0), f64::NEG_INFINITY, "{text}");
    }
    for text in PRIORS {
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(prior(text).log_density(x), f64::NEG_INFINITY, "{text} at {x}");
        }
    }
    assert_eq!(prior("beta(2, 5)").support(), Bound::between(0.0, 1.0).unwrap());
    assert_eq!(prior("normal(0, 1)").support(), Bound::FREE);
}

#[test]
fn priors_are_read_and_written_as_text() {
    for text in PRIORS {
        let prior = prior(text);
        assert_eq!(prior.to_string().parse::<Prior>().unwrap(), prior);
        let json = serde_json::to_string(&prior).unwrap();
        assert_eq!(serde_json::from_str::<Prior>(&json).unwrap(), prior);
    }
    assert_eq!(prior(" half_cauchy( 2 ) ").to_string(), "half-cauchy(2.0)");
    assert_eq!(prior("normal(-1e300, 1e-300)").to_string(), "normal(-1e300, 1e-300)");
}

#[test]
fn what_is_wrong_with_a_prior_is_named() {
    for (text, why) in [
        ("normal", "is none of normal(mean, sd), uniform(lower, upper), gamma(shape, rate)"),
        ("cauchy(1)", "is none of"),
        ("normal(0, 1", "is none of"),
        ("normal(0)", "normal takes mean and sd as numbers"),
        ("normal(0, one)", "normal takes mean and sd as numbers"),
        ("half-cauchy(1, 2)", "half-cauchy takes scale as numbers"),
        ("normal(0, 0)", "sd must be positive and finite, not 0"),
        ("normal(nan, 1)", "mean must be finite"),
        ("uniform(2, 1)", "lower, 2, must be less than upper, 1"),
        ("uniform(0, inf)", "upper must be finite"),
        ("gamma(-1, 1)", "shape must be positive"),
        ("gamma(1, 0)", "rate must be positive"),
        ("beta(0, 1)", "alpha must be positive"),
        ("beta(1, inf)", "beta must be positive and finite"),
        ("half-cauchy(0)", "scale must be positive"),
        ("log-normal(0, -1)", "sigma must be positive"),
    ] {
        let found = text.parse::<Prior>().unwrap_err().to_string();
        assert!(found.contains(why), "{text}: {found}");
    }
}

#[test]
fn a_prior_is_added_and_outside_it_the_model_is_not_asked() {
    let mut calls = 0;
    let inner = |x: &[f64]| -> Evaluation {
        calls += 1;
        Ok(-x[0])
    };
    let mut target = WithPrior::new(inner, vec![Some(prior("gamma(2, 1)")), None]).unwrap();
    assert_eq!(target.dim(), Some(2));
    assert_eq!(target.priors().len(), 2);
    let found = evaluate(&mut target, &[3.0, -9.0]).unwrap();
    assert!((found - (3f64.ln() - 3.0 - 3.0)).abs() < 1e-14);
    assert_eq!(evaluate(&mut target, &[-1.0, 0.0]).unwrap(), f64::NEG_INFINITY);
    drop(target);
    assert_eq!(calls, 1);
    let expression = Expression::new("x1", &names(2)).unwrap();
    let wrong = WithPrior::new(expression, vec![None]).unwrap_err().to_string();
    assert_eq!(wrong, "priors: there are 1 where the target has 2 parameters");
}
