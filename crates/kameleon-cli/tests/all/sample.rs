//! The program as a person or a script meets it: tables, JSON, errors and exit codes.

use serde_json::Value;
use std::process::{Command, Output};

fn kameleon(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kameleon")).args(args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What it says on standard error when it refuses.
fn refusal(args: &[&str]) -> String {
    let output = kameleon(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert!(output.stdout.is_empty(), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn json(args: &[&str]) -> Value {
    let output = kameleon(args);
    assert_eq!(output.status.code(), Some(0));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_default_run_finds_the_banana() {
    let output = kameleon(&["sample"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "quiet when not on a terminal");
    let text = stdout(&output);
    assert!(text.starts_with("kameleon on banana in 8 dimensions: 4 chains"), "{text}");
    let run = json(&["sample", "--json"]);
    // The figures of the fixed seed; a chain that is stuck in a tail would have a mean off by 5 and more.
    assert!(run["mean_norm"].as_f64().unwrap() < 3.0, "{}", run["mean_norm"]);
    assert!(run["quantile_deviation"].as_f64().unwrap() < 0.02, "{}", run["quantile_deviation"]);
    for word in ["mean", "sd", "MCSE", "bulk", "tail", "R-hat", "x8", "‖mean‖", "quantile deviation", "kernel step"]
    {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn json_has_every_field_and_the_truth_is_near() {
    let run = json(&["sample", "--json", "--target", "gaussian", "--dim", "3", "--warmup", "3000", "--draws", "20000"]);
    for key in [
        "target",
        "sampler",
        "chains",
        "warmup",
        "draws",
        "evaluations",
        "seconds",
        "acceptance",
        "learned",
        "warnings",
        "remarks",
    ] {
        assert!(!run[key].is_null(), "{key}");
    }
    assert_eq!(run["evaluations"], 4 * 23_001);
    let parameters = run["parameters"].as_array().unwrap();
    assert_eq!(parameters.len(), 3);
    for parameter in parameters {
        for key in ["mean", "sd", "mcse_mean", "ess_bulk", "ess_tail", "r_hat", "q5", "q50", "q95"] {
            assert!(parameter[key].is_f64(), "{key}");
        }
        // Eight standard errors.
        let tolerance = 8.0 * parameter["mcse_mean"].as_f64().unwrap();
        assert!(parameter["mean"].as_f64().unwrap().abs() < tolerance, "{parameter}");
    }
    assert!(run["mean_norm"].as_f64().unwrap() < 0.5);
    assert!(run["quantile_deviation"].as_f64().unwrap() < 0.05);
}

#[test]
fn wrong_use_is_told_with_what_is_allowed() {
    let says = |args: &[&str], text: &str| {
        let message = refusal(&[&["sample"], args].concat());
        assert!(message.starts_with("error: ") && message.contains(text), "{args:?}: {message}");
    };
    says(&["--target", "pear"], "there is no target \"pear\"; choose one of ");
    says(&["--target", "bananas"], "choose one of banana, ");
    says(&["--target", "banana:c=1"], "model.target.c: banana has no such setting; it has b, v");
    says(&["--target", "banana:b"], "should be key=value");
    says(&["--target", "banana:v=-1"], "model.target.v: must be positive");
    says(&["--dim", "1"], "model.dim: must be from 2 to 1000000, not 1");
    says(&["--sampler", "kamelon"], "there is no sampler \"kamelon\"; choose one of kameleon, ");
    says(&["--sampler", "KAMH-LS:n=0"], "sampler.n: must be from 1 to 1000000, not 0");
    says(&["--sampler", "KAMH-LS", "--kernel", "box"], "sampler.kernel: there is no kernel \"box\"; choose one of ");
    says(&["--sampler", "KAMH-LS", "--kernel", "matern:order=0.5"], "above 1");
    says(&["--bandwidth", "wide"], "say median, or a number");
    says(&["--sampler", "KAMH-LS", "--bandwidth", "-1"], "sampler.bandwidth: must be positive");
    says(
        &["--sampler", "SM", "--kernel", "gaussian"],
        "SM has no such setting; it has nu; KAMH-LS, KAMH, PCA-Kameleon have one",
    );
    says(&["--sampler", "KAMH-LS", "--gamma", "-0.2"], "gamma: must be positive");
    says(&["--sampler", "KAMH-LS", "--n", "0"], "n: must be from 1");
    says(&["--sampler", "KAMH-LS", "--warmup", "400"], "longer warm-up or a smaller discard");
    says(&["--draws", "0"], "draws:");
    says(&["--chains", "0"], "chains:");
    says(&["--start", "0,zero"], "\"zero\" is not a number");
    says(&["--start", "0,0"], "has 2 coordinates, but there are 8 parameters");
    says(&["--noise", "-1"], "model.noise: must be zero or positive");
    says(&["--correlation", "1"], "correlation:");
    says(&["--sampler", "KAMH-LS", "--kernel", "polynomial:degree=2.5"], "whole number");
    says(&["--sampler", "SM", "--published"], "sampler.published: SM has no such setting");
    says(&["--draws", "many"], "invalid value 'many' for '--draws <COUNT>': it should be a whole number, 0 or more");
    says(&["--noise", "much"], "it should be a number");
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_kameleon")).arg("list").stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("writing to standard output failed"));
}

/// What is printed after Ctrl-C.
#[cfg(unix)]
fn interrupted(more: &[&str]) -> String {
    let child = Command::new(env!("CARGO_BIN_EXE_kameleon"))
        .args(["sample", "--draws", "1000000", "--thin", "1000", "--sampler", "SM", "--dim", "2"])
        .args(more)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    crate::common::signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    crate::common::on_one_line(&stdout(&output))
}

#[cfg(unix)]
#[test]
fn ctrl_c_prints_what_was_drawn_and_exits_130() {
    let text = interrupted(&[]);
    assert!(text.contains("stopped before its end") && text.contains("R-hat"), "{text}");
    let text = interrupted(&["--warmup", "1000000000000"]);
    assert!(text.contains("There are no draws yet") && !text.contains("NaN") && !text.contains("R-hat"), "{text}");
}
