//! The exact posteriors have the likelihood of their formulae and their data: as scipy computes it, and as published fits say.
//! Their draws have the means that quadrature and long runs give.

use crate::common::evaluate;
use kameleon::diagnose::summarise;
use kameleon::random::{Purpose, stream};
use kameleon::{Control, Evaluation, Plan, Target, Warmup, sample};
use kameleon_models::posteriors::{EXACT, Exact, entries, exact};
use std::collections::HashSet;

/// Rows of a posterior, its log likelihood at x, and x.
const SCIPY: &str = include_str!("../posterior_values.csv");

/// Rows of a posterior, a parameter, its mean and standard deviation, and the error of the mean.
const MEANS: &str = include_str!("../posterior_means.csv");

fn log_likelihood(name: &str, x: &[f64]) -> f64 {
    evaluate(&mut exact(name).unwrap().log_likelihood().unwrap(), x).unwrap()
}

#[test]
fn every_likelihood_agrees_with_scipy() {
    let mut seen = HashSet::new();
    for line in SCIPY.lines().skip(1) {
        let [name, value, x] = line.split(';').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let x: Vec<f64> = x.split(' ').map(|number| number.parse().unwrap()).collect();
        let (value, found) = (value.parse::<f64>().unwrap(), log_likelihood(name, &x));
        assert!(
            (found - value).abs() < 1e-9 * value.abs() + if name == "lynx-hare" { 1e-6 } else { 0.0 },
            "{line}: {found}"
        );
        seen.insert(name);
    }
    assert!(EXACT.iter().all(|posterior| seen.contains(posterior.entry.name)));
}

#[test]
fn every_parameter_has_a_proper_prior_and_most_of_its_draws_a_likelihood() {
    for posterior in EXACT {
        let (name, dim) = (posterior.entry.name, posterior.parameters.len());
        let mut target = posterior.posterior().unwrap();
        let names: Vec<String> = posterior.parameters.iter().map(|(name, _)| (*name).into()).collect();
        assert_eq!(target.names(dim), names, "{name}");
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), dim, "{name}");
        let mut rng = stream(1, 0, Purpose::Start);
        let priors = posterior.priors().unwrap();
        let mut finite = || {
            let x: Vec<f64> = priors.iter().map(|prior| prior.sample(&mut rng)).collect();
            let u = target.to_unbounded(&x).unwrap();
            evaluate(&mut target, &u).is_ok_and(f64::is_finite)
        };
        let count = (0..200).filter(|_| finite()).count();
        assert!(count >= 199, "{name}: {count} of 200");
    }
}

#[test]
fn names_are_found_in_any_case_and_no_two_are_the_same() {
    assert_eq!(exact("Eight_Schools").unwrap().entry.name, "eight-schools");
    assert!(exact("cbpp").is_none());
    let names: HashSet<&str> = entries().map(|entry| entry.name).collect();
    assert_eq!(names.len(), entries().count());
    assert_eq!(names.len(), EXACT.len() + 2);
}

#[test]
fn a_point_of_the_wrong_length_is_an_error() {
    let found: Evaluation = evaluate(&mut exact("nile").unwrap().log_likelihood().unwrap(), &[1000.0, 100.0]);
    assert!(found.unwrap_err().to_string().contains("3 coordinates, not 2"));
}

/// The derivative of the log likelihood by each coordinate, over its curvature: how far off the maximum is, in standard errors.
fn steps_to_maximum(name: &str, x: &[f64]) -> Vec<f64> {
    let at = |i: usize, step: f64| {
        let mut moved = x.to_vec();
        moved[i] += step;
        log_likelihood(name, &moved)
    };
    let steps = (0..x.len()).map(|i| {
        let h = 1e-3 * x[i].abs().max(0.01);
        let (up, middle, down) = (at(i, h), at(i, 0.0), at(i, -h));
        let (slope, curvature) = ((up - down) / (2.0 * h), (2.0 * middle - up - down) / (h * h));
        slope / curvature.sqrt()
    });
    steps.collect()
}

/// W. Venables and B. Ripley, Modern Applied Statistics with S, 4th ed. (2002), section 7.2: coefficients with five digits, in the
/// units of the table, and the residual deviance 195.48.
#[test]
fn birth_weight_has_its_maximum_where_the_textbook_says() {
    let mut b = [0.82302, -0.03723, -0.01565, 1.19241, 0.74069, 0.75553, 1.34376, 1.91317, 0.68019, -0.43638, 0.17901];
    // Means and standard deviations of age and weight.
    let (age, lwt) = ((23.238_095, 5.298_678), (129.814_815, 30.579_380));
    b[0] += b[1] * age.0 + b[2] * lwt.0;
    (b[1], b[2]) = (b[1] * age.1, b[2] * lwt.1);
    assert!((-2.0 * log_likelihood("birth-weight", &b) - 195.48).abs() < 0.005);
    let steps = steps_to_maximum("birth-weight", &b);
    assert!(steps.iter().all(|step| step.abs() < 0.01), "{steps:?}");
}

/// The certificate of NIST for Thurber: the residual sum of squares 5642.7082397 at the certified values.
#[test]
fn thurber_has_the_certified_sum_of_squares() {
    let b = [1288.1396800, 1491.0792535, 583.23836877, 75.416644291, 0.96629502864, 0.39797285797, 0.049727297349];
    // The likelihoods at two standard deviations give the sum of squares alone.
    let at = |sigma: f64| log_likelihood("thurber", &[&b[..], &[sigma]].concat());
    let squares = 2.0 * (at(20.0) - at(10.0) + 37.0 * 2f64.ln()) / (1.0 / 100.0 - 1.0 / 400.0);
    assert!((squares - 5642.7082397).abs() < 1e-5, "{squares}");
}

/// J. Durbin and S. Koopman, Time Series Analysis by State Space Methods (2001), section 2.10: variances 15099 and 1469.1. With a
/// flat prior on the level, integrated out, the log likelihood there is −632.5456 (the function `logLik` of the R package KFAS).
#[test]
fn nile_has_the_diffuse_likelihood_of_the_textbook() {
    let at = |level: f64| log_likelihood("nile", &[level, 15099f64.sqrt(), 1469.1f64.sqrt()]);
    // It is a Gaussian in the level.
    let (low, middle, high) = (at(1000.0), at(1100.0), at(1200.0));
    let curvature = (2.0 * middle - low - high) / 1e4;
    let slope = (high - low) / 200.0;
    let integral = middle + 0.5 * slope * slope / curvature + 0.5 * (std::f64::consts::TAU / curvature).ln();
    assert!((integral + 632.5456).abs() < 1e-4, "{integral}");
}

/// The function `lm` of R on `stackloss` (the example of its help page): coefficients −39.9197, 0.7156, 1.2953, −0.1521. With many
/// degrees of freedom the errors are normal, and the maximum is that of least squares.
#[test]
fn stack_loss_has_its_least_squares_where_r_says() {
    let (air, water, acid) = ((60.428_571, 9.168_268), (21.095_238, 3.160_771), (86.285_714, 5.358_571));
    let b = [0.7156, 1.2953, -0.1521];
    let intercept = -39.9197 + b[0] * air.0 + b[1] * water.0 + b[2] * acid.0;
    let x = [intercept, b[0] * air.1, b[1] * water.1, b[2] * acid.1, 3.0, 1e9];
    let steps = steps_to_maximum("stack-loss", &x);
    assert!(steps[..4].iter().all(|step| step.abs() < 0.02), "{steps:?}");
}

/// The function `glm.nb` of the R package MASS on `warpbreaks` (breaks ~ wool * tension): cell means 44.56, 24, 24.56, 28.22, 28.78,
/// 18.78, and θ = 12.08.
#[test]
fn warp_breaks_has_its_maximum_where_r_says() {
    let m = [44.5556, 24.0, 24.5556, 28.2222, 28.7778, 18.7778].map(f64::ln);
    let x = [m[0], m[3] - m[0], m[1] - m[0], m[2] - m[0], m[4] - m[3] - m[1] + m[0], m[5] - m[3] - m[2] + m[0], 12.08];
    let steps = steps_to_maximum("warp-breaks", &x);
    assert!(steps.iter().all(|step| step.abs() < 0.01), "{steps:?}");
}

/// The draws of short chains that start at draws from the prior, each chain in the parameters' own units.
fn short_run(posterior: &Exact) -> Vec<Vec<f64>> {
    let (target, dim) = (posterior.posterior().unwrap(), posterior.parameters.len());
    let priors = posterior.priors().unwrap();
    let start = |chain: u64| {
        let mut rng = stream(5, chain, Purpose::Start);
        target.to_unbounded(&priors.iter().map(|prior| prior.sample(&mut rng)).collect::<Vec<_>>()).unwrap()
    };
    let starts: Vec<Vec<f64>> = (0..4).map(start).collect();
    // The coefficients of Thurber's curve lie on a narrow ridge, which takes chains from the prior longer to find.
    let warmup = Warmup::Iterations(if posterior.entry.name == "thurber" { 20_000 } else { 5_000 });
    let plan = Plan { warmup, draws: Some(5_000), seed: 5, ..Plan::default() };
    let run = sample(target.clone(), &starts, &plan, Control::default()).unwrap();
    let own_units = |points: &Vec<f64>| {
        let mut x = vec![0.0; points.len()];
        points.chunks(dim).zip(x.chunks_mut(dim)).for_each(|(u, x)| target.to_bounded(u, x));
        x
    };
    run.chains.iter().map(|chain| own_units(&chain.draws.points)).collect()
}

#[test]
fn short_runs_from_the_prior_have_the_reference_means() {
    let mut compared = 0;
    for posterior in EXACT {
        let (name, dim) = (posterior.entry.name, posterior.parameters.len());
        let chains = short_run(posterior);
        let chains: Vec<&[f64]> = chains.iter().map(Vec::as_slice).collect();
        let names: Vec<String> = posterior.parameters.iter().map(|(name, _)| (*name).into()).collect();
        for found in &summarise(&names, &chains, dim).parameters {
            let row = MEANS.lines().find_map(|line| line.strip_prefix(&format!("{name};{};", found.name))).unwrap();
            let [mean, sd, error] = row.split(';').map(|x| x.parse::<f64>().unwrap()).collect::<Vec<_>>()[..] else {
                panic!("{row}")
            };
            // Six standard errors of the difference, 64 times: false alarms below 1e-6.
            assert!((found.mean - mean).abs() < 6.0 * error.hypot(found.mcse_mean), "{name}: {found:?}, not {mean}");
            assert!((found.sd / sd - 1.0).abs() < 0.25, "{name}: {found:?}, not {sd}");
            compared += 1;
        }
    }
    assert_eq!(compared, MEANS.lines().count() - 1);
}
