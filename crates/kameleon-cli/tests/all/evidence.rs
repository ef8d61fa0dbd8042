//! The evidence, weighted draws and reweighting, as a person or a script meets them.

use crate::common::{json, kameleon, on_one_line, place, prints, says, text};
use std::fs;
use std::path::Path;

/// 7 events in 3 hours, whose evidence is ∫ rate⁸ exp(−4 rate) = 8!/4⁹.
const EVENTS: &str = "[model]\nlog-density = \"7*ln(rate) - 3*rate\"\n[parameters.rate]\nprior = \"gamma(2, 1)\"\n";

fn events(place: &Path) -> String {
    let file = place.join("events.toml");
    fs::write(&file, EVENTS).unwrap();
    text(&file).into()
}

#[test]
fn the_summary_has_one_line_and_json_the_figures() {
    let place = place("evidence");
    let (file, folder) = (events(&place), place.join("run"));
    let printed = prints(&["sample", &file, "--draws", "5000", "--quiet", "--out", text(&folder)]);
    let line = printed.lines().find(|line| line.starts_with("log evidence")).unwrap();
    assert!(line.starts_with("log evidence  -1.8") && line.contains(" ± 0.00") && line.chars().count() <= 80, "{line}");
    let run = json(&["summary", text(&folder)]);
    let exact = f64::ln(40_320.0) - 9.0 * f64::ln(4.0);
    let (evidence, jumps) = (&run["evidence"], &run["jumps"]);
    let (log, error) = (evidence["log"].as_f64().unwrap(), evidence["error"].as_f64().unwrap());
    assert!((log - exact).abs() < 4.0 * error && evidence["reliable"] == true && evidence["why"] == "", "{evidence}");
    assert_eq!(evidence["name"], "log evidence");
    for key in ["efficiency", "efficiency_of_draws", "efficiency_in_warmup", "pareto_k", "largest_z"] {
        assert!(jumps[key].is_f64(), "{key}: {jumps}");
    }
    assert_eq!(jumps["means"].as_array().unwrap().len(), 1);
    // The warm-up is told that was chosen, and not the most that it could have been.
    let warmup = run["warmup"].as_u64().unwrap();
    assert!((1..5000).contains(&warmup) && printed.contains(&format!("{warmup} iterations")), "{warmup}");
    let page = place.join("page.html");
    prints(&["report", text(&folder), "--out", text(&page)]);
    assert!(fs::read_to_string(page).unwrap().contains("<dt>log evidence</dt><dd>−1.8"));
}

#[test]
fn a_refusal_is_in_words_and_without_a_number() {
    let few = ["sample", "--draws", "50", "--warmup", "2000", "--quiet"];
    let printed = on_one_line(&prints(&few));
    let said = printed.split("log normalising constant ").nth(1).unwrap();
    assert!(said.starts_with("not reliable: "), "{said}");
    assert!(!printed.contains('±'), "{printed}");
    let evidence = &json(&few)["evidence"];
    assert!(evidence["log"].is_null() && evidence["error"].is_null() && evidence["reliable"] == false, "{evidence}");
    assert!(!evidence["why"].as_str().unwrap().is_empty());
    let without = ["sample", "--dim", "2", "--draws", "500", "--quiet", "--set", "output.keep-jumps=false"];
    let said = on_one_line(&prints(&without));
    let expected = "log normalising constant unknown: jump proposals were not kept (keep-jumps = false)";
    assert!(said.contains(expected), "{said}");
    let other = json(&["sample", "--sampler", "SM", "--dim", "2", "--draws", "500", "--warmup", "100"]);
    assert!(other["evidence"].is_null() && other["jumps"].is_null());
}

#[test]
fn a_stored_run_is_reweighted_or_the_change_is_refused() {
    let place = place("reweight");
    let (file, folder) = (events(&place), place.join("run"));
    prints(&["sample", &file, "--draws", "5000", "--quiet", "--out", text(&folder)]);
    // An exponential prior in place of the gamma prior.
    let reweight = |expression| ["reweight", text(&folder), "--log-ratio", expression].map(String::from);
    let run = |expression| kameleon(&reweight(expression).each_ref().map(String::as_str));
    let found = json(&reweight("-ln(rate)").each_ref().map(String::as_str));
    let rate = &found["parameters"][0];
    let (mean, error) = (rate["mean"].as_f64().unwrap(), rate["mcse_mean"].as_f64().unwrap());
    assert!((mean - 2.0).abs() < 4.0 * error && found["reliable"] == true, "{found}");
    assert!(found["pareto_k"].as_f64().unwrap() < 0.7 && found["ess"].as_f64().unwrap() > 1000.0, "{found}");
    let printed = String::from_utf8(run("-ln(rate)").stdout).unwrap();
    assert!(printed.lines().all(|line| line.chars().count() <= 80), "{printed}");
    assert!(printed.contains("effective size ") && printed.contains("change of the log evidence  "), "{printed}");
    let refused = run("50*rate");
    assert_eq!(refused.status.code(), Some(1));
    let said = on_one_line(&String::from_utf8(refused.stdout).unwrap());
    assert!(said.contains("not reliable: the change is too large for these draws"), "{said}");
    let wrong = |expression, words: &str| {
        let said = says(2, &reweight(expression).each_ref().map(String::as_str));
        assert!(said.contains(words), "{said}");
    };
    wrong("speed", "there is no parameter `speed`");
    wrong("ln(-rate)", "is NaN at a draw");
}

#[test]
fn weighted_draws_are_exported_with_their_log_weights() {
    let place = place("weighted");
    let (file, folder) = (events(&place), place.join("run"));
    prints(&["sample", &file, "--draws", "1000", "--quiet", "--out", text(&folder)]);
    prints(&["export", text(&folder), "--weighted"]);
    let table = fs::read_to_string(folder.join("weighted.csv")).unwrap();
    assert_eq!(table.lines().next(), Some("chain,draw,rate,log_weight"));
    let weights = table.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse::<f64>().unwrap().exp());
    let (sum, count) = weights.fold((0.0, 0.0), |(sum, count), w| (sum + w, count + 1.0));
    assert!((f64::ln(sum / count) + 1.872).abs() < 0.1, "the mean weight is the evidence");
    let other = place.join("other");
    prints(&["sample", "--sampler", "SM", "--draws", "500", "--warmup", "9", "--quiet", "--out", text(&other)]);
    assert!(says(2, &["export", text(&other), "--weighted"]).contains("no weighted draws: its sampler makes no jumps"));
}
