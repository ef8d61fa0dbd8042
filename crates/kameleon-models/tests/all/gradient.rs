//! Gradients of models: expressions, priors, bounds, posteriors of real data, libraries and servers, against finite differences.
#![expect(unsafe_code, reason = "loading a library is unsafe: it is the tests' own")]

use crate::common::{compile, evaluate, example, names};
use crate::fake_server::{Act, FakeServer, ok};
use kameleon::random::{Purpose, stream};
use kameleon::{Control, EvalError, Evaluation, Noise, Plan, Rng, Sampler, Target, Warmup, sample};
use kameleon_models::{
    Bound, Bounded, Expression, LibrarySettings, Prior, SharedLibrary, UmBridge, UmBridgeSettings, WithPrior,
    posteriors,
};
use rand::RngExt;
use std::sync::{Arc, Mutex};

/// The gradient, and the value that comes with it.
fn gradient(target: &mut impl Target, x: &[f64]) -> (Evaluation, Vec<f64>) {
    let (mut rng, mut gradient) = (stream(1, 0, Purpose::Noise), vec![f64::NAN; x.len()]);
    let normals = vec![0.5; target.normals()];
    let value = target.gradient(x, Noise { rng: &mut rng, normals: &normals }, &mut gradient);
    (value, gradient)
}

/// The value is that without gradient to the bit, and the gradient that of central differences, extrapolated to step length zero, up to
/// this share of it.
fn assert_is_gradient(target: &mut impl Target, x: &[f64], tolerance: f64) {
    assert!(target.has_gradient());
    let (value, gradient) = gradient(target, x);
    assert_eq!(value.unwrap().to_bits(), evaluate(target, x).unwrap().to_bits(), "{x:?}");
    for i in 0..x.len() {
        let mut slope = |h: f64| {
            let mut at = |step: f64| {
                let mut y = x.to_vec();
                y[i] += step;
                evaluate(target, &y).unwrap()
            };
            (at(h) - at(-h)) / (2.0 * h)
        };
        let h = 1e-4 * x[i].abs().clamp(1e-2, 1.0);
        let found = (4.0 * slope(0.5 * h) - slope(h)) / 3.0;
        let size = gradient[i].abs().max(1.0);
        assert!((found - gradient[i]).abs() < tolerance * size, "{i} at {x:?}: {} {found}", gradient[i]);
    }
}

#[test]
fn the_gradient_of_every_function_of_an_expression_is_exact() {
    for function in Expression::functions() {
        let text = match function {
            "acosh" => "acosh(1.5 + x1^2 + x2*x3)".into(),
            "atanh" | "acos" | "asin" => format!("{function}(0.3*x1 - 0.2*x2*x3)"),
            "atan2" | "hypot" | "pow" => format!("{function}(x1^2 + 0.7, x2*x3 + 0.2)"),
            "logaddexp" | "max" | "min" => format!("{function}(x1*x2, x3^3, 0.4 + x2)"),
            "sqrt" | "ln" | "log" | "log10" | "log2" | "log1p" | "lgamma" => format!("{function}(x1^2 + x2*x3 + 0.7)"),
            _ => format!("{function}(x1^2 - x2*x3 + 0.3)"),
        };
        let mut target = Expression::new(&text, &names(3)).unwrap();
        for x in [[0.7, 0.4, 0.9], [-0.3, 0.8, 0.25]] {
            assert_is_gradient(&mut target, &x, 1e-7);
        }
    }
}

#[test]
fn the_gradient_of_an_expression_of_many_parameters_is_exact() {
    // More parameters than are differentiated in one pass; powers of all kinds; a parameter that is not there.
    let text =
        "-(x1^2)/200 - (x2 - 0.1*(x1^2 - 100))^2/2 + x3^-3*x4 - x5^x6 + exp(-x7/x8)*x9^2.5 - 2^x10 + sin(x1*x9)^3";
    let mut target = Expression::new(text, &names(11)).unwrap();
    let x = [1.5, -2.0, 0.7, 0.3, 1.2, -0.6, 0.4, 1.1, 0.9, 0.2, 5.0];
    assert_is_gradient(&mut target, &x, 1e-7);
    assert_eq!(gradient(&mut target, &x).1[10], 0.0);
}

#[test]
fn the_slopes_of_all_priors_are_right() {
    let priors = [
        "normal(1, 2)",
        "student-t(3.5, 1, 2)",
        "cauchy(-1, 0.5)",
        "uniform(-1, 3)",
        "triangular(-1, 0.5, 3)",
        "truncated-normal(1, 2, 0, inf)",
        "beta(2.5, 0.7)",
        "exponential(2)",
        "gamma(2.5, 3)",
        "inverse-gamma(3, 2)",
        "half-normal(2)",
        "half-cauchy(2)",
        "log-normal(0.5, 1.2)",
        "log-uniform(0.1, 10)",
    ];
    assert_eq!(priors.len(), kameleon_models::prior::entries().count());
    let mut rng = stream(2, 0, Purpose::Start);
    for text in priors {
        let prior: Prior = text.parse().unwrap();
        for _ in 0..50 {
            let x = prior.sample(&mut rng);
            let reach = [prior.support().lower(), prior.support().upper()].into_iter().flatten();
            let h = reach.map(|end| 0.1 * (x - end).abs()).fold(1e-4 * x.abs().max(0.1), f64::min);
            let slope = |h: f64| (prior.log_density(x + h) - prior.log_density(x - h)) / (2.0 * h);
            let found = (4.0 * slope(0.5 * h) - slope(h)) / 3.0;
            let size = prior.slope(x).abs().max(1.0);
            assert!((found - prior.slope(x)).abs() < 1e-4 * size, "{text} at {x}: {} {found}", prior.slope(x));
        }
    }
}

/// A point near draws from the prior, on the unbounded scale.
fn unbounded(priors: &[Prior], rng: &mut Rng) -> Vec<f64> {
    priors.iter().map(|prior| prior.support().unbounded(prior.quantile(rng.random_range(0.1..0.9)))).collect()
}

#[test]
fn bounds_and_priors_pass_the_gradient_on() {
    let likelihood = Expression::new("x1*ln(x2) - x2*x3 + ln(1 - x3)*x4 - x4^2", &names(4)).unwrap();
    let priors: Vec<Prior> =
        ["normal(0, 1)", "gamma(2, 1)", "beta(2, 2)", "uniform(-3, 2)"].map(|text| text.parse().unwrap()).to_vec();
    let bounds = vec![
        Bound::below(4.0).unwrap(),
        Bound::above(0.0).unwrap(),
        Bound::between(0.0, 1.0).unwrap(),
        Bound::circle(-2.0, 1.5).unwrap(),
    ];
    let with = WithPrior::within(likelihood, priors.iter().copied().map(Some).collect(), &bounds).unwrap();
    let mut target = Bounded::new(with, bounds).unwrap();
    let mut rng = stream(3, 0, Purpose::Start);
    for _ in 0..100 {
        let u: Vec<f64> = (0..4).map(|_| rng.random_range(-2.0..2.0)).collect();
        assert_is_gradient(&mut target, &u, 1e-7);
    }
    // Many points at once, with one among them where the transformation overflows: as one by one.
    let points: Vec<Vec<f64>> =
        (0..7).map(|k| (0..4).map(|_| if k == 3 { 800.0 } else { rng.random_range(-2.0..2.0) }).collect()).collect();
    let rows: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
    let mut streams: Vec<Rng> = rows.iter().map(|_| stream(1, 0, Purpose::Noise)).collect();
    let noise = streams.iter_mut().map(|rng| Noise { rng, normals: &[] }).collect();
    let mut gradients = vec![f64::NAN; 28];
    let values = target.gradients(&rows, noise, &mut gradients);
    for (k, value) in values.into_iter().enumerate() {
        let (alone, slopes) = gradient(&mut target, rows[k]);
        assert_eq!(value.unwrap(), alone.unwrap(), "{k}");
        assert!(k == 3 || gradients[4 * k..4 * k + 4] == slopes, "{k}");
    }
}

#[test]
fn the_exact_posteriors_have_their_gradients() {
    let mut rng = stream(4, 0, Purpose::Start);
    for exact in posteriors::EXACT {
        let (mut target, priors) = (exact.posterior().unwrap(), exact.priors().unwrap());
        // The solution of a differential equation is known to a tolerance, and its steps change with the parameters.
        let tolerance = if exact.entry.name == "lynx-hare" { 1e-3 } else { 1e-6 };
        let mut compared = 0;
        for _ in 0..30 {
            let u = unbounded(&priors, &mut rng);
            let (value, slopes) = gradient(&mut target, &u);
            // Finite differences say nothing where the log density is huge.
            if value.is_ok_and(|value| value.abs() < 1e4) && slopes.iter().all(|g| g.abs() < 1e4) {
                assert_is_gradient(&mut target, &u, tolerance);
                compared += 1;
            }
        }
        assert!(compared > 2, "{}: {compared}", exact.entry.name);
    }
}

#[test]
fn a_wrong_gradient_is_told_in_the_units_of_the_model() {
    let wrong = kameleon::target::WithGradient::new(2, |x: &[f64], gradient: &mut [f64]| {
        (gradient[0], gradient[1]) = (-x[0], 3.0 / x[1] - 2.0);
        -0.5 * x[0] * x[0] + 3.0 * x[1].ln() - 4.0 * x[1]
    });
    let priors = ["normal(0, 1)", "gamma(2, 1)"].map(|text| Some(text.parse().unwrap())).to_vec();
    let bounds = vec![Bound::FREE, Bound::above(0.0).unwrap()];
    let target = Bounded::new(WithPrior::within(wrong, priors, &bounds).unwrap(), bounds).unwrap();
    let start = target.to_unbounded(&[0.5, 1.0]).unwrap();
    let plan = Plan { sampler: Sampler::mala(), warmup: Warmup::Iterations(600), draws: Some(10), ..Plan::default() };
    let error = sample(target, &[start], &plan, Control::default()).unwrap_err().to_string();
    assert!(error.contains("for parameter `x2` at (x1 = 0.5, x2 = 1) it is 1.00000, where"), "{error}");
    assert!(error.contains("give -1.00000;"), "{error}");
}

#[test]
fn what_overflows_on_the_way_does_not_spoil_the_slope() {
    for text in ["min(exp(x1), 10)", "1/(1 + exp(x1))", "exp(-exp(x1))", "0*exp(x1)*x1 + 0/exp(x1)"] {
        let mut target = Expression::new(text, &names(1)).unwrap();
        let (value, slopes) = gradient(&mut target, &[800.0]);
        if value.is_ok_and(f64::is_finite) {
            assert_eq!(slopes, [0.0], "{text}");
        }
    }
}

#[test]
fn a_library_may_have_a_gradient() {
    let flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"];
    let Some(path) = compile("cc", &flags, &example("banana_library.c"), "libbanana_gradient.so") else { return };
    // SAFETY: the library is an example, and follows the header.
    let mut target = unsafe { SharedLibrary::load(LibrarySettings::new(&path), &names(2)) }.unwrap();
    for x in [[1.0, 2.0], [-7.0, 0.5]] {
        assert_is_gradient(&mut target, &x, 1e-6);
    }
    let plan = Plan { sampler: Sampler::pmala(), warmup: Warmup::Iterations(600), draws: Some(50), ..Plan::default() };
    assert!(sample(target, &[vec![0.0, 0.0]], &plan, Control::default()).is_ok());
}

/// A server for −(x1² + 2 x2²)/2 whose parameters come in two blocks. `slope` answers what is asked of a gradient, given the right answer.
fn server(mut slope: impl FnMut(&str, f64) -> Act + Send + 'static) -> FakeServer {
    FakeServer::start(move |path, body| {
        let numbers: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
        let x = |i: usize| numbers["input"][i][0].as_f64().unwrap_or(0.0);
        match path {
            "/Info" => ok(r#"{"protocolVersion": 1.0, "models": ["m"]}"#),
            "/ModelInfo" => ok(r#"{"support": {"Evaluate": true, "Gradient": true}}"#),
            "/InputSizes" => ok(r#"{"inputSizes": [1, 1]}"#),
            "/OutputSizes" => ok(r#"{"outputSizes": [1]}"#),
            "/Evaluate" => ok(&format!(r#"{{"output": [[{}]]}}"#, -0.5 * (x(0) * x(0) + 2.0 * x(1) * x(1)))),
            "/Gradient" => {
                let block = numbers["inWrt"].as_u64().unwrap_or(9) as usize;
                slope(body, [-x(0), -2.0 * x(1)][block])
            }
            _ => Act::Answer(404, "not found".into()),
        }
    })
}

#[test]
fn a_server_that_has_values_and_no_slopes_fails_like_any_other() {
    let server = server(|_, _| Act::Answer(500, "no slope today".into()));
    let settings = UmBridgeSettings { failures: 2, ..UmBridgeSettings::new(server.url()) };
    let mut target = UmBridge::connect(settings, &names(2)).unwrap();
    let mut look = || gradient(&mut target, &[0.5, -0.75]).0;
    assert!(matches!([look(), look()], [Err(EvalError::Failed(_)), Err(EvalError::Failed(_))]));
    assert!(matches!(look(), Err(EvalError::Fatal(_))));
}

#[test]
fn a_server_is_asked_for_the_slopes_along_each_block() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let saved = Arc::clone(&asked);
    let server = server(move |body, slope| {
        saved.lock().unwrap().push(body.to_owned());
        ok(&format!(r#"{{"output": [{slope}]}}"#))
    });
    let mut target = UmBridge::connect(UmBridgeSettings::new(server.url()), &names(2)).unwrap();
    assert_is_gradient(&mut target, &[0.5, -0.75], 1e-7);
    let first = asked.lock().unwrap()[..2].to_vec();
    assert_eq!(first[0], r#"{"name":"m","input":[[0.5],[-0.75]],"config":{},"outWrt":0,"inWrt":0,"sens":[1.0]}"#);
    assert!(first[1].contains(r#""inWrt":1"#), "{}", first[1]);
}
