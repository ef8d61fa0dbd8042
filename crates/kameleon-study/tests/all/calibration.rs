//! Calibration studies: what they find, and what they refuse.

use kameleon_study::{Calibration, Scale, Selection, Settings};
use std::fs;
use std::sync::atomic::AtomicBool;

const CALIBRATION: &str = r#"
title = "two targets"
seeds = 2
lengths = [{ warmup = 1000, draws = 1000 }]

[[target]]
name = "Gaussian"
model = { target = "gaussian:dim=2" }
truth = [[0, 1, -1.645, 0, 1.645]]

[[target]]
name = "elsewhere"
model = { target = "gaussian:dim=2" }
truth = [[50, 1, 48.355, 50, 51.645]]
"#;

#[test]
fn calibration_tells_wrong_runs_from_right_ones_and_makes_none_twice() {
    let out = std::env::temp_dir().join(format!("kameleon-calibration-{}", std::process::id()));
    let stop = AtomicBool::new(false);
    let settings = Settings {
        scale: Scale::Tiny,
        seed: 1,
        threads: 2,
        extras: false,
        out: out.clone(),
        command: String::new(),
        program: std::env::current_exe().unwrap(),
        stop: &stop,
        watch: &(),
    };
    let study = Calibration::parse("calibration.toml", CALIBRATION).unwrap();
    let selection = Selection::default();
    let table = study.run(&selection, &settings).unwrap();
    let runs = fs::read_to_string(out.join("runs.jsonl")).unwrap();
    assert_eq!(runs.lines().count(), 4);
    let row = |name: &str| table.lines().find(|line| line.starts_with(&format!("| {name} "))).unwrap().to_owned();
    // A mean that is off by 50 standard deviations is off in every figure but the standard deviations.
    assert!(row("Gaussian").contains("| 1000 + 1000 | 2 |"), "{table}");
    assert!(row("elsewhere").contains("| 80.0 % of "), "{table}");
    assert_eq!(study.run(&selection, &settings).unwrap(), table);
    assert_eq!(fs::read_to_string(out.join("runs.jsonl")).unwrap(), runs);
    // A run of another program, and runs of another model of the same name, are made again.
    let made_by = runs.split("\"made_by\":\"").nth(1).unwrap().split('"').next().unwrap();
    fs::write(out.join("runs.jsonl"), runs.replacen(made_by, "older", 1)).unwrap();
    assert_eq!(study.run(&selection, &settings).unwrap(), table);
    let lines = || fs::read_to_string(out.join("runs.jsonl")).unwrap().lines().count();
    assert_eq!(lines(), 5);
    let moved = CALIBRATION.replace("[[50, 1, 48.355, 50, 51.645]]", "[[0, 1, -1.645, 0, 1.645]]");
    let moved = Calibration::parse("calibration.toml", &moved).unwrap().run(&selection, &settings).unwrap();
    assert!(!moved.contains("80.0 % of") && lines() == 7, "{moved}");
    // What does not exist is not judged: of each run the standard deviations of two parameters are left.
    let unknown = CALIBRATION.replace("[[50, 1, 48.355, 50, 51.645]]", "[[nan, 1, nan, nan, nan]]");
    let unknown = Calibration::parse("calibration.toml", &unknown).unwrap().run(&selection, &settings).unwrap();
    let row = unknown.lines().find(|line| line.starts_with("| elsewhere ")).unwrap();
    assert!(row.contains("| 0.0 % of 4 | – |"), "{unknown}");
    fs::remove_dir_all(out).unwrap();
}

#[test]
fn the_calibration_study_is_read_and_a_mistake_in_one_is_told_with_its_line() {
    let text = include_str!("../../../../experiments/calibration.toml");
    assert!(Calibration::parse("calibration.toml", text).is_ok());
    let wrong = CALIBRATION.replace("seeds = 2", "seeds = true");
    let error = Calibration::parse("mine.toml", &wrong).err().unwrap().to_string();
    assert!(error.contains("mine.toml, line 3"), "{error}");
    let twice = CALIBRATION.replace("elsewhere", "Gaussian");
    let error = Calibration::parse("mine.toml", &twice).err().unwrap().to_string();
    assert!(error.contains("comes twice"), "{error}");
}
