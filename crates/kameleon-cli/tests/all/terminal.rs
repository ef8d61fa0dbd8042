//! What is shown where: colours and bars on a terminal, logs on standard error, completions and the manual page.

use crate::common::{json, kameleon, place, prints, says, skip, text};
use std::process::{Command, Stdio};

/// What the program writes to a terminal of its own, with `NO_COLOR` set to this; none, with a note, where there is no
/// `script` to make one.
fn on_a_terminal(no_color: &str, args: &str) -> Option<String> {
    let mut script = Command::new("script");
    script.args(["-q", "-e", "-c", &format!("{} {args}", env!("CARGO_BIN_EXE_kameleon")), "/dev/null"]);
    script.env("NO_COLOR", no_color).env("TERM", "xterm").stdin(Stdio::null());
    match script.output() {
        Ok(output) => Some(String::from_utf8(output.stdout).unwrap()),
        Err(error) => {
            skip(&format!("script cannot be run ({error}), so nothing is tested on a terminal"));
            None
        }
    }
}

#[test]
fn the_verdict_is_coloured_on_a_terminal_only_and_not_where_that_is_refused() {
    let good = "sample --target gaussian --dim 2 --warmup 1000 --draws 4000";
    let bad = "sample --target gaussian --dim 2 --warmup 600 --draws 50";
    let Some(shown) = on_a_terminal("", good) else { return };
    assert!(shown.contains("\u{1b}[1;32mConverged: every R-hat"), "{shown:?}");
    assert!(shown.contains("chain  3 "), "there are bars on a terminal: {shown:?}");
    let shown = on_a_terminal("", bad).unwrap();
    assert!(shown.contains("\u{1b}[1;31mNot converged:\u{1b}[0m"), "{shown:?}");
    let shown = on_a_terminal("", "sample --dim 0").unwrap();
    assert!(shown.contains("\u{1b}[1;31merror:\u{1b}[0m "), "{shown:?}");
    for args in [good, bad, "sample --dim 0"] {
        let shown = on_a_terminal("1", args).unwrap();
        // The bars move the cursor, but nothing has a colour: no sequence ends in m.
        let plain = |rest: &str| !rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('m');
        assert!(shown.split("\u{1b}[").skip(1).all(plain), "{shown:?}");
    }
    let shown = prints(&good.split(' ').collect::<Vec<_>>());
    assert!(shown.contains("Converged: every R-hat") && !shown.contains('\u{1b}'), "{shown:?}");
}

#[test]
fn a_population_shows_where_it_is_on_a_terminal() {
    let file = place("population-terminal").join("run.toml");
    let model = "[model]\nlog-density = \"-8*(x-1)^2\"\n[parameters.x]\nprior = \"normal(0, 3)\"\n[run]\ndraws = 100\n";
    std::fs::write(&file, model).unwrap();
    let Some(shown) = on_a_terminal("1", &format!("sample {} --set population.looks=0", text(&file))) else { return };
    assert!(shown.contains("population  ladder 1: ") && shown.contains(" particles, log Z "), "{shown:?}");
}

#[test]
fn completions_manual_and_logs_are_there() {
    assert!(prints(&["completions", "bash"]).contains("kameleon"));
    assert!(prints(&["man"]).contains(".TH kameleon 1"));
    assert!(prints(&["--help"]).contains("Exit codes: 0 success"));
    let output =
        kameleon(&["sample", "--dim", "2", "--warmup", "600", "--draws", "10", "--log", "info", "--sampler", "SM"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("INFO") && said.contains("all 10 draws were made"), "{said}");
    assert!(!said.contains('\u{1b}'), "no colours where there is no terminal");
}

#[test]
fn an_error_tells_its_cause_once() {
    let place = place("errors");
    let run = place.join("run");
    prints(&["sample", "--dim", "2", "--warmup", "600", "--draws", "10", "--sampler", "SM", "--out", text(&run)]);
    let said = says(2, &["report", text(&run), "--out", text(&place.join("no/report.html"))]);
    assert_eq!(said.matches("No such file or directory").count(), 1, "{said}");
    // A folder for files is made where there is none.
    prints(&["export", text(&run), "--csv", "--out", text(&place.join("some/where"))]);
    assert!(place.join("some/where/posterior.csv").exists());
}

#[test]
fn every_command_has_a_manual_page() {
    let page = prints(&["man", "sample"]);
    assert!(page.contains(".TH kameleon-sample 1") && page.contains("max\\-minutes"), "{page}");
    assert!(says(2, &["man", "sampel"]).contains("there is no command `sampel`"));
}

#[test]
fn every_line_of_a_summary_fits_80_columns_and_verbose_shows_each_chain() {
    let place = place("width");
    let file = place.join("run.toml");
    let model = "parameters = [\"a_parameter_with_a_rather_long_name\", \"x\"]\n[model]\n\
                 log-density = \"-(a_parameter_with_a_rather_long_name/1e-9)^2/2 - (x - 1e6)^2/2\"\n";
    std::fs::write(&file, model).unwrap();
    let out = place.join("run");
    let size = ["--warmup", "1500", "--draws", "200", "--max-draws", "200", "--quiet"];
    let said = prints(&[&["sample", text(&file), "--out", text(&out), "--no-pool"], &size[..]].concat());
    let all = prints(&["summary", text(&out), "--verbose"]);
    // The line with the folder's name is as long as that.
    for line in said.lines().chain(all.lines()).filter(|line| !line.starts_with("stored in ")) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(said.contains("\n  move ") && !said.contains("by chain"), "{said}");
    assert!(all.contains("\nby chain (0, 1, 2, 3):\n  adaptive Metropolis, share: "), "{all}");
    let learned = &json(&["summary", text(&out)])["learned"];
    let made = &learned["moves"][0];
    assert_eq!((&made["move"], made["by_chain"].as_array().unwrap().len()), (&"adaptive Metropolis".into(), 4));
    assert!(made["acceptance"]["min"].as_f64() <= made["acceptance"]["max"].as_f64(), "{learned}");
}
