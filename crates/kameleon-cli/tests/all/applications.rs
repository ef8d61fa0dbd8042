//! Posteriors of real data, by name: the noisy `cbpp` and `sv`, and those with a likelihood and priors.

use serde_json::Value;
use std::process::{Command, Output};

fn kameleon(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kameleon")).args(args).output().unwrap()
}

fn json(args: &[&str]) -> Value {
    let output = kameleon(&[&["sample", "--json", "--seed", "3"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn number(parameter: &Value, key: &str) -> f64 {
    parameter[key].as_f64().unwrap_or_else(|| panic!("{key}: {parameter}"))
}

#[test]
fn the_posterior_of_the_herds_does_not_depend_on_the_noise() {
    // Six standard errors of the difference: false alarms below 1e-7.
    let length = ["--warmup", "2000", "--draws", "8000"];
    let noisy = json(&[&["--target", "cbpp:n-imp=1"], &length[..]].concat());
    let precise = json(&[&["--target", "cbpp:n-imp=16"], &length[..]].concat());
    let (noisy, precise) = (noisy["parameters"].as_array().unwrap(), precise["parameters"].as_array().unwrap());
    let names = ["intercept", "period2", "period3", "period4", "log_sd"];
    // The maximum of the likelihood, which is within a standard deviation of the posterior's mean.
    let best = [-1.40, -0.99, -1.13, -1.58, -0.43];
    assert_eq!(noisy.len(), names.len());
    for ((a, b), (name, best)) in noisy.iter().zip(precise).zip(names.iter().zip(best)) {
        assert_eq!(a["name"], *name);
        let error = number(a, "mcse_mean").hypot(number(b, "mcse_mean"));
        assert!((number(a, "mean") - number(b, "mean")).abs() < 6.0 * error, "{a} {b}");
        assert!((number(b, "mean") - best).abs() < number(b, "sd"), "{b}");
    }
}

#[test]
fn the_volatility_is_sampled_with_its_names() {
    let run = json(&["--target", "sv:particles=10", "--warmup", "700", "--draws", "50", "--chains", "2"]);
    let names: Vec<&Value> = run["parameters"].as_array().unwrap().iter().map(|p| &p["name"]).collect();
    assert_eq!(names, ["mu", "logit_phi", "log_sigma"]);
    assert_eq!(run["target"], "sv:particles=10");
}

#[test]
fn a_run_of_a_posterior_is_kept_shown_and_resumed() {
    let folder = std::env::temp_dir().join(format!("kameleon-cbpp-{}", std::process::id()));
    let name = folder.to_str().unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    let short = ["--target", "cbpp", "--warmup", "700", "--draws", "100", "--out", name];
    json(&short);
    let more = kameleon(&["resume", name, "--draws", "150", "--json"]);
    let whole = json(&["--target", "cbpp", "--warmup", "700", "--draws", "150"]);
    let more: Value = serde_json::from_slice(&more.stdout).unwrap();
    assert_eq!(more["parameters"], whole["parameters"]);
    let summary = kameleon(&["summary", name]);
    assert!(String::from_utf8(summary.stdout).unwrap().contains("period4"));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The evidence by quadrature: over ln τ, and over the year of the change (crates/kameleon-models/tests/posterior_means.py).
#[test]
fn the_evidence_of_exact_posteriors_is_what_quadrature_gives() {
    for (name, log_evidence) in [("eight-schools", -31.311_349), ("coal", -177.365_649)] {
        let run = json(&["--target", name, "--warmup", "4000", "--draws", "8000"]);
        let evidence = &run["evidence"];
        assert_eq!(evidence["name"], "log evidence");
        // Five standard errors: one false alarm in two millions.
        let distance = (number(evidence, "log") - log_evidence).abs() / number(evidence, "error");
        assert!(distance < 5.0 && number(evidence, "error") < 0.02, "{name}: {evidence}");
    }
}

#[test]
fn a_prior_of_an_exact_posterior_is_replaced_by_a_flag() {
    let short = ["--target", "nile", "--warmup", "700", "--draws", "2000"];
    let own = json(&short);
    let tight = json(&[&short[..], &["--set", "parameters.sd_level.prior=half-normal(1)"]].concat());
    let level = |run: &Value| number(&run["parameters"][2], "mean");
    assert!(own["parameters"][2]["name"] == "sd_level" && level(&own) > 30.0 && level(&tight) < 5.0);
}

#[test]
fn all_are_listed_and_wrong_use_is_told() {
    let list = String::from_utf8(kameleon(&["list"]).stdout).unwrap();
    assert!(list.contains("cbpp\n") && list.contains("n-imp = 2 ") && list.contains("particles = 150 "), "{list}");
    let says = |args: &[&str], text: &str| {
        let output = kameleon(&[&["sample"], args].concat());
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(message.contains(text), "{args:?}: {message}");
    };
    says(&["--target", "cbpp:n-imp=0"], "n-imp: must be from 1 to 1000000, not 0");
    says(&["--target", "cbpp:n-imp=1.5"], "n-imp: must be a whole number, 0 or more, not 1.5");
    says(&["--target", "sv:n-imp=3"], "model.target.n-imp: sv has no such setting; it has particles");
    says(&["--target", "sv", "--dim", "8"], "8: sv has 3 parameters; leave dim out");
    says(&["--target", "nile", "--set", "parameters.x.lower=1"], "nile has no parameter `x`; it has level, sd_flow");
    says(&["--target", "nile", "--noise", "1"], "model.noise: is for built-in targets");
    says(&["--target", "nile:b=1"], "nile has no settings");
    says(&["--target", "sv", "--noise", "1"], "model.noise: is for built-in targets");
    says(&["--target", "glas"], "there is no target \"glas\"; choose one of glass, ");
}
