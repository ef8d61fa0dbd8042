//! A posterior on the unbounded scale, taken apart: its prior integrates to one and is drawn as it is evaluated, and prior times
//! likelihood is what chains sample.

use crate::common::names;
use kameleon::diagnose::kolmogorov_smirnov_uniform;
use kameleon::population;
use kameleon::random::{Purpose, stream};
use kameleon::{Noise, Rng, Target};
use kameleon_models::{Bound, Bounded, Expression, Likelihood, Prior, WithPrior};
use std::sync::Arc;

/// A flat likelihood of one parameter under a prior within bounds.
fn one(prior: &str, bound: Bound) -> Bounded<WithPrior<Expression>> {
    let likelihood = Expression::new("0*x1", &names(1)).unwrap();
    let prior: Prior = prior.parse().unwrap();
    Bounded::new(WithPrior::within(likelihood, vec![Some(prior)], &[bound]).unwrap(), vec![bound]).unwrap()
}

fn cases() -> Vec<(&'static str, Bound)> {
    vec![
        ("normal(1, 2)", Bound::FREE),
        ("normal(0, 1)", Bound::above(9.0).unwrap()),
        ("normal(0, 1)", Bound::between(-0.5, 0.25).unwrap()),
        ("gamma(2, 1)", Bound::above(0.0).unwrap()),
        ("gamma(2, 1)", Bound::between(0.0, 1.5).unwrap()),
        ("half-cauchy(1)", Bound::above(2.0).unwrap()),
        ("uniform(-1, 3)", Bound::below(0.5).unwrap()),
        ("normal(0, 1)", Bound::circle(-1.0, 2.0).unwrap()),
    ]
}

/// By steps of u, fine enough for every case; heavy tails of u are exponential.
#[test]
fn the_prior_of_u_integrates_to_one_and_is_drawn_as_it_is_evaluated() {
    for (text, bound) in cases() {
        let bound = match (bound.upper(), text.starts_with("uniform")) {
            (Some(upper), true) => Bound::between(-1.0, upper).unwrap(),
            _ => bound,
        };
        let posterior = one(text, bound);
        let prior: &dyn population::Prior = &posterior;
        let (from, step, count) = (-60.0, 1e-3, 120_000);
        let density: Vec<f64> = (0..count).map(|i| prior.log_density(&[from + step * f64::from(i)]).exp()).collect();
        let mut below = Vec::with_capacity(density.len());
        let mut sum = 0.0;
        for at in &density {
            sum += step * at;
            below.push(sum);
        }
        assert!((sum - 1.0).abs() < 2e-3, "{text} in {bound:?}: {sum}");
        let mut rng = stream(1, 0, Purpose::Start);
        let mut level = || {
            let mut u = [0.0];
            prior.draw(&mut rng, &mut u);
            assert!(bound.contains(bound.bounded(u[0]).0) || bound == Bound::FREE, "{u:?}");
            below[(((u[0] - from) / step) as usize).min(below.len() - 1)]
        };
        let mut levels: Vec<f64> = (0..2000).map(|_| level()).collect();
        // One false alarm in a million for each case.
        let p = kolmogorov_smirnov_uniform(&mut levels);
        assert!(p > 1e-6, "{text} in {bound:?}: {p}");
    }
}

#[test]
fn prior_times_likelihood_is_what_chains_sample() {
    let names = names(2);
    let model = Expression::new("-x1^2 - 3*x2", &names).unwrap();
    let priors = ["normal(0, 2)", "exponential(1)"].map(|text| Some(text.parse::<Prior>().unwrap()));
    let bounds = [Bound::FREE, Bound::between(0.0, 2.0).unwrap()];
    let with_prior = WithPrior::within(model, priors.to_vec(), &bounds).unwrap();
    let mut posterior = Bounded::new(with_prior, bounds.to_vec()).unwrap();
    let mut likelihood = Likelihood::of(&posterior);
    let value =
        |target: &mut dyn Target, u: &[f64], rng: &mut Rng| target.log_density(u, Noise { rng, normals: &[] }).unwrap();
    let mut rng = stream(2, 0, Purpose::Noise);
    for u in [[0.3, -1.0], [2.0, 5.0], [-4.0, 0.0]] {
        let apart = population::Prior::log_density(&posterior, &u) + value(&mut likelihood, &u, &mut rng);
        let whole = value(&mut posterior, &u, &mut rng);
        assert!((apart - whole).abs() < 1e-12, "{apart} {whole}");
    }
    assert_eq!(population::Prior::log_density(&posterior, &[f64::INFINITY, 0.0]), f64::NEG_INFINITY);
    assert_eq!(likelihood.dim(), Some(2));
}

/// Uniform on the unit square, whatever is asked.
struct Square;

impl population::Prior for Square {
    fn dim(&self) -> usize {
        2
    }

    fn draw(&self, rng: &mut Rng, x: &mut [f64]) {
        use rand::RngExt;
        x.iter_mut().for_each(|x| *x = 3.0 * rng.random::<f64>() - 1.0);
    }

    fn log_density(&self, x: &[f64]) -> f64 {
        if x.iter().all(|x| (0.0..1.0).contains(x)) { 0.0 } else { f64::NEG_INFINITY }
    }
}

#[test]
fn a_joint_prior_is_drawn_within_the_bounds_and_is_not_evaluated_with_the_model_outside() {
    let names = names(2);
    let model = || Expression::new("ln(x1) + x2", &names).unwrap();
    let bound = Bound::between(0.0, 1.0).unwrap();
    let mut posterior = WithPrior::joint(model(), Arc::new(Square)).unwrap();
    assert!(posterior.is_proper());
    let mut rng = stream(3, 0, Purpose::Noise);
    let outside = posterior.log_density(&[-1.0, 0.5], Noise { rng: &mut rng, normals: &[] }).unwrap();
    assert_eq!(outside, f64::NEG_INFINITY, "where the model would be NaN");
    let posterior = Bounded::new(posterior, vec![bound; 2]).unwrap();
    for _ in 0..100 {
        let mut u = [0.0; 2];
        population::Prior::draw(&posterior, &mut rng, &mut u);
        assert!(u.iter().all(|u| u.is_finite()), "{u:?}");
    }
    let three = Expression::new("x1 + x2 + x3", &crate::common::names(3)).unwrap();
    assert!(WithPrior::joint(three, Arc::new(Square)).is_err());
}

#[test]
fn modes_are_looked_at_on_the_scale_of_the_parameter_between_two_bounds_only() {
    for (text, bound) in cases() {
        let posterior = one(text, bound);
        let mut x = [0.3];
        let larger = population::Prior::to_gaussian_scale(&posterior, &mut x);
        let is_interval = bound.lower().is_some() && bound.upper().is_some() && !bound.is_periodic();
        let expected = if is_interval { bound.bounded(0.3) } else { (0.3, 0.0) };
        assert_eq!((x[0], larger), expected, "{text} in {bound:?}");
    }
}
