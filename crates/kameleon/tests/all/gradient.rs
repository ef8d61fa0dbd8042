//! Targets with gradients, and the samplers that need them.

use crate::common::*;
use kameleon::chain::ChainError;
use kameleon::proposal::*;
use kameleon::random::{Purpose, stream};
use kameleon::target::{Gaussian, NO_GRADIENT, WithGradient};
use kameleon::*;

fn with_gradient() -> [Sampler; 3] {
    [Sampler::mala(), Sampler::pmala(), Sampler::kamh_ls_with_drift()]
}

#[test]
fn a_target_without_gradient_is_refused_in_words() {
    for sampler in with_gradient() {
        assert!(sampler.needs_gradient());
        let error = sample(|x: &[f64]| -x[0] * x[0], &[vec![0.0]], &plan(sampler.clone()), Control::default());
        assert_eq!(error.unwrap_err().to_string(), format!("sampler: {NO_GRADIENT}"));
        let settings = ChainSettings { index: 0, seed: 1, warmup: 600, normals: 0, correlation: 0.0 };
        let mut chain = sampler.chain(&[0.0], settings, Length::new(600, 10)).unwrap();
        let error = chain.step(&mut |x: &[f64]| -x[0] * x[0]).unwrap_err();
        assert!(error.to_string().contains(NO_GRADIENT), "{error}");
    }
}

#[test]
fn a_wrong_gradient_ends_the_run_before_it_begins() {
    let wrong = WithGradient::new(2, |x: &[f64], gradient: &mut [f64]| {
        (gradient[0], gradient[1]) = (-x[0], x[1]);
        -0.5 * (x[0] * x[0] + x[1] * x[1])
    });
    let error = sample(wrong, &[vec![0.5, 2.0]], &plan(Sampler::mala()), Control::default()).unwrap_err().to_string();
    let expected = "the gradient is wrong: for parameter `x2` at (x1 = 0.5, x2 = 2) it is 2.00000, where finite \
                    differences of the log density give -2.00000";
    assert!(error.starts_with(expected), "{error}");
}

/// A Gaussian in two dimensions whose gradient has the wrong sign below zero in the second.
fn wrong_below_zero() -> impl Target + Clone {
    WithGradient::new(2, |x: &[f64], gradient: &mut [f64]| {
        (gradient[0], gradient[1]) = (-x[0], if x[1] < 0.0 { x[1] } else { -x[1] });
        -0.5 * (x[0] * x[0] + x[1] * x[1])
    })
}

#[test]
fn a_chain_that_is_alone_in_its_process_looks_at_its_gradient_whatever_its_number() {
    for index in [0, 2, 7] {
        let settings = ChainSettings { index, seed: 1, warmup: 600, normals: 0, correlation: 0.0 };
        let mut chain = Sampler::mala().chain(&[0.5, -2.0], settings, Length::new(600, 10)).unwrap();
        let error = chain.step(&mut wrong_below_zero()).unwrap_err();
        assert!(matches!(&error, ChainError::Gradient { chain, .. } if *chain == index), "{error}");
    }
}

#[test]
fn a_gradient_that_is_wrong_where_one_chain_starts_ends_the_run() {
    for wrong in 0..4 {
        let start = |k: usize| vec![0.5, if k == wrong { -2.0 } else { 2.0 }];
        let plan = Plan { chains: 4, ..plan(Sampler::mala()) };
        let starts: Vec<Vec<f64>> = (0..4).map(start).collect();
        let error = sample(wrong_below_zero(), &starts, &plan, Control::default()).unwrap_err().to_string();
        assert!(error.starts_with("the gradient is wrong: for parameter `x2` at (x1 = 0.5, x2 = -2)"), "{error}");
    }
}

/// −Σx⁴/4 in two dimensions: far out its gradient is as large as the cube of the distance.
fn quartic() -> impl Target + Clone {
    WithGradient::new(2, |x: &[f64], gradient: &mut [f64]| {
        gradient.iter_mut().zip(x).for_each(|(g, x)| *g = -x.powi(3));
        -0.25 * x.iter().map(|x| x.powi(4)).sum::<f64>()
    })
}

#[test]
fn a_chain_far_out_in_the_tail_returns_by_its_drift_and_stays_there_if_that_is_not_cut() {
    let kamh = |drift_cut| Sampler::Kamh(KamhSettings { drift: true, drift_cut, n: 50, ..Default::default() });
    // A scale that is learned gets short enough for any drift; here it stays as it is.
    let frozen = MalaSettings { learn_covariance: false, learn_scale: false, ..Default::default() };
    let mala = |drift_cut| Sampler::Mala(MalaSettings { drift_cut, ..frozen.clone() });
    for (cut, uncut) in [(kamh(0.3), kamh(1e9)), (mala(1.0), mala(1e9))] {
        let [returned, stayed] = [cut, uncut].map(|sampler| {
            let settings = ChainSettings { index: 0, seed: 5, warmup: 600, normals: 0, correlation: 0.0 };
            let mut chain = sampler.chain(&[40.0, -40.0], settings, Length::new(600, 0)).unwrap();
            for _ in 0..600 {
                chain.step(&mut quartic()).unwrap();
            }
            chain.position().iter().fold(0.0_f64, |most, x| most.max(x.abs()))
        });
        assert!(returned < 4.0 && stayed > 39.0, "{returned} {stayed}");
    }
}

#[test]
fn ask_and_tell_with_gradients_is_the_same_chain_as_a_target() {
    for sampler in with_gradient() {
        let settings = ChainSettings { index: 0, seed: 17, warmup: 800, normals: 0, correlation: 0.0 };
        let mut chain = sampler.chain(&[0.0; 3], settings, Length::new(800, 300)).unwrap();
        assert!(chain.needs_gradient());
        let mut draws = Vec::new();
        while chain.iterations() < 1100 {
            let x = chain.ask().to_vec();
            let (value, gradient) = (exact(&mut banana(), &x), exact_gradient(&mut banana(), &x));
            if let Some(step) = chain.tell_with_gradient(Ok(value), &gradient).unwrap()
                && !step.warm
            {
                draws.extend_from_slice(chain.position());
            }
        }
        let run = sample(banana(), &[vec![0.0; 3]], &plan(sampler), Control::default()).unwrap();
        assert_eq!(draws, run.chains[0].draws.points);
        chain.ask();
        let error = chain.tell(Ok(0.0)).unwrap_err();
        assert!(matches!(error, ChainError::GradientWanted { wanted: 3, told: 0, .. }), "{error}");
        // Where there is no density no gradient is wanted.
        assert_eq!(chain.tell(Ok(f64::NEG_INFINITY)).unwrap().unwrap().outcome, Outcome::OutsideSupport);
    }
}

#[test]
fn an_ensemble_that_is_told_gradients_draws_what_a_run_draws() {
    let plan = plan(Sampler::pmala());
    let mut ensemble = ensemble::start(&[vec![0.0; 3]], &plan, 0).unwrap();
    let mut refused = false;
    while ensemble.ending().is_none() {
        let points: Vec<Vec<f64>> = ensemble.ask().iter().map(|asked| asked.x.to_vec()).collect();
        let values = || points.iter().map(|x| Ok(exact(&mut banana(), x))).collect::<Vec<Evaluation>>();
        if !std::mem::replace(&mut refused, true) {
            let error = ensemble.tell(values()).unwrap_err().to_string();
            assert_eq!(error, "the sampler needs the gradient at each point with its value: 12 numbers, not 0");
        }
        let gradients: Vec<f64> = points.iter().flat_map(|x| exact_gradient(&mut banana(), x)).collect();
        ensemble.tell_with_gradients(values(), &gradients).unwrap();
    }
    let asked = ensemble::finish(ensemble).unwrap();
    let run = sample(banana(), &[vec![0.0; 3]], &plan, Control::default()).unwrap();
    assert_eq!(asked.draws(), run.draws());
}

#[test]
fn a_gradient_that_is_not_finite_makes_its_point_invalid() {
    let settings = ChainSettings { index: 1, seed: 1, warmup: 0, normals: 0, correlation: 0.0 };
    let mut target = WithGradient::new(1, |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = if x[0] < 0.0 { f64::NAN } else { -x[0] };
        -0.5 * x[0] * x[0]
    });
    let proposal = Mala::new(&MalaSettings { learn_covariance: false, ..Default::default() }, 1, Length::new(0, 0));
    let mut chain = Chain::new(proposal.unwrap(), &[0.5], settings).unwrap();
    for _ in 0..200 {
        chain.step(&mut target).unwrap();
        assert!(chain.position()[0] >= 0.0);
    }
    let invalid = chain.statistics().sampling.invalid;
    assert!(invalid > 20, "{invalid}");
    assert!(serde_json::to_string(chain.state()).is_ok_and(|text| !text.contains("null,null")));
}

#[test]
fn the_scale_is_learned_for_the_acceptance_rate_of_the_sampler() {
    let target = Gaussian::diagonal(&[1.0, 4.0, 0.25, 9.0]).unwrap();
    let half = Sampler::Kamh(KamhSettings { drift: true, acceptance: 0.5, ..Default::default() });
    let kamh = [(Sampler::kamh_ls(), 0.234), (Sampler::kamh_ls_with_drift(), 0.234), (half, 0.5)];
    for (sampler, goal) in [(Sampler::mala(), 0.574), (Sampler::pmala(), 0.574)].into_iter().chain(kamh) {
        let plan = Plan {
            warmup: Warmup::Iterations(6000),
            draws: Some(3000),
            chains: 2,
            seed: 3,
            sampler,
            ..Plan::default()
        };
        let run = sample(target.clone(), &[vec![0.0; 4]], &plan, Control::default()).unwrap();
        assert!((run.acceptance() - goal).abs() < 0.08, "{}: {}", plan.sampler.name(), run.acceptance());
    }
}

#[test]
fn drawn_points_drift_by_half_of_r_times_the_gradient() {
    // 10⁵ draws, six standard errors.
    let proposal = learned(drifting(3, 1500, 80), &mut banana(), 1500);
    let (x, count) = ([2.0, -1.0, 0.3], 100_000);
    let mut at = proposal.allocate(3);
    proposal.take_gradient(&exact_gradient(&mut banana(), &x), &mut at);
    proposal.locate(&x, &mut at);
    let (mut rng, mut y, mut mean) = (stream(8, 0, Purpose::Move), [0.0; 3], [0.0; 3]);
    for _ in 0..count {
        proposal.draw(&x, &mut at, &mut rng, &mut y);
        (0..3).for_each(|k| mean[k] += (y[k] - x[k]) / f64::from(count));
    }
    let (l, shift) = (at.factor(), at.drift().unwrap().0);
    for k in 0..3 {
        let sd = linalg::dot(&l[k * 3..k * 3 + 3], &l[k * 3..k * 3 + 3]).sqrt();
        assert!((mean[k] - shift[k]).abs() < 6.0 * sd / f64::from(count).sqrt(), "{mean:?} {shift:?}");
        assert!(shift[k] != 0.0);
    }
}
