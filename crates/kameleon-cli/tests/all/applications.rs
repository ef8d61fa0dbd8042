//! `--target cbpp` and `--target sv`: posteriors of real data, by name.

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

#[test]
fn both_are_listed_and_wrong_use_is_told() {
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
    says(&["--target", "sv", "--noise", "1"], "model.noise: is for built-in targets");
    says(&["--target", "glas"], "there is no target \"glas\"; choose one of glass, ");
}
