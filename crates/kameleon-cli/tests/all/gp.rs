//! `--target glass` and `--target gp`: names, n_imp, errors with row and column, the same figures on any threads.

use serde_json::Value;
use std::process::{Command, Output};

fn kameleon(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kameleon")).arg("sample").args(args).output().unwrap()
}

fn json(args: &[&str]) -> Value {
    let output = kameleon(&[args, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What it says on standard error when it refuses.
fn refusal(args: &[&str]) -> String {
    let output = kameleon(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert!(output.stdout.is_empty(), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// A file of its own for each test.
fn file(name: &str, text: &str) -> String {
    let path = format!("{}/{name}.csv", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&path, text).unwrap();
    path
}

/// Forty rows in which high `dose` goes with `ill`, and `noise` with nothing.
fn table(name: &str) -> String {
    let mut text = String::from("dose,state,noise\n");
    for i in 0..40 {
        let (dose, noise) = (f64::from(i * 7 % 40) / 10.0, f64::from(i * 11 % 17));
        let state = if dose + 0.4 * f64::from(i % 5) > 2.6 { "ill" } else { "well" };
        text += &format!("{dose},{state},{noise}\n");
    }
    file(name, &text)
}

const SHORT: [&str; 6] = ["--warmup", "600", "--draws", "200", "--chains", "2"];

fn names(run: &Value) -> Vec<&str> {
    run["parameters"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect()
}

#[test]
fn glass_is_sampled_with_its_columns_as_names_and_n_imp_chosen_by_a_pilot() {
    let run = json(&[&["--target", "glass"], &SHORT[..]].concat());
    assert_eq!(run["target"], "glass");
    assert_eq!(names(&run)[..3], ["log_l2[RI]", "log_l2[Na]", "log_l2[Mg]"]);
    assert_eq!(names(&run).len(), 9);
    assert!((2..=16).contains(&run["n_imp"].as_u64().unwrap()), "{run}");
    assert_eq!(run["n_imp_chosen_by"], "pilot");
    assert!(run["sd_log_estimate"].as_f64().unwrap() < 0.5);
    assert_eq!(run["evaluations"], 2 * 801);
    assert_eq!((&run["rejected_estimates"], &run["raised_jitter"]), (&0.into(), &0.into()));
    assert!(run["mean_norm"].is_null() && run["quantile_deviation"].is_null(), "there is no truth to compare with");
}

#[test]
fn a_fixed_n_imp_overrides_the_pilot() {
    let args = ["--target", "glass", "--n-imp", "3", "--parametrisation", "published", "--dim", "9"];
    let run = json(&[&args, &SHORT[..]].concat());
    assert_eq!((&run["n_imp"], &run["n_imp_chosen_by"]), (&3.into(), &"user".into()));
    assert_eq!(names(&run)[8], "log_weight[Fe]");
    assert_eq!(run["jitter"], 1e-3);
}

#[test]
fn a_table_of_ones_own_is_read_described_and_sampled_with_every_model() {
    let data = table("own");
    let gp = ["--target", "gp", "--data", data.as_str(), "--label", "state"];
    let output = kameleon(&[&gp, &["--positive", "ill"][..], &SHORT[..]].concat());
    let text = crate::common::on_one_line(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(output.status.code(), Some(0));
    for words in [
        &format!("kameleon on {data} in 2 dimensions"),
        "40 rows, 2 columns; +1 is ill",
        "Gaussian covariance, logistic likelihood, samples from Laplace's approximation, θ = log ℓ²",
        "chosen by a pilot run: n_imp = ",
        "log_l2[dose]",
        "log_l2[noise]",
        "sd(log p̂) at the posterior mean",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let model = ["--approximation", "EP", "--likelihood", "probit", "--covariance", "matern52", "--amplitude"];
    let run = json(&[&gp, &model[..], &["--standardise", "none"], &SHORT[..]].concat());
    assert_eq!(names(&run), ["log_l2[dose]", "log_l2[noise]", "log_amplitude2"]);
    assert_eq!(json(&[&gp, &["--correlation", "0.9"][..], &SHORT[..]].concat())["correlation"], 0.9);
}

#[test]
fn what_is_wrong_with_a_table_is_told_with_file_row_and_column() {
    let says = |name: &str, text: &str, expected: &str| {
        let data = file(name, text);
        let message = refusal(&["--target", "gp", "--data", &data, "--label", "class"]);
        assert_eq!(message, format!("error: {data}: {expected}\n"));
    };
    says("nolabel", "a,b\n1,x\n2,y\n", "there is no column `class`; the table has a, b");
    says("word", "a,class\n1,x\ntwo,y\n", "row 2, column `a`: `two` is not a finite number");
    says("gap", "a,class\n1,x\n,y\n", "row 2, column `a`: the value is missing");
    says("same", "a,b,class\n1,3,x\n2,3,y\n", "column `b` is constant: every row has 3; leave it out");
    says("one", "a,class\n1,x\n2,x\n", "label column `class` must have two values, not 1: x");
    let missing = refusal(&["--target", "gp", "--data", "no/such.csv", "--label", "class"]);
    assert!(missing.starts_with("error: --data no/such.csv: "), "{missing}");
}

#[test]
fn flags_that_do_not_go_together_are_refused() {
    let says = |args: &[&str], text: &str| {
        let message = refusal(args);
        assert!(message.starts_with("error: ") && message.contains(text), "{args:?}: {message}");
    };
    let data = table("flags");
    let gp = ["--target", "gp", "--data", data.as_str(), "--label", "state"];
    says(&["--target", "gp"], "needs a table: --data FILE");
    says(&gp[..4], "--label COLUMN");
    says(&[&gp, &["--positive", "dead"][..]].concat(), "has ill and well, not `dead`");
    says(&[&gp, &["--n-imp", "0"][..]].concat(), "n_imp: must be at least 1");
    says(&[&gp, &["--n-imp", "few"][..]].concat(), "say auto, or a whole number");
    says(&[&gp, &["--n-imp", "4", "--dim", "3"][..]].concat(), "has 2 parameters; leave dim out");
    says(
        &["--target", "glass", "--data", &data],
        "model.gp.data: is for a table of your own; glass brings its own data",
    );
    says(&["--target", "glass", "--noise", "1"], "model.noise: is for built-in targets");
    says(&["--target", "glass", "--parametrisation", "code"], "say text or published");
    says(&["--target", "glass", "--approximation", "vb"], "expected `laplace` or `ep`");
    says(&["--target", "banana", "--n-imp", "4"], "--n-imp is for --target glass or gp");
}

#[test]
fn a_stuck_chain_is_warned_of() {
    let run = json(&["--target", "gaussian", "--dim", "2", "--noise", "4", "--warmup", "3000", "--draws", "5000"]);
    let warnings = run["warnings"].to_string();
    assert!(warnings.contains("is stuck") && warnings.contains("correlation = 0.99"), "{warnings}");
    let run = json(&["--target", "gaussian", "--dim", "2", "--warmup", "3000", "--draws", "5000"]);
    assert!(!run["warnings"].to_string().contains("is stuck"), "{run}");
}

#[test]
fn the_summary_of_a_run_on_disk_has_the_noise_that_the_run_had() {
    let data = table("noise");
    let out = format!("{}/gp-noise", env!("CARGO_TARGET_TMPDIR"));
    let _ = std::fs::remove_dir_all(&out);
    let run = json(&[&["--target", "gp", "--data", &data, "--label", "state", "--out", &out], &SHORT[..]].concat());
    let summary = |more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_kameleon")).args(["summary", &out]).args(more).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        crate::common::on_one_line(&String::from_utf8(output.stdout).unwrap())
    };
    let read: Value = serde_json::from_str(&summary(&["--json"])).unwrap();
    for key in ["n_imp", "n_imp_chosen_by", "sd_log_estimate", "parameters", "warnings"] {
        assert_eq!(read[key], run[key], "{key}");
    }
    assert!(run["raised_jitter"].is_u64() && read["raised_jitter"].is_null(), "what is not kept is not told");
    let said = summary(&[]);
    let noise = format!("sd(log p̂) at the posterior mean: {:.3}", run["sd_log_estimate"].as_f64().unwrap());
    assert!(said.contains(&noise) && said.contains("40 rows, 2 columns"), "{noise}: {said}");
    std::fs::remove_file(&data).unwrap();
    let said = summary(&[]);
    assert!(said.contains("that need the model are left out: the table ") && said.contains("log_l2[dose]"), "{said}");
}
