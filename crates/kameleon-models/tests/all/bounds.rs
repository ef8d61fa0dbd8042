//! Bounded parameters: the way there and back, the Jacobian, the tails, and a chain that gets the mean right.

use crate::common::{evaluate, names};
use kameleon::diagnose::mcse_mean;
use kameleon::{Control, Plan, Sampler, Target, Warmup, sample};
use kameleon_models::{Bound, Bounded, Expression};

fn bounds() -> Vec<Bound> {
    vec![
        Bound::FREE,
        Bound::above(-2.0).unwrap(),
        Bound::below(5.0).unwrap(),
        Bound::between(-1.0, 3.0).unwrap(),
        Bound::between(1e6, 1e6 + 1e-3).unwrap(),
    ]
}

/// One parameter with a flat density.
fn flat(bound: Bound) -> Bounded<impl Target> {
    Bounded::new(|_: &[f64]| 0.0, vec![bound]).unwrap()
}

fn there(target: &Bounded<impl Target>, u: f64) -> f64 {
    let mut x = [0.0];
    target.to_bounded(&[u], &mut x);
    x[0]
}

#[test]
fn the_way_there_and_back_ends_where_it_began() {
    for bound in bounds() {
        let target = flat(bound);
        for u in [-8.0, -1.0, 0.0, 0.5, 3.0, 9.0] {
            let x = there(&target, u);
            assert!(bound.contains(x), "{bound:?}: {x}");
            let back = target.to_unbounded(&[x]).unwrap()[0];
            // Near a bound x holds few digits of the distance to it.
            let tolerance = if bound.lower() == Some(1e6) { 1e-3 } else { 1e-11 };
            assert!((back - u).abs() < tolerance, "{bound:?}: {u} became {back}");
        }
    }
}

#[test]
fn the_jacobian_is_the_derivative() {
    for bound in &bounds()[..4] {
        let mut target = flat(*bound);
        for u in [-5.0, -1.3, 0.0, 0.7, 4.0] {
            let h = 1e-5;
            let slope = ((there(&target, u + h) - there(&target, u - h)) / (2.0 * h)).abs();
            let found = target.log_jacobian(&[u]);
            assert!((found - slope.ln()).abs() < 1e-6, "{bound:?} at {u}: {found} where {} is wanted", slope.ln());
            assert_eq!(evaluate(&mut target, &[u]).unwrap(), found);
        }
    }
}

#[test]
fn far_out_x_stays_inside_and_the_log_density_finite() {
    for bound in &bounds()[1..] {
        let mut target = flat(*bound);
        for u in [-1e300, -800.0, -40.0, 40.0, 700.0] {
            let x = there(&target, u);
            assert!(bound.contains(x), "{bound:?} at {u}: {x}");
            let found = evaluate(&mut target, &[u]).unwrap();
            assert!(found.is_finite() && found <= u.abs() + 10.0, "{bound:?} at {u}: {found}");
        }
    }
    // Symmetric: no tail loses digits.
    let target = flat(Bound::between(0.0, 1.0).unwrap());
    for u in [1.0, 36.0, 100.0, 745.0] {
        assert_eq!(target.log_jacobian(&[u]), target.log_jacobian(&[-u]));
    }
    assert_eq!(target.log_jacobian(&[745.0]), -745.0);
    // Beyond the largest number there is no density.
    assert_eq!(evaluate(&mut flat(Bound::above(0.0).unwrap()), &[800.0]).unwrap(), f64::NEG_INFINITY);
    assert_eq!(evaluate(&mut flat(Bound::below(0.0).unwrap()), &[800.0]).unwrap(), f64::NEG_INFINITY);
}

#[test]
fn a_start_on_or_over_a_bound_is_an_error_that_names_the_parameter() {
    let expression = Expression::new("rate + share", &["rate".into(), "share".into()]).unwrap();
    let bounds = vec![Bound::above(0.0).unwrap(), Bound::between(0.0, 1.0).unwrap()];
    let target = Bounded::new(expression, bounds).unwrap();
    for (x, wanted) in [
        ([0.0, 0.5], "start: parameter `rate` is 0; it must be above 0"),
        ([-3.0, 0.5], "start: parameter `rate` is -3; it must be above 0"),
        ([1.0, 1.0], "start: parameter `share` is 1; it must be above 0 and below 1"),
        ([f64::NAN, 0.5], "start: parameter `rate` is NaN; it must be above 0"),
        ([f64::INFINITY, 0.5], "start: parameter `rate` is inf; it must be above 0"),
    ] {
        assert_eq!(target.to_unbounded(&x).unwrap_err().to_string(), wanted);
    }
    assert!(target.to_unbounded(&[1.0]).unwrap_err().to_string().contains("must have 2 coordinates, not 1"));
    let wrong = flat(Bound::FREE).to_unbounded(&[f64::NAN]).unwrap_err().to_string();
    assert_eq!(wrong, "start: parameter `x1` is NaN; it must be a finite number");
    assert_eq!(target.names(2), ["rate", "share"]);
}

#[test]
fn impossible_bounds_are_named() {
    let wrong = |lower, upper| Bound::new(lower, upper).unwrap_err().to_string();
    assert!(wrong(Some(1.0), Some(1.0)).contains("lower, 1, must be less than upper, 1"));
    assert!(wrong(Some(f64::NAN), None).contains("must be finite"));
    assert!(wrong(None, Some(f64::INFINITY)).contains("must be finite"));
    assert!(wrong(Some(f64::MIN), Some(f64::MAX)).contains("too far apart"));
    let expression = Expression::new("x1", &names(2)).unwrap();
    let wrong = Bounded::new(expression, vec![Bound::FREE]).unwrap_err().to_string();
    assert_eq!(wrong, "bounds: 1 given for 2 parameters of the target");
}

#[test]
fn bounds_are_read_and_written() {
    let read = |text: &str| serde_json::from_str::<Bound>(text);
    assert_eq!(read(r#"{"lower": 0}"#).unwrap(), Bound::above(0.0).unwrap());
    assert_eq!(read("{}").unwrap(), Bound::FREE);
    assert!(read(r#"{"lower": 2, "upper": 1}"#).unwrap_err().to_string().contains("must be less"));
    assert!(read(r#"{"low": 2}"#).unwrap_err().to_string().contains("unknown field `low`"));
    for bound in bounds() {
        assert_eq!(read(&serde_json::to_string(&bound).unwrap()).unwrap(), bound);
    }
}

#[test]
fn chains_on_bounded_targets_recover_their_means() {
    // Gamma(3, 2): mean 1.5. Beta(2, 3): mean 0.4. Minus an exponential(1): mean −1. Five standard errors: false alarms
    // below 1e-5.
    let text = "2*ln(g) - 2*g + ln(b) + 2*log1p(-b) + m";
    let expression = Expression::new(text, &["g", "b", "m"].map(String::from)).unwrap();
    let bounds = vec![Bound::above(0.0).unwrap(), Bound::between(0.0, 1.0).unwrap(), Bound::below(0.0).unwrap()];
    let target = Bounded::new(expression, bounds).unwrap();
    let start = target.to_unbounded(&[1.0, 0.5, -1.0]).unwrap();
    let plan = Plan {
        sampler: Sampler::am_ls(),
        warmup: Warmup::Iterations(5_000),
        draws: Some(40_000),
        seed: 3,
        ..Plan::default()
    };
    let run = sample(target.clone(), &[start], &plan, Control::default()).unwrap();
    for (i, wanted) in [1.5, 0.4, -1.0].into_iter().enumerate() {
        let mut x = [0.0; 3];
        let mut parameter = |u: &[f64]| {
            target.to_bounded(u, &mut x);
            x[i]
        };
        let chains: Vec<Vec<f64>> =
            run.draws().iter().map(|draws| draws.chunks(3).map(&mut parameter).collect()).collect();
        let slices: Vec<&[f64]> = chains.iter().map(Vec::as_slice).collect();
        let mean = chains.concat().iter().sum::<f64>() / (4.0 * 40_000.0);
        let error = mcse_mean(&slices);
        assert!((mean - wanted).abs() < 5.0 * error && error < 0.05, "{i}: {mean} ± {error}, wanted {wanted}");
    }
}

#[test]
fn a_circle_is_uniform_in_normal_coordinates_and_wraps_what_is_outside() {
    let bound = Bound::circle(-3.0, 5.0).unwrap();
    let target = flat(bound);
    for u in [-6.0, -1.0, 0.0, 0.5, 3.0, 6.0] {
        let x = there(&target, u);
        let back = target.to_unbounded(&[x]).unwrap()[0];
        assert!((back - u).abs() < 1e-6 && (-3.0..5.0).contains(&x), "{u} became {back}");
        // Turned around several times it is the same place.
        assert!((target.to_unbounded(&[x + 24.0]).unwrap()[0] - u).abs() < 1e-6);
        // A flat density is the standard normal one of u, times the length.
        let normal = -0.5 * u * u - 0.5 * std::f64::consts::TAU.ln();
        assert!((target.log_jacobian(&[u]) - 8f64.ln() - normal).abs() < 1e-12);
        // Next to an end differences are lost in rounding.
        let slope = (there(&target, u + 1e-5) - there(&target, u - 1e-5)) / 2e-5;
        assert!(u.abs() > 5.0 || (target.log_jacobian(&[u]) - slope.ln()).abs() < 1e-4, "{u}");
    }
    for (x, same) in [(5.0, -3.0), (-3.5, 4.5), (7.0, -1.0), (-3.0, -3.0), (-3.0 - 1e-17, -3.0)] {
        assert!((bound.wrap(x) - same).abs() < 1e-12 && bound.contains(x), "{x}");
    }
    assert!(bound.wrap(-1e-300 - 3.0) < 5.0 && !bound.contains(f64::NAN));
    for u in [-1e9, 1e9] {
        assert!((-3.0..5.0).contains(&there(&target, u)) && bound.unbounded(bound.lower().unwrap()).is_finite());
    }
    assert_eq!((bound.nearest_to(4.9, -2.9), bound.nearest_to(0.0, 1.0)), (5.1, 1.0));
    assert_eq!(target.circles(), [0]);
}

#[test]
fn a_circle_needs_both_ends() {
    for open in [Bound::FREE, Bound::above(0.0).unwrap(), Bound::below(0.0).unwrap()] {
        assert!(open.closed().unwrap_err().to_string().contains("needs both lower and upper"));
    }
    assert!(Bound::circle(1.0, 1.0).is_err());
    let read: Bound = serde_json::from_str(r#"{"lower": 0, "upper": 2, "periodic": true}"#).unwrap();
    assert_eq!(read, Bound::circle(0.0, 2.0).unwrap());
    assert!(serde_json::from_str::<Bound>(r#"{"lower": 0, "periodic": true}"#).is_err());
    let written = serde_json::to_string(&read).unwrap();
    assert_eq!(serde_json::from_str::<Bound>(&written).unwrap(), read);
}
