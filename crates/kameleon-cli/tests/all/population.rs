//! A run from the prior, as a person or a script meets it.

use crate::common::{command, draws, json, kameleon, on_one_line, place, prints, says, signal, text};
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// Two modes 12 standard deviations apart, of weights .3 and .7, in three dimensions.
const TWO: &str = "[model]\nlog-density = \"ln(0.3*exp(-2*(alpha+3)^2) + 0.7*exp(-2*(alpha-3)^2)) - 2*(b^2+c^2)\"\n\
    [parameters.alpha]\nprior = \"uniform(-10, 10)\"\n[parameters.b]\nprior = \"normal(0, 3)\"\n\
    [parameters.c]\nprior = \"normal(0, 3)\"\n[population]\nparticles = 300\ncheck = 500\n[output]\nformats = [\"csv\"]\n";

fn two(place: &Path) -> String {
    let file = place.join("two.toml");
    fs::write(&file, TWO).unwrap();
    text(&file).into()
}

#[test]
fn the_summary_lists_modes_json_has_them_and_draws_are_labelled_on_request() {
    let place = place("population");
    let (file, folder) = (two(&place), place.join("run"));
    let output = kameleon(&["sample", &file, "--draws", "1000", "--log", "info", "--out", text(&folder)]);
    let (said, log) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(log.contains("population: ladder 1: level") && log.contains("particles, log Z"), "{log}");
    assert!(on_one_line(&said).contains("in 3 dimensions: population of 300, "), "{said}");
    assert!(
        on_one_line(&said).contains("evaluations, then 4 chains, 200 iterations of warm-up and 1000 draws"),
        "{said}"
    );
    assert!(said.contains("\nlog evidence by the population's ladder  "), "{said}");
    let (_, table) = said.split_once("\nmodes found:\n").unwrap();
    let rows: Vec<Vec<&str>> = table.lines().take(3).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["mode", "weight", "log", "evidence", "chains", "alpha", "b", "c"]);
    let number = |row: usize, cell: usize| rows[row][cell].parse::<f64>().unwrap();
    // The weight has a standard error of .01, the means of the modes .02.
    assert!((number(1, 1) - 0.7).abs() < 0.06 && (number(1, 6) - 3.0).abs() < 0.12 && rows[1][0] == "1", "{table}");
    assert!((number(2, 6) + 3.0).abs() < 0.12 && rows[2][5] == "0–3" && rows[2][0] == "2", "{table}");
    assert!(said.lines().all(|line| line.chars().count() <= 80 || line.starts_with("stored in ")), "{said}");
    let found = json(&["summary", text(&folder)]);
    let population = &found["population"];
    assert!(population["ladder_log_z"].is_f64() && population["batches"].is_u64(), "{population}");
    assert!(found["evaluations"].as_u64() > population["evaluations"].as_u64());
    let modes = population["modes"].as_array().unwrap();
    let weights: Vec<f64> = modes.iter().map(|mode| mode["weight"].as_f64().unwrap()).collect();
    assert!(modes.len() == 2 && (weights[0] - 0.7).abs() < 0.06 && (weights[0] + weights[1] - 1.0).abs() < 1e-9);
    assert!(
        modes[0]["error"].is_f64()
            && modes[0]["log_evidence"].is_f64()
            && modes[0]["where"].as_array().unwrap().len() == 3
    );
    assert_eq!(modes[1]["chains"].as_array().unwrap().len(), 4);
    prints(&["export", text(&folder), "--csv", "--netcdf", "--parquet", "--modes"]);
    let labelled = draws(&folder);
    assert_eq!(labelled.lines().next(), Some("chain,draw,alpha,b,c,log_density,mode"));
    for line in labelled.lines().skip(1) {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(cells[6], if cells[2] > 0.0 { 1.0 } else { 2.0 }, "{line}");
    }
    prints(&["report", text(&folder)]);
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(
        page.contains("<h2>Modes</h2>") && page.contains("data-mode=\"1\"") && page.contains("\"modes\":[["),
        "modes"
    );
}

#[test]
fn where_short_looks_saw_one_mode_or_modes_cannot_be_told_the_summary_says_so() {
    let place = place("population-looks");
    let file = place.join("one.toml");
    fs::write(&file, "[model]\nlog-density = \"-2*a^2\"\n[parameters.a]\nprior = \"normal(0, 3)\"\n").unwrap();
    let said = prints(&["sample", text(&file), "--draws", "300", "--quiet"]);
    assert!(
        on_one_line(&said)
            .contains("one mode, by short looks: a mode that is less than 0.07 times as wide may be missing")
    );
    let ladder = prints(&["sample", text(&file), "--draws", "300", "--quiet", "--set", "population.looks=0"]);
    assert!(ladder.contains("by the population's ladder  ") && !ladder.contains("short looks"), "{ladder}");
    assert!(ladder.contains("one mode: a mode that is less than 0.01 times as wide may be missing"), "{ladder}");
}

#[test]
fn a_run_whose_time_is_over_in_the_population_says_what_was_done_and_how_to_resume() {
    let place = place("population-late");
    let (file, folder) = (two(&place), place.join("run"));
    let output = kameleon(&["sample", &file, "--out", text(&folder), "--max-minutes", "0.0000001"]);
    let (said, log) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(!output.status.success() && log.contains("to resume: kameleon resume "), "{said}{log}");
    assert!(on_one_line(&said).contains("0 iterations of warm-up and 0 draws each"), "{said}");
    prints(&["report", text(&folder)]);
    assert!(!fs::read_to_string(folder.join("report.html")).unwrap().contains("<td>NaN"));
    // The chains have not begun, so there is no number of draws that this one could be too small for.
    let output = kameleon(&["resume", text(&folder), "--draws", "10"]);
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(!log.contains("fewer than") && log.contains("to resume: "), "{log}");
}

#[test]
fn killed_in_the_population_and_resumed_it_is_the_whole_run() {
    let place = place("population-killed");
    let (file, whole) = (two(&place), place.join("whole"));
    let size = ["--draws", "300", "--quiet", "--set", "output.save-every=0", "--set", "population.particles=600"];
    prints(&[&["sample", &file, "--out", text(&whole)], &size[..]].concat());
    let folder = place.join("killed");
    for attempt in 0..3 {
        let _ = fs::remove_dir_all(&folder);
        let args = [&["sample", &file, "--out", text(&folder)], &size[..]].concat();
        let mut child = command(&args).stdout(Stdio::null()).spawn().unwrap();
        // As soon as there is something to go on from.
        while !folder.join("population.checkpoint").exists() && child.try_wait().unwrap().is_none() {}
        signal(&child, "-KILL");
        child.wait().unwrap();
        let shown = on_one_line(&prints(&["summary", text(&folder)]));
        if attempt == 0 && !shown.contains("Converged") {
            assert!(shown.contains("the run has not ended"), "{shown}");
        }
        prints(&["resume", text(&folder), "--quiet"]);
        assert_eq!(draws(&folder), draws(&whole));
    }
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let place = place("population-refused");
    let file = two(&place);
    let said = |args: &[&str]| says(2, &[&["sample", &file], args].concat());
    assert!(says(2, &["sample", "--warmup", "population"]).contains("needs one of every parameter"));
    assert!(said(&["--warmup", "population", "--start", "0,0,0"]).contains("a population needs no start"));
    assert!(said(&["--warmup", "population", "--chain", "0"]).contains("none can be run alone in memory"));
    assert!(
        said(&["--warmup", "2.5"]).contains("must be a number of iterations, \"chains\", \"population\" or \"auto\"")
    );
    assert!(said(&["--set", "population.particles=1"]).contains("population.particles: must be from 50"));
    assert!(said(&["--set", "population.partikels=1"]).contains("unknown key `partikels`"));
    let folder = place.join("chains");
    prints(&["sample", &file, "--warmup", "chains", "--draws", "100", "--quiet", "--out", text(&folder)]);
    assert!(says(2, &["export", text(&folder), "--csv", "--modes"]).contains("has no modes to tell"));
}

#[test]
fn too_few_evaluations_for_a_population_are_told_and_so_are_parameters_that_a_target_drops() {
    let place = place("population-small");
    let file = place.join("one.toml");
    fs::write(&file, "[model]\nlog-density = \"-2*a^2\"\n[parameters.a]\nprior = \"normal(0, 3)\"\n").unwrap();
    let small = prints(&["sample", text(&file), "--max-evaluations", "8000", "--quiet"]);
    assert!(
        on_one_line(&small).contains("no population (with fewer than 20000 evaluations only if asked for), 4 chains"),
        "{small}"
    );
    let asked = prints(&["sample", text(&file), "--max-evaluations", "8000", "--warmup", "500", "--quiet"]);
    assert!(!asked.contains("20000"), "{asked}");
    let output = kameleon(&["sample", text(&file), "--target", "banana", "--draws", "300", "--quiet"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("of its parameters (a) is not used"), "{said}");
}
