//! The target as a chain sees it: a function of θ and u, names, rejections and settings.

use crate::common::normals;
use kameleon::random::{self, Purpose};
use kameleon::{EvalError, Noise, Target};
use kameleon_gp::{
    Approximation, Covariance, GpClassification, Likelihood, Parametrisation, Settings, Standardise, glass,
};

const CENTRE: [f64; 9] = [2.3, 2.75, -0.9, 2.5, 2.9, 1.55, 2.0, 2.4, 3.1];

fn all_models() -> Vec<Settings> {
    let mut all = Vec::new();
    for covariance in [Covariance::Gaussian, Covariance::Matern32, Covariance::Matern52] {
        for likelihood in [Likelihood::Logistic, Likelihood::Probit] {
            for approximation in [Approximation::Laplace, Approximation::Ep] {
                for amplitude in [false, true] {
                    let base = Settings { covariance, likelihood, approximation, amplitude, ..Settings::default() };
                    all.push(Settings { n_imp: 20, ..base });
                }
            }
        }
    }
    all
}

fn target(settings: Settings) -> GpClassification {
    GpClassification::new(&glass(), settings).unwrap()
}

#[test]
fn the_same_theta_and_normals_give_the_same_bits_wherever_the_target_has_been() {
    for settings in all_models() {
        let mut here = target(settings.clone());
        let mut theta = CENTRE.to_vec();
        theta.resize(here.dim().unwrap(), 0.5);
        let u = normals(5, 0, here.normals());
        let fresh = here.log_estimate(&theta, &u).unwrap();
        let elsewhere = vec![-1.5; theta.len()];
        here.log_estimate(&elsewhere, &u).unwrap();
        here.log_marginal(&elsewhere).unwrap();
        let mut copy = here.clone();
        assert_eq!(here.log_estimate(&theta, &u).unwrap().to_bits(), fresh.to_bits(), "{settings:?}");
        assert_eq!(copy.log_estimate(&theta, &u).unwrap().to_bits(), fresh.to_bits(), "{settings:?}");
    }
}

#[test]
fn every_model_estimates_near_its_converged_approximation() {
    for settings in all_models() {
        let mut target = target(settings.clone());
        let mut theta = CENTRE.to_vec();
        theta.resize(target.dim().unwrap(), 1.0);
        let u = normals(6, 0, target.normals());
        let estimate = target.log_estimate(&theta, &u).unwrap();
        let approximation = target.log_marginal(&theta).unwrap();
        assert!((estimate - approximation).abs() < 1.0, "{settings:?}: {estimate} {approximation}");
    }
}

#[test]
fn all_over_the_prior_the_approximations_converge() {
    for settings in all_models() {
        let mut target = target(settings.clone());
        let dim = target.dim().unwrap();
        let u = normals(13, 0, target.normals());
        for draw in 1..=5 {
            let theta: Vec<f64> = normals(13, draw, dim).iter().map(|z| 5f64.sqrt() * z).collect();
            assert!(target.log_marginal(&theta).is_ok(), "{settings:?} {theta:?}");
            assert!(target.log_estimate(&theta, &u).is_ok(), "{settings:?} {theta:?}");
        }
        assert_eq!(target.statistics().raised_jitter, 0);
    }
}

#[test]
fn the_log_density_is_the_estimate_plus_the_prior() {
    let mut target = target(Settings::default());
    let u = normals(7, 0, target.normals());
    let mut rng = random::stream(7, 0, Purpose::Move);
    let density = target.log_density(&CENTRE, Noise { rng: &mut rng, normals: &u }).unwrap();
    let squares: f64 = CENTRE.iter().map(|x| x * x).sum();
    let prior = -0.1 * squares - 4.5 * (10.0 * std::f64::consts::PI).ln();
    assert!((density - target.log_estimate(&CENTRE, &u).unwrap() - prior).abs() < 1e-12);
}

#[test]
fn small_moves_of_theta_and_of_the_normals_move_the_estimate_little() {
    for approximation in [Approximation::Laplace, Approximation::Ep] {
        let mut target = target(Settings { approximation, ..Settings::default() });
        let u = normals(8, 0, target.normals());
        let before = target.log_estimate(&CENTRE, &u).unwrap();
        let moved: Vec<f64> = u.iter().map(|u| u + 1e-6).collect();
        let theta: Vec<f64> = CENTRE.iter().map(|x| x + 1e-6).collect();
        let after = target.log_estimate(&theta, &moved).unwrap();
        assert!((after - before).abs() < 1e-3, "{approximation:?}: {before} {after}");
    }
}

#[test]
fn both_parametrisations_describe_the_same_model() {
    // θ_text = −2 θ_code − log 2.
    let published = Settings::published();
    let text = Settings { parametrisation: Parametrisation::LogSquaredLengthScale, ..published.clone() };
    let code = [-1.7, -1.9, -0.3, -2.4, -2.2, -2.7, -1.2, -2.8, -3.1];
    let theta = code.map(|x| -2.0 * x - std::f64::consts::LN_2);
    let value = target(published).log_marginal(&code).unwrap();
    assert!((target(text).log_marginal(&theta).unwrap() - value).abs() < 1e-9);
}

#[test]
fn parameters_are_named_after_columns() {
    let with_amplitude = target(Settings { amplitude: true, ..Settings::default() });
    let names = with_amplitude.names(10);
    assert_eq!((names[2].as_str(), names[9].as_str()), ("log_l2[Mg]", "log_amplitude2"));
    assert_eq!(target(Settings::published()).names(9)[0], "log_weight[RI]");
}

#[test]
fn normals_are_two_per_row_and_draw_and_an_odd_sample_stands_alone() {
    let count = |n_imp, antithetic| target(Settings { n_imp, antithetic, ..Settings::default() }).normals();
    assert_eq!(count(10, true), 2 * 214 * 5);
    assert_eq!(count(5, true), 2 * 214 * 3);
    assert_eq!(count(5, false), 2 * 214 * 5);
    // The two samples of the first pair, and the first of the second, make three.
    let (mut four, mut three) = (target(Settings { n_imp: 4, ..Settings::default() }), target(Settings::default()));
    three.set_n_imp(3).unwrap();
    let u = normals(9, 0, four.normals());
    four.log_estimate(&CENTRE, &u).unwrap();
    three.log_estimate(&CENTRE, &u).unwrap();
    assert_eq!(three.log_weights().len(), 3);
    for (three, four) in three.log_weights().iter().zip(four.log_weights()) {
        assert!((three - four).abs() < 1e-9);
    }
}

#[test]
fn extreme_points_are_rejected_or_valued_but_never_crash() {
    for settings in all_models() {
        let mut target = target(settings.clone());
        let dim = target.dim().unwrap();
        let u = normals(10, 0, target.normals());
        for extreme in [-2e3, -1e3, -700.0, -100.0, -30.0, 30.0, 100.0, 700.0, 1e3, f64::NAN, f64::INFINITY] {
            for theta in [vec![extreme; dim], [vec![0.0; dim - 1], vec![extreme]].concat()] {
                for value in [target.log_estimate(&theta, &u), target.log_marginal(&theta)] {
                    match value {
                        Ok(value) => assert!(value.is_finite(), "{settings:?} {theta:?}: {value}"),
                        Err(EvalError::Reject(why) | EvalError::Failed(why)) => assert!(!why.is_empty()),
                        Err(EvalError::Fatal(why)) => panic!("{settings:?} {theta:?}: {why}"),
                    }
                }
            }
        }
        let statistics = target.statistics();
        assert_eq!(statistics.evaluations, 22);
        assert!(statistics.rejections >= 4, "{statistics:?}");
    }
}

#[test]
fn jitter_is_raised_where_k_is_singular_and_reported() {
    // With length scales this long all rows look equal (as rows 39 and 40 of Glass are): K is 1 everywhere.
    let mut target = target(Settings { jitter: 0.0, ..Settings::default() });
    let u = normals(11, 0, target.normals());
    target.log_estimate(&[100.0; 9], &u).unwrap();
    let statistics = target.statistics();
    assert_eq!((statistics.evaluations, statistics.rejections, statistics.raised_jitter), (1, 0, 1));
    assert_eq!(statistics.largest_jitter, 1e-12);
    target.clone().log_estimate(&[100.0; 9], &u).unwrap();
    assert_eq!(target.statistics().raised_jitter, 2, "clones count together");
}

#[test]
fn a_wrong_size_is_fatal() {
    let mut target = target(Settings::default());
    let u = normals(12, 0, target.normals());
    assert!(matches!(target.log_estimate(&[0.0; 8], &u), Err(EvalError::Fatal(_))));
    assert!(matches!(target.log_estimate(&[0.0; 9], &u[1..]), Err(EvalError::Fatal(_))));
}

#[test]
fn settings_are_checked_once_and_read_from_text() {
    let complaint = |settings| GpClassification::new(&glass(), settings).err().unwrap().to_string();
    let default = Settings::default;
    assert_eq!(complaint(Settings { n_imp: 0, ..default() }), "setting n_imp: must be at least 1, not 0");
    assert_eq!(
        complaint(Settings { prior_variance: -1.0, ..default() }),
        "setting prior_variance: must be positive and finite, not -1"
    );
    assert!(complaint(Settings { jitter: 1.0, ..default() }).starts_with("setting jitter_limit"));
    let reference = Some(vec![0.0; 3]);
    assert_eq!(complaint(Settings { reference, ..default() }), "setting reference: must be 9 finite numbers");
    let unreachable = Some(vec![-1e4; 9]);
    assert!(complaint(Settings { reference: unreachable, ..default() }).starts_with("the reference point cannot"));
    let read: Settings =
        serde_json::from_str(r#"{"covariance": "matern52", "approximation": "ep", "standardise": "none"}"#).unwrap();
    assert_eq!(read.covariance, Covariance::Matern52);
    assert_eq!((read.approximation, read.standardise), (Approximation::Ep, Standardise::None));
    assert_eq!(read.n_imp, default().n_imp);
    assert!(serde_json::from_str::<Settings>(r#"{"n_impp": 3}"#).is_err());
}

#[test]
fn a_target_can_be_sent_to_a_thread() {
    fn sendable<T: Send + Clone>() {}
    sendable::<GpClassification>();
}
