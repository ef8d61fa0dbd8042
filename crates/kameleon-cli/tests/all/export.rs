//! The report and the files of a run on disk, from outside the program.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn kameleon(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kameleon")).args(args).output().unwrap()
}

fn done(args: &[&str]) -> String {
    let output = kameleon(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refusal(args: &[&str]) -> String {
    let output = kameleon(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// A short run in a folder.
fn run(folder: &Path) -> String {
    let folder = folder.join("run").display().to_string();
    let run = ["--dim", "2", "--chains", "2", "--warmup", "2000", "--draws", "500", "--keep-warmup", "--quiet"];
    done(&[&["sample", "--out", &folder], &run[..]].concat());
    folder
}

#[test]
fn a_run_on_disk_gives_a_report_and_files() {
    let kept = tempfile::tempdir().unwrap();
    let folder = run(kept.path());
    let report = format!("{folder}/report.html");
    assert_eq!(done(&["report", &folder]).trim(), report);
    let page = fs::read_to_string(&report).unwrap();
    assert!(page.contains("banana") && page.contains("<th scope=\"row\"><button type=\"button\" data-name=\"x2\">"));
    for learned in ["scale of the steps", "components of the jump density", "points of the history", "jump"] {
        assert!(page.contains(&format!("<th scope=\"row\">{learned}</th>")), "{learned}");
    }
    let elsewhere = kept.path().join("page.html").display().to_string();
    assert_eq!(done(&["report", &folder, "--out", &elsewhere]).trim(), elsewhere);
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), page);

    let said = done(&["export", &folder, "--netcdf", "--csv", "--parquet", "--warmup"]);
    let names = ["posterior.nc", "posterior.csv", "posterior.parquet"];
    assert_eq!(said.lines().map(String::from).collect::<Vec<_>>(), names.map(|name| format!("{folder}/{name}")));
    let table = fs::read_to_string(format!("{folder}/posterior.csv")).unwrap();
    assert_eq!(table.lines().next(), Some("chain,draw,x1,x2,log_density"));
    assert_eq!(table.lines().count(), 1001);
    assert!(fs::read(format!("{folder}/posterior.nc")).unwrap().starts_with(b"\x89HDF"));
    assert!(fs::read(format!("{folder}/posterior.parquet")).unwrap().ends_with(b"PAR1"));
}

#[test]
fn wrong_use_is_told() {
    let kept = tempfile::tempdir().unwrap();
    let missing = kept.path().join("no-run").display().to_string();
    assert!(refusal(&["report", &missing]).contains("no-run"));
    let folder = run(kept.path());
    let wanted = refusal(&["export", &folder]);
    assert!(wanted.contains("--netcdf") && wanted.contains("--parquet"), "{wanted}");
    let nowhere = format!("{folder}/no/such/page.html");
    assert!(refusal(&["report", &folder, "--out", &nowhere]).contains("no/such"));
}
