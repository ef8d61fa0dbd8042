//! Priors have the density and the distribution they claim, and what is wrong with one is said.

use crate::common::{evaluate, names};
use kameleon::diagnose::kolmogorov_smirnov_uniform;
use kameleon::random::{Purpose, stream};
use kameleon::{Evaluation, Target};
use kameleon_models::{Bound, Expression, Prior, WithPrior, prior};

/// Rows of a prior, x, its log density and its distribution function at x.
const SCIPY: &str = include_str!("../prior_values.csv");

fn read(text: &str) -> Prior {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// The priors in the table of scipy's values.
fn priors() -> Vec<&'static str> {
    let mut found: Vec<&str> = SCIPY.lines().skip(1).map(|line| line.split(';').next().unwrap()).collect();
    found.dedup();
    found
}

#[test]
fn every_prior_is_compared_with_scipy() {
    for line in prior::list().lines() {
        let name = line.trim().split('(').next().unwrap();
        assert!(priors().iter().any(|text| text.split('(').next() == Some(name)), "{name}");
    }
}

#[test]
fn densities_and_distribution_functions_agree_with_scipy() {
    for line in SCIPY.lines().skip(1) {
        let (text, numbers) = line.split_once(';').unwrap();
        let numbers: Vec<f64> = numbers.split(';').map(|number| number.parse().unwrap()).collect();
        let [x, log_density, cdf] = numbers[..] else { panic!("{line}") };
        let found = read(text).log_density(x);
        let close = (found - log_density).abs() <= 1e-12 * log_density.abs().max(1.0);
        assert!(found == log_density || close, "{line}: {found}");
        let found = read(text).cdf(x);
        assert!((found - cdf).abs() <= 2e-12 * cdf, "{line}: {found}");
    }
}

#[test]
fn every_density_integrates_to_one() {
    for text in priors() {
        // The midpoint rule is very accurate on the real line, after a substitution that makes the tails light.
        let prior = read(text);
        let (median, width) = (prior.quantile(0.5), prior.quantile(0.75) - prior.quantile(0.5));
        let density = |u: f64| {
            let free = prior.support() == Bound::FREE;
            let (x, log_jacobian) = match free {
                true => (median + width * u.sinh(), (width * u.cosh()).ln()),
                false => prior.support().bounded(u),
            };
            (prior.log_density(x) + log_jacobian).exp()
        };
        let (wide, step) = (400.0, 0.002);
        let total: f64 = (0..(2.0 * wide / step) as usize).map(|i| density((i as f64 + 0.5) * step - wide)).sum();
        assert!((total * step - 1.0).abs() < 1e-6, "{text}: {}", total * step);
    }
}

/// Intervals that cut a prior: in the middle, in both tails, and where both ends are on one side of the median.
fn cuts(prior: &Prior) -> Vec<Bound> {
    let levels = [
        (Some(0.3), Some(0.7)),
        (Some(0.9), None),
        (None, Some(0.1)),
        (Some(0.99), None),
        (None, Some(1e-9)),
        (Some(0.01), Some(0.02)),
        (Some(0.97), Some(0.99)),
    ];
    let ends = prior.support();
    let at = |level: Option<f64>, end| level.map(|p| prior.quantile(p)).or(end);
    levels.into_iter().map(|(a, b)| Bound::new(at(a, ends.lower()), at(b, ends.upper())).unwrap()).collect()
}

#[test]
fn a_prior_that_bounds_cut_integrates_to_one() {
    for text in priors() {
        let prior = read(text);
        for bound in cuts(&prior) {
            let target = WithPrior::within(|_: &[f64]| 0.0, vec![Some(prior)], &[bound]).unwrap();
            let density = |u: f64| {
                let (x, log_jacobian) = bound.bounded(u);
                (target.log_prior(&[x]) + log_jacobian).exp()
            };
            let (wide, step) = (400.0, 0.01);
            let total: f64 = (0..(2.0 * wide / step) as usize).map(|i| density((i as f64 + 0.5) * step - wide)).sum();
            assert!((total * step - 1.0).abs() < 1e-6, "{text} within {bound:?}: {}", total * step);
            let outside = bound.upper().map_or_else(|| bound.lower().unwrap() - 1.0, |b| b + 1.0);
            assert_eq!(target.log_prior(&[outside]), f64::NEG_INFINITY);
        }
    }
}

#[test]
fn the_mass_within_bounds_is_accurate_in_both_tails_and_in_narrow_intervals() {
    // The values are those of mpmath with 50 digits.
    for (text, lower, upper, log_mass) in [
        ("normal(0, 1)", Some(30.0), None, -454.3212439563),
        ("normal(0, 1)", None, Some(-30.0), -454.3212439563),
        ("normal(0, 1)", Some(8.0), Some(8.1), -35.59634237384),
        ("normal(0, 1)", Some(0.1), Some(0.1000000000009095), -28.6498257556),
        ("normal(0, 1)", Some(-1e-09), Some(1e-09), -20.94905718959),
        ("student-t(4, 0.5, 2)", Some(100000.0), None, -42.18048085159),
        ("cauchy(0.5, 2.5)", Some(1e9), None, -20.95170499042),
        ("gamma(2.5, 0.5)", Some(300.0), None, -142.7587467046),
        ("gamma(200, 10)", None, Some(1.0), -412.6639506692),
        ("inverse-gamma(2.5, 0.5)", Some(1000000.0), None, -37.4726183058),
        ("half-cauchy(2.5)", Some(1e12), None, -27.16631308934),
        ("log-normal(0.5, 0.75)", Some(100000000.0), None, -289.5616962004),
        ("beta(2, 5)", Some(0.9999), None, -44.26002572746),
        ("exponential(0.5)", Some(1000.0), Some(1001.0), -500.9327521296),
        ("triangular(-2, 0.5, 4)", Some(3.999), None, -16.86003299569),
    ] {
        let bound = Bound::new(lower, upper).unwrap();
        let found = read(text).log_mass(bound).unwrap();
        assert!((found - log_mass).abs() < 1e-10 * log_mass.abs(), "{text} within {bound:?}: {found}, not {log_mass}");
    }
    assert_eq!(read("normal(0, 1)").log_mass(Bound::FREE).unwrap(), 0.0);
    assert_eq!(read("gamma(2, 1)").log_mass(Bound::above(-3.0).unwrap()).unwrap(), 0.0);
    for (text, lower, upper) in [
        ("normal(0, 1)", Some(50.0), None),
        ("normal(0, 1)", None, Some(-50.0)),
        ("normal(0, 1)", Some(50.0), Some(51.0)),
        ("exponential(1)", Some(800.0), None),
        ("uniform(0, 1)", Some(2.0), Some(3.0)),
        ("gamma(2, 1)", None, Some(-1.0)),
    ] {
        let bound = Bound::new(lower, upper).unwrap();
        let why = read(text).log_mass(bound).unwrap_err().to_string();
        assert!(WithPrior::within(|_: &[f64]| 0.0, vec![Some(read(text))], &[bound]).is_err());
        assert!(why.starts_with("prior ") && why.contains("has no mass"), "{why}");
    }
}

#[test]
fn the_quantile_function_inverts_the_distribution_function() {
    for text in priors() {
        for p in [1e-9, 0.003, 0.25, 0.5, 0.9, 0.9999] {
            let x = read(text).quantile(p);
            let [below, at] = [x.next_down(), x].map(|x| read(text).cdf(x));
            assert!(below <= p && p <= at && at - p < 1e-7, "{text} at {p}: {below}, {at}");
        }
        let support = read(text).support();
        assert!([-1.0, 0.0, 1.0, 2.0].into_iter().all(|p| support.contains(read(text).quantile(p))), "{text}");
        let ends = [f64::NEG_INFINITY, f64::INFINITY].map(|x| read(text).cdf(x));
        assert!(ends == [0.0, 1.0] && read(text).cdf(f64::NAN).is_nan(), "{text}");
    }
}

#[test]
fn draws_follow_the_distribution() {
    // 20,000 draws of each, p > 1e-6: false alarms below 3e-5 in all.
    for (i, text) in priors().into_iter().enumerate() {
        let (prior, mut rng) = (read(text), stream(5, i as u64, Purpose::Start));
        let draws: Vec<f64> = (0..20_000).map(|_| prior.sample(&mut rng)).collect();
        assert!(draws.iter().all(|&x| prior.log_density(x).is_finite() && prior.support().contains(x)), "{text}");
        let mut levels: Vec<f64> = draws.iter().map(|&x| prior.cdf(x)).collect();
        let p = kolmogorov_smirnov_uniform(&mut levels);
        assert!(p > 1e-6, "{text}: p = {p}");
    }
}

#[test]
fn draws_of_extreme_priors_stay_inside_the_support() {
    for text in [
        "beta(0.001, 0.001)",
        "gamma(0.001, 1)",
        "gamma(1e300, 1e-5)",
        "inverse-gamma(0.001, 1)",
        "log-normal(0, 500)",
        "half-cauchy(1e300)",
        "student-t(0.01, 0, 1)",
        "student-t(1e12, 0, 1)",
        "truncated-normal(0, 1, 30, inf)",
        "log-uniform(1e-300, 1)",
        "triangular(-1e-320, 0, 1)",
    ] {
        let (prior, mut rng) = (read(text), stream(5, 0, Purpose::Start));
        for _ in 0..2_000 {
            let x = prior.sample(&mut rng);
            assert!(prior.support().contains(x) && prior.log_density(x).is_finite(), "{text}: {x}");
        }
    }
}

#[test]
fn an_end_of_the_support_belongs_to_it_where_the_density_is_finite() {
    assert_eq!(read("uniform(-1, 3)").log_density(3.0), -4f64.ln());
    assert_eq!(read("uniform(-1, 3)").log_density(3.1), f64::NEG_INFINITY);
    assert_eq!(read("triangular(0, 0, 4)").log_density(0.0), 0.5f64.ln());
    for text in ["half-cauchy(1)", "half-normal(1)", "exponential(1)", "truncated-normal(0, 1, 0, inf)"] {
        assert!(read(text).log_density(0.0).is_finite(), "{text}");
    }
    assert!(read("half-cauchy(1)").log_density(1e200).is_finite());
    for text in ["gamma(0.5, 1)", "gamma(1, 1)", "beta(0.5, 0.5)", "log-normal(0, 1)", "inverse-gamma(1, 1)"] {
        assert_eq!(read(text).log_density(0.0), f64::NEG_INFINITY, "{text}");
    }
    for text in priors() {
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(read(text).log_density(x), f64::NEG_INFINITY, "{text} at {x}");
        }
    }
}

#[test]
fn the_support_gives_the_bounds() {
    for (text, lower, upper) in [
        ("normal(0, 1)", None, None),
        ("gamma(1, 1)", Some(0.0), None),
        ("beta(2, 5)", Some(0.0), Some(1.0)),
        ("truncated-normal(0, 1, -inf, 2)", None, Some(2.0)),
        ("triangular(-1, 0, 2)", Some(-1.0), Some(2.0)),
    ] {
        assert_eq!(read(text).support(), Bound::new(lower, upper).unwrap(), "{text}");
    }
}

#[test]
fn priors_are_read_and_written_as_text() {
    for text in priors() {
        let prior = read(text);
        assert_eq!(prior.to_string().parse::<Prior>().unwrap(), prior);
        let json = serde_json::to_string(&prior).unwrap();
        assert_eq!(serde_json::from_str::<Prior>(&json).unwrap(), prior);
    }
    assert_eq!(read(" half_cauchy( 2 ) ").to_string(), "half-cauchy(2.0)");
    assert_eq!(read("normal(-1e300, 1e-300)").to_string(), "normal(-1e300, 1e-300)");
    assert_eq!(read("student-t(3, 0, 1)"), Prior::new("student-t", &[3.0, 0.0, 1.0]).unwrap());
    assert_ne!(read("half-normal(1)"), read("half-cauchy(1)"));
}

#[test]
fn names_of_priors_may_have_capital_letters() {
    let read = |text: &str| text.parse::<Prior>().unwrap();
    assert_eq!(read("Normal(0, 1)"), read("normal(0, 1)"));
    assert_eq!(read("HalfCauchy(1)"), read("half-cauchy(1)"));
    assert_eq!(read("STUDENT_T(3, 0, 1)"), read("student-t(3, 0, 1)"));
}

#[test]
fn what_is_wrong_with_a_prior_is_named() {
    for (text, why) in [
        (
            "norml(0, 1)",
            "prior `norml(0, 1)`: unknown; choose one of normal(mean, sd), student-t(freedom, location, scale)",
        ),
        ("", "unknown"),
        ("flat", "prior `flat`: a parameter without a prior has a flat one: leave it out"),
        ("normal", "prior `normal`: write it as normal(mean, sd), with numbers"),
        ("normal(0, 1", "write it as normal(mean, sd)"),
        ("normal(0)", "prior normal: takes 2 numbers (mean, sd), not 1"),
        ("normal(0, one)", "`one` is not a number; normal takes 2 numbers (mean, sd)"),
        ("half-cauchy()", "`` is not a number"),
        ("half-cauchy(1, 2)", "half-cauchy: takes 1 number (scale), not 2"),
        ("truncated-normal(0, 1, 2, 3, 4)", "takes 4 numbers (mean, sd, lower, upper), not 5"),
        ("normal(0, 0)", "sd must be positive and finite, not 0"),
        ("normal(nan, 1)", "mean must be finite"),
        ("student-t(0, 0, 1)", "freedom must be positive"),
        ("uniform(2, 1)", "lower, 2, must be less than upper, 1"),
        ("uniform(0, inf)", "upper must be finite"),
        ("uniform(-1e308, 1e308)", "too far apart"),
        ("triangular(0, 3, 2)", "mode, 3, must be between lower, 0, and upper, 2"),
        ("triangular(2, 2, 2)", "lower, 2, must be less than upper, 2"),
        ("truncated-normal(0, 1, 2, 1)", "lower, 2, must be less than upper, 1"),
        ("truncated-normal(0, 1, 0, nan)", "upper must be a number or infinite, not NaN"),
        ("truncated-normal(0, 1, 50, inf)", "the limits are too far out in the tail"),
        ("gamma(-1, 1)", "shape must be positive"),
        ("gamma(1, 0)", "rate must be positive"),
        ("gamma(1e308, 1)", "beyond the range of floating-point numbers"),
        ("beta(1, inf)", "beta must be positive and finite"),
        ("half-cauchy(0)", "scale must be positive"),
        ("log-normal(0, -1)", "sigma must be positive"),
        ("log-uniform(0, 1)", "lower must be positive"),
    ] {
        let found = text.parse::<Prior>().unwrap_err().to_string();
        assert!(found.contains(why), "{text}: {found}");
    }
    assert!(Prior::new("norml", &[0.0]).unwrap_err().to_string().contains("choose one of"));
}

#[test]
fn a_prior_is_added_and_outside_it_the_model_is_not_asked() {
    let mut calls = 0;
    let inner = |x: &[f64]| -> Evaluation {
        calls += 1;
        Ok(-x[0])
    };
    let mut target = WithPrior::new(inner, vec![Some(read("gamma(2, 1)")), None]).unwrap();
    assert_eq!(target.dim(), Some(2));
    let found = evaluate(&mut target, &[3.0, -9.0]).unwrap();
    assert!((found - (3f64.ln() - 3.0 - 3.0)).abs() < 1e-14);
    assert_eq!(evaluate(&mut target, &[-1.0, 0.0]).unwrap(), f64::NEG_INFINITY);
    drop(target);
    assert_eq!(calls, 1);
    let expression = Expression::new("x1", &names(2)).unwrap();
    let wrong = WithPrior::new(expression, vec![None]).unwrap_err().to_string();
    assert_eq!(wrong, "priors: 1 given for 2 parameters of the target");
}
