//! Expressions mean what they say, and say what is wrong with them.

use crate::common::{assert_is_banana, evaluate, fatal, names};
use kameleon::{Control, Plan, Sampler, Target, Warmup, sample};
use kameleon_models::Expression;
use std::f64::consts::{E, PI};

fn value(text: &str) -> f64 {
    at(text, &[3.0, 5.0])
}

fn at(text: &str, x: &[f64]) -> f64 {
    let mut expression = Expression::new(text, &names(x.len())).unwrap_or_else(|error| panic!("{error}"));
    expression.value(x)
}

fn error(text: &str) -> String {
    Expression::new(text, &names(2)).unwrap_err().to_string()
}

#[test]
fn the_banana_is_the_banana() {
    let mut target = Expression::new("-(x1^2)/200 - (x2 - 0.1*(x1^2-100))^2/2", &names(2)).unwrap();
    assert_is_banana(&mut target);
    assert_eq!(target.dim(), Some(2));
    assert_eq!(target.names(2), names(2));
}

#[test]
fn operators_bind_as_in_mathematics() {
    assert_eq!(value("-x1^2"), -9.0);
    assert_eq!(value("2 - -x1"), 5.0);
    assert_eq!(value("2^3^2"), 512.0);
    assert_eq!(value("2**3**2"), 512.0);
    assert_eq!(value("x1^-2"), 1.0 / 9.0);
    assert_eq!(value("x1^-x2"), 3f64.powf(-5.0));
    assert_eq!(value("10 - 4 + 3 - 2"), 7.0);
    assert_eq!(value("x1/x2*2"), 3.0 / 5.0 * 2.0);
    assert_eq!(value("2*x1/x2/2"), 2.0 * 3.0 / 5.0 / 2.0);
    assert_eq!(value("1+2*x1^2"), 19.0);
    assert_eq!(value("-(-(+x1))"), 3.0);
    assert_eq!(value("2*-x1"), -6.0);
    assert_eq!(value("(1 + 2)\n\t* (x1 - x2)"), -6.0);
    assert_eq!(value("x1 − x2·2"), -7.0);
}

#[test]
fn numbers_and_constants_are_read() {
    assert_eq!(value("1e-3"), 1e-3);
    assert_eq!(value("1.5E+2 + .5 + 2."), 152.5);
    assert_eq!(value("pi"), PI);
    assert_eq!(value("π + e + tau"), PI + E + 2.0 * PI);
    assert_eq!(value("-inf"), f64::NEG_INFINITY);
    assert_eq!(value("2*e"), 2.0 * E);
}

#[test]
fn functions_compute_what_their_name_says() {
    assert_eq!(value("ln(x1) - log(x1)"), 0.0);
    assert_eq!(value("max(x1, x2, 4) - min(x2, x1)"), 2.0);
    assert_eq!(value("min(max(x1, 4), max(x2, 1), 7)"), 4.0);
    assert_eq!(value("atan2(x1, x2)"), libm::atan2(3.0, 5.0));
    assert_eq!(value("abs(-x1) + sqrt(x1*x1) + sign(-x1)"), 5.0);
    assert!((value("lgamma(x2)") - 24f64.ln()).abs() < 1e-14);
    assert!((value("logaddexp(-1000, -1000 + ln(3))") - (-1000.0 + 4f64.ln())).abs() < 1e-12);
    assert_eq!(value("logaddexp(-inf, x1)"), 3.0);
    assert_eq!(value("log1p(expm1(0))"), 0.0);
    assert!(value("max(0/0, 1)").is_nan() && value("min(1, 0/0)").is_nan());
    assert!(value("sqrt(-1)").is_nan());
    for name in Expression::functions() {
        let one = Expression::new(&format!("{name}(x1)"), &names(2));
        let two = Expression::new(&format!("{name}(x1, x2)"), &names(2));
        assert!(one.is_ok() != two.is_ok(), "{name}");
    }
}

#[test]
fn whole_powers_are_products_and_the_others_are_not() {
    assert_eq!(at("x1^3", &[-2.0]), -8.0);
    assert_eq!(at("x1^0", &[0.0]), 1.0);
    assert_eq!(at("x1^-1", &[4.0]), 0.25);
    assert_eq!(at("x1^64", &[2.0]), 2f64.powi(64));
    assert_eq!(at("x1^0.5", &[4.0]), 2.0);
    assert_eq!(at("x1^100", &[1.5]), libm::pow(1.5, 100.0));
}

#[test]
fn any_parameter_name_can_be_used() {
    let names = ["log rate", "e", "θ_1", "log", "theta[1]"].map(String::from);
    let mut target = Expression::new("{log rate} + 10*e + 100*θ_1 + log + log(1) + {theta[1]}", &names).unwrap();
    assert_eq!(target.value(&[1.0, 2.0, 3.0, 4.0, 5.0]), 330.0);
    assert!(
        Expression::new("1", &["a".into(), "a".into()])
            .unwrap_err()
            .to_string()
            .contains("two parameters are named `a`")
    );
    assert!(Expression::new("1", &["a}".into()]).unwrap_err().to_string().contains("not a valid name"));
    assert!(Expression::new("1", &[]).unwrap_err().to_string().contains("at least one"));
}

#[test]
fn an_unknown_parameter_is_pointed_at_and_the_known_ones_are_listed() {
    let text = error("-x1^2 - y/2");
    let wanted =
        "expression, character 9: there is no parameter `y`; the parameters are x1, x2\n  -x1^2 - y/2\n          ^";
    assert_eq!(text, wanted);
}

#[test]
fn every_slip_is_named_at_its_place() {
    for (text, at, why) in [
        ("", 1, "found the end"),
        ("x1 +", 5, "found the end"),
        ("(x1", 1, "never closed"),
        ("x1)", 3, "there is no opening bracket"),
        ("2 x1", 3, "expected an operator"),
        ("2x1", 1, "a product needs a `*`"),
        ("1.2.3", 1, "not a number"),
        ("x1(2)", 1, "is a parameter, not a function"),
        ("foo(x1)", 1, "the functions are abs, acos"),
        ("x1 + exp", 6, "the function needs brackets"),
        ("sin(x1, x2)", 1, "`sin` takes one argument, not 2"),
        ("atan2(x1)", 1, "`atan2` takes two arguments, not 1"),
        ("max(x1)", 1, "`max` takes two or more arguments, not 1"),
        ("sin()", 5, "expected a number"),
        ("(x1, x2)", 4, "a comma may only separate"),
        ("x1 $ 2", 4, "found `$`"),
        ("{x1", 1, "never closed"),
        ("{y}", 1, "no parameter `y`"),
        ("x1 = 2", 4, "found `=`"),
        ("1 + *", 5, "found `*`"),
    ] {
        let found = error(text);
        assert!(found.starts_with(&format!("expression, character {at}: ")) && found.contains(why), "{text}: {found}");
    }
}

#[test]
fn no_text_overflows_the_stack() {
    for part in ["(", "-(", "2^", "exp("] {
        assert!(error(&part.repeat(100_000)).contains("deeper than 200"), "{part}");
    }
    let shown = error(&format!("{} y", "x1 + ".repeat(10_000)));
    assert!(shown.len() < 300, "a long expression is shown in part");
    assert_eq!(value(&format!("{}x1", "-".repeat(10_000))), 3.0);
    assert_eq!(value(&format!("0{}", "+1".repeat(10_000))), 10_000.0);
}

#[test]
fn a_point_of_another_dimension_ends_the_run() {
    let mut target = Expression::new("x1 + x2", &names(2)).unwrap();
    assert!(fatal(&mut target, &[1.0]).contains("must have 2 coordinates, not 1"));
    assert_eq!(evaluate(&mut target, &[1.0, 2.0]).unwrap(), 3.0);
}

#[test]
fn exmex_agrees_where_its_precedence_is_the_usual_one() {
    use exmex::Express;
    for text in ["sin(x1)*cos(x2)+x1*x2", "(x1-x2)/(x1+x2)^2", "exp(-(x1^2))*sqrt(x2)", "ln(x1)+log10(x2)-tanh(x1)"] {
        let theirs = exmex::parse::<f64>(text).unwrap().eval(&[3.0, 5.0]).unwrap();
        assert!((value(text) - theirs).abs() < 1e-14 * theirs.abs().max(1.0), "{text}");
    }
}

#[test]
fn a_chain_samples_an_expression() {
    // The mean of 4 × 5,000 draws of a Gaussian around 7: within 0.5 by far.
    let target = Expression::new("-(x1 - 7)^2/2", &names(1)).unwrap();
    let plan =
        Plan { sampler: Sampler::am_ls(), warmup: Warmup::Iterations(1_000), draws: Some(5_000), ..Plan::default() };
    let run = sample(target, &[vec![0.0]], &plan, Control::default()).unwrap();
    let draws = run.draws().concat();
    let mean = draws.iter().sum::<f64>() / draws.len() as f64;
    assert!((mean - 7.0).abs() < 0.5, "{mean}");
}
