//! Thinning a run on disk, as a person or a script meets it.

use crate::common::{json, on_one_line, place, prints, says, text};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Four chains of a banana in two dimensions.
fn run(place: &Path) -> PathBuf {
    let folder = place.join("run");
    let run = ["sample", "--dim", "2", "--warmup", "1500", "--draws", "1000", "--quiet", "--out"];
    prints(&[&run[..], &[text(&folder)]].concat());
    folder
}

/// The lines of a table by their chain and draw, and without these.
fn rows(table: &str) -> HashMap<(String, String), String> {
    let row = |line: &str| {
        let mut cells = line.splitn(3, ',').map(String::from);
        let mut next = || cells.next().unwrap();
        ((next(), next()), next())
    };
    table.lines().skip(1).map(row).collect()
}

#[test]
fn kept_draws_are_draws_of_the_run_and_the_report_shows_them() {
    let place = place("thin");
    let folder = run(&place);
    let said = prints(&["thin", text(&folder), "--to", "64"]);
    let file = folder.join("thinned.csv");
    assert!(on_one_line(&said).starts_with("64 of 4000 draws, MMD to all of them 0.0"), "{said}");
    assert_eq!(said.lines().last(), Some(text(&file)));
    let thinned = fs::read_to_string(&file).unwrap();
    assert_eq!(thinned.lines().next(), Some("chain,draw,x1,x2,log_density"));
    prints(&["export", text(&folder), "--csv"]);
    let (all, kept) = (rows(&fs::read_to_string(folder.join("posterior.csv")).unwrap()), rows(&thinned));
    assert_eq!(kept.len(), 64);
    assert!(kept.iter().all(|(key, row)| all.get(key) == Some(row)));

    prints(&["report", text(&folder)]);
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("<dt>thinned to</dt><dd>64 of 4000 draws"));
    // The same again, and as one object.
    let told = json(&["thin", text(&folder), "--to", "64"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), thinned);
    assert!(told["mmd"].as_f64().unwrap() < 0.25 * told["mmd_standard"].as_f64().unwrap(), "{told}");
    assert_eq!(told["chain"].as_array().unwrap().len(), 64);
    let other = prints(&["thin", text(&folder), "--to", "64", "--seed", "2"]);
    assert!(other != said && fs::read_to_string(&file).unwrap() != thinned);
}

#[test]
fn weighted_draws_are_thinned_to_draws_without_weights_in_any_format() {
    let place = place("thin-weighted");
    let folder = run(&place);
    for (file, begins) in [("few.parquet", &b"PAR1"[..]), ("few.nc", b"\x89HDF"), ("few.csv", b"chain,draw,x1,x2")] {
        let file = place.join(file);
        let said = prints(&["thin", text(&folder), "--to", "50", "--weighted", "--out", text(&file)]);
        assert!(said.starts_with("50 of ") && said.contains(" weighted draws"), "{said}");
        assert!(fs::read(&file).unwrap().starts_with(begins));
    }
    // The first parameter of the banana has mean 0 and standard deviation 10.
    let table = fs::read_to_string(place.join("few.csv")).unwrap();
    let first = |line: &str| line.split(',').nth(2).unwrap().parse::<f64>().unwrap();
    let mean = table.lines().skip(1).map(first).sum::<f64>() / 50.0;
    assert!(mean.abs() < 1.5, "{mean}");
}

#[test]
fn what_cannot_be_thinned_is_told() {
    let place = place("thin-wrong");
    let folder = run(&place);
    let refused = |more: &[&str]| on_one_line(&says(2, &[&["thin", text(&folder)], more].concat()));
    assert!(refused(&["--to", "4001"]).contains("4001 draws cannot be kept: there are only 4000"));
    assert!(refused(&["--to", "0"]).contains("at least one draw must be kept"));
    assert!(refused(&["--to", "9", "--out", "kept.xlsx"]).contains("must end in one of"));
    let weighted = refused(&["--to", "9", "--out", text(&place.join("a.weighted.csv"))]);
    assert!(weighted.contains("thinned draws have equal weights"), "{weighted}");
    fs::write(folder.join("thinned.json"), "{}").unwrap();
    let told = prints(&["summary", text(&folder)]);
    assert!(on_one_line(&told).contains("what thinning kept cannot be read"), "{told}");
}
