//! The diagnostics against the figures of ArviZ 0.23.4, which data/arviz_reference.py wrote down.

use kameleon::diagnose::*;
use serde_json::Value;

const REFERENCE: &str = include_str!("../data/arviz_reference.json");

/// A number, with null for NaN and a string for infinity.
fn number(value: &Value) -> f64 {
    match value {
        Value::Null => f64::NAN,
        Value::String(_) => f64::INFINITY,
        value => value.as_f64().expect("a number"),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().map_or_else(|| vec![number(value)], |list| list.iter().map(number).collect())
}

fn reference() -> Value {
    let text = std::env::var("KAMELEON_ARVIZ_REFERENCE").map(|path| std::fs::read_to_string(path).unwrap());
    serde_json::from_str(text.as_deref().unwrap_or(REFERENCE)).unwrap()
}

/// A diagnostic's name in the reference, and what computes it.
type Diagnostic = (&'static str, fn(&[&[f64]], &[f64]) -> Vec<f64>);

const DIAGNOSTICS: [Diagnostic; 13] = [
    ("r_hat", |c, _| vec![r_hat(c)]),
    ("r_hat_bulk", |c, _| vec![r_hat_bulk(c)]),
    ("r_hat_folded", |c, _| vec![r_hat_folded(c)]),
    ("ess_bulk", |c, _| vec![ess_bulk(c)]),
    ("ess_tail", |c, _| vec![ess_tail(c)]),
    ("ess_mean", |c, _| vec![ess_mean(c)]),
    ("ess_sd", |c, _| vec![ess_sd(c)]),
    ("ess_quantile", |c, at| at.iter().map(|p| ess_quantile(c, *p)).collect()),
    ("mcse_mean", |c, _| vec![mcse_mean(c)]),
    ("mcse_sd", |c, _| vec![mcse_sd(c)]),
    ("mcse_quantile", |c, at| at.iter().map(|p| mcse_quantile(c, *p)).collect()),
    ("quantile", |c, at| {
        let mut pooled = c.concat();
        pooled.sort_by(f64::total_cmp);
        at.iter().map(|p| quantile(&pooled, *p)).collect()
    }),
    ("autocorrelation", |c, _| autocorrelation(c[0]).into_iter().take(10).collect()),
];

#[test]
fn all_diagnostics_are_those_of_arviz() {
    let reference = reference();
    let probabilities = numbers(&reference["probabilities"]);
    let mut wrong = Vec::new();
    for case in reference["cases"].as_array().unwrap() {
        let chains: Vec<Vec<f64>> = case["chains"].as_array().unwrap().iter().map(numbers).collect();
        let chains: Vec<&[f64]> = chains.iter().map(Vec::as_slice).collect();
        let broken = chains.concat().iter().any(|x| x.is_nan());
        for (name, compute) in DIAGNOSTICS {
            // ArviZ leaves NaN draws out of its quantiles.
            if broken && name == "quantile" {
                continue;
            }
            let (ours, theirs) = (compute(&chains, &probabilities), numbers(&case[name]));
            assert_eq!(ours.len(), theirs.len());
            for (a, b) in ours.into_iter().zip(theirs) {
                // An autocorrelation is relative already, and may be zero but for rounding.
                let rounding = if name == "autocorrelation" { 1e-12 } else { 0.0 };
                let same = a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-8 * b.abs() + rounding;
                if !same {
                    wrong.push(format!("{}: {name} is {a}, ArviZ says {b}", case["name"]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
