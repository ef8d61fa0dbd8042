//! Run files and folders as a person meets them: interrupted, killed, locked, on a full disk, on many machines.

use crate::common::{command, draws, json, on_one_line, place, prints, says, signal, text};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A run file, as `sampler` and `run` say.
fn run_file(place: &Path, sampler: &str, run: &str) -> PathBuf {
    let file = place.join("run.toml");
    let banana = "-(x1^2)/200 - (x2 - 0.1*(x1^2 - 100))^2/2";
    let rest = "[output]\nsave-every = 0.01\nformats = [\"csv\"]\n";
    fs::write(
        &file,
        format!("parameters = [\"x1\", \"x2\"]\n[model]\nlog-density = \"{banana}\"\n[sampler]\n{sampler}\n[run]\n{run}\n{rest}"),
    )
    .unwrap();
    file
}

#[test]
fn the_example_of_init_runs_as_it_is_and_is_never_overwritten() {
    let place = place("init");
    let (file, out) = (place.join("mine.toml"), place.join("out"));
    let said = prints(&["init", text(&file)]);
    assert!(said.contains("kameleon sample "), "{said}");
    let run = json(&["sample", text(&file), "--out", text(&out)]);
    assert_eq!((&run["parameters"][0]["name"], &run["draws"]), (&"rate".into(), &20_000.into()));
    // The rate has the law Gamma(9, 4): mean 9/4, and eight standard errors.
    let (mean, error) =
        (run["parameters"][0]["mean"].as_f64().unwrap(), run["parameters"][0]["mcse_mean"].as_f64().unwrap());
    assert!((mean - 2.25).abs() < 8.0 * error, "{mean} ± {error}");
    assert!(out.join("posterior.nc").exists());
    assert!(says(2, &["init", text(&file)]).contains("already exists"));
    assert_eq!(prints(&["init", "-"]), fs::read_to_string(&file).unwrap());
    // What is kept with a run is a run file.
    let again = json(&["sample", text(&out.join("settings.toml"))]);
    assert_eq!(again["parameters"], run["parameters"]);
    // And the summary is that of the run, also for people.
    let summary = json(&["summary", text(&out)]);
    assert_eq!((&summary["parameters"], &summary["evaluations"]), (&run["parameters"], &run["evaluations"]));
    assert!(prints(&["summary", text(&out)]).contains("R-hat"));
}

#[test]
fn flags_win_over_the_file_and_errors_name_the_line() {
    let place = place("flags");
    let file = run_file(&place, "name = \"SM\"", "chains = 2\nwarmup = 10\ndraws = 20");
    let file = text(&file);
    let run = json(&["sample", file, "--draws", "30", "--set", "run.thin=2", "--set", "parameters.x1.lower=-50"]);
    assert_eq!(
        (&run["draws"], &run["chains"], &run["thin"], &run["sampler"]),
        (&30.into(), &2.into(), &2.into(), &"SM".into())
    );
    assert_eq!(json(&["sample", file, "--target", "ring", "--dim", "3"])["parameters"].as_array().unwrap().len(), 3);
    assert!(says(2, &["sample", file, "--set", "run.drawz=3"]).contains("unknown key `drawz`"));
    assert!(says(2, &["sample", file, "--set", "run.draws"]).contains("should be KEY=VALUE"));
    assert!(says(2, &["sample", file, "--until", "ess"]).contains("should be ess=NUMBER or rhat=NUMBER"));
    assert!(says(2, &["sample", file, "--max-draws", "0"]).contains("run.max-draws: must be at least 1"));
    assert!(says(2, &["sample", "none.toml"]).contains("none.toml cannot be read"));
    fs::write(file, "[model]\ntarget = \"pear\"\n").unwrap();
    let said = says(2, &["sample", file]);
    assert!(said.contains("run.toml, line 2, column 10: model.target: there is no target \"pear\""), "{said}");
}

#[test]
fn ctrl_c_saves_the_run_and_says_how_to_go_on() {
    let place = place("ctrl-c");
    let file = run_file(&place, "name = \"SM\"", "chains = 2\nwarmup = 100\ndraws = 3000\nthin = 1000");
    let (whole, out) = (place.join("whole"), place.join("out"));
    prints(&["sample", text(&file), "--out", text(&whole), "--quiet"]);
    let mut command = command(&["sample", text(&file), "--out", text(&out)]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while !out.join("status.toml").exists() {
        sleep(Duration::from_millis(5));
    }
    // Only one process may work on the folder.
    let said = says(2, &["resume", text(&out)]);
    assert!(said.contains("in use by another process") || child.try_wait().unwrap().is_some(), "{said}");
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(&format!("to resume: kameleon resume {}\n", text(&out))), "{said}");
    let run = json(&["resume", text(&out)]);
    assert_eq!(run["draws"], 3000);
    assert_eq!(draws(&out), draws(&whole));
}

/// Kills the program at ten moments and resumes each time until the run is complete, with what must come out.
fn survives(place: &Path, sampler: &str, warmup: &str, jumps: bool) {
    let plan = format!("chains = 2\n{warmup}\ndraws = 2000\nthin = 20\nthreads = 2");
    let file = run_file(place, sampler, &plan);
    let whole = place.join("whole");
    let started = std::time::Instant::now();
    prints(&["sample", text(&file), "--out", text(&whole), "--quiet"]);
    let length = started.elapsed();
    for kill in 0..10_u32 {
        let out = place.join(format!("killed-{kill}"));
        let mut child = command(&["sample", text(&file), "--out", text(&out)]).stdout(Stdio::null()).spawn().unwrap();
        // Spread over the run, and over its very beginning.
        sleep(length * ((kill * 37 + 5) % 100) / 100);
        child.kill().unwrap();
        child.wait().unwrap();
        if !out.join("settings.toml").exists() {
            prints(&["sample", text(&file), "--out", text(&out), "--quiet"]);
        }
        prints(&["resume", text(&out), "--quiet"]);
        assert_eq!(draws(&out), draws(&whole), "{sampler}, kill {kill}");
        let weighted = |folder: &Path| {
            prints(&["export", text(folder), "--weighted"]);
            fs::read_to_string(folder.join("weighted.csv")).unwrap()
        };
        assert!(!jumps || weighted(&out) == weighted(&whole), "weighted draws, kill {kill}");
    }
}

#[test]
fn killed_at_ten_moments_a_run_goes_on_as_if_it_had_not_been() {
    survives(&place("killed"), "name = \"KAMH-LS\"\nn = 200", "warmup = 3000", false);
}

#[test]
fn killed_at_ten_moments_chains_that_learn_together_go_on_as_if_they_had_not_been() {
    let warmup = "warmup = \"chains\"\nmax-warmup = 5000";
    survives(&place("killed-pooled"), "name = \"kameleon\"\nn = 200", warmup, true);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run_and_leaves_what_was_there() {
    let place = place("full");
    let file = run_file(&place, "name = \"SM\"", "chains = 1\nwarmup = 100\ndraws = 2000\nthin = 1000");
    let (whole, out) = (place.join("whole"), place.join("out"));
    prints(&["sample", text(&file), "--out", text(&whole), "--quiet"]);
    let mut child = command(&["sample", text(&file), "--out", text(&out)])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while !out.join("status.toml").exists() {
        sleep(Duration::from_millis(2));
    }
    // The next checkpoint goes to a device on which there is no space.
    let trap = out.join(".chain-0.checkpoint.new");
    while std::os::unix::fs::symlink("/dev/full", &trap).is_err() && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(1));
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("to resume: kameleon resume"), "{said}");
    let summary = json(&["summary", text(&out)]);
    assert!(summary["warnings"].to_string().contains("No space left on device"), "{summary}");
    // It is gone with the attempt, unless the device was never written to.
    let _ = fs::remove_file(&trap);
    prints(&["resume", text(&out)]);
    assert_eq!(draws(&out), draws(&whole));
}

#[test]
fn a_file_that_may_not_grow_ends_the_run_and_leaves_what_was_there() {
    let place = place("limit");
    let file = run_file(&place, "name = \"SM\"", "chains = 1\nwarmup = 100\ndraws = 30000\nthin = 10");
    let (whole, out) = (place.join("whole"), place.join("out"));
    prints(&["sample", text(&file), "--out", text(&whole), "--quiet"]);
    // A draw is 33 bytes, so that the journal would come to a million; 1000 blocks of 512 bytes are allowed.
    let script = "ulimit -f 1000; exec \"$0\" sample \"$1\" --out \"$2\"";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_kameleon"), text(&file), text(&out)])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("to resume: kameleon resume"), "{said}");
    let shown = on_one_line(&String::from_utf8(output.stdout).unwrap());
    assert!(shown.contains("chain-0.journal: writing to the journal failed: File too large"), "{shown}");
    let journal = fs::read(out.join("chain-0.journal")).unwrap();
    assert!(fs::read(whole.join("chain-0.journal")).unwrap().len() > 2 * 512_000 - 50_000);
    // What was written before the limit is whole, and there is nothing behind it.
    assert!((400_000..=512_000).contains(&journal.len()), "{}", journal.len());
    let summary = json(&["summary", text(&out)]);
    let warnings = summary["warnings"].to_string();
    assert!(warnings.contains("File too large") && !warnings.contains("incomplete"), "{warnings}");
    assert!((12_000..30_000).contains(&summary["draws"].as_u64().unwrap()), "{summary}");
    prints(&["resume", text(&out), "--quiet"]);
    assert_eq!(draws(&out), draws(&whole));
}

#[test]
fn a_summary_says_how_the_numbers_of_draws_of_chains_differ() {
    let place = place("lengths");
    let (file, out) = (run_file(&place, "name = \"SM\"", "chains = 2\nwarmup = 100\ndraws = 30000"), place.join("out"));
    prints(&["sample", text(&file), "--out", text(&out), "--quiet"]);
    let journal = out.join("chain-1.journal");
    let bytes = fs::read(&journal).unwrap();
    fs::write(&journal, &bytes[..bytes.len() / 2]).unwrap();
    let summary = json(&["summary", text(&out)]);
    let (least, most) = (summary["draws"].as_u64().unwrap(), summary["most_draws"].as_u64().unwrap());
    assert!((1000..29_000).contains(&least) && most == 30_000, "{least} {most}");
    let said = on_one_line(&prints(&["summary", text(&out)]));
    assert!(said.contains(&format!("{least} to 30000 draws each")), "{said}");
}

#[test]
fn a_plan_in_parts_is_merged_into_the_run_of_one_machine() {
    let place = place("array");
    let file = run_file(&place, "name = \"AM-LS\"", "chains = 3\nwarmup = 600\ndraws = 100");
    let whole = place.join("whole");
    prints(&["sample", text(&file), "--out", text(&whole)]);
    let parts: Vec<PathBuf> = (0..3).map(|k| place.join(format!("part-{k}"))).collect();
    for (k, part) in parts.iter().enumerate() {
        let said = on_one_line(&prints(&["sample", text(&file), "--chain", &k.to_string(), "--out", text(part)]));
        assert!(said.contains(&format!("chain {k}, 600 iterations")), "{said}");
    }
    let merged = place.join("merged");
    let folders: Vec<&str> = parts.iter().map(|part| text(part)).collect();
    let said = says(2, &[&["merge"], &folders[..2], &["--out", text(&merged)]].concat());
    assert!(said.contains("these are missing: 2"), "{said}");
    prints(&[&["merge"], &folders[..], &["--out", text(&merged)]].concat());
    assert_eq!(json(&["summary", text(&merged)])["parameters"], json(&["summary", text(&whole)])["parameters"]);
    assert_eq!(draws(&merged), draws(&whole));
    assert!(says(2, &["sample", text(&file), "--chain", "3"]).contains("there is no chain 3: the plan has 3"));
    assert!(says(2, &["sample", text(&file), "--chain", "0", "--until", "ess=9"]).contains("run.until"));
    let said = says(2, &["sample", text(&file), "--chain", "0", "--sampler", "kameleon"]);
    assert!(said.contains("learn together") && said.contains("--no-pool"), "{said}");
}

#[test]
fn a_rule_ends_the_run_and_the_reason_is_told() {
    let place = place("until");
    let file = run_file(&place, "name = \"kameleon\"", "warmup = 3000\ndraws = 20000");
    let run = json(&["sample", text(&file), "--until", "ess=300,rhat=1.1"]);
    assert!(run["ended"].as_str().unwrap().starts_with("ess=300,rhat=1.1 was reached after "), "{run}");
    assert!(run["draws"].as_u64().unwrap() < 20_000);
    let said = on_one_line(&prints(&["sample", text(&file), "--until", "ess=1e7", "--max-draws", "300"]));
    assert!(
        said.contains("warning: the limit of 300 draws in each chain (max-draws) was reached before ess=10000000"),
        "{said}"
    );
}

#[test]
fn a_program_is_started_from_the_users_own_run_file_only() {
    let place = place("program");
    let (file, out) = (place.join("run.toml"), place.join("out"));
    // Next to the run file, named relative to it.
    let model = place.join("model.sh");
    fs::write(&model, "#!/bin/sh\nwhile read -r line; do echo '{\"log_density\": 0}'; done\n").unwrap();
    fs::set_permissions(&model, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    fs::write(
        &file,
        "[model]\nprogram = [\"./model.sh\"]\n[parameters.a]\nprior = \"normal(3, 1)\"\n[run]\nchains = 2\nwarmup = 600\ndraws = 300\n[sampler]\nname = \"AM-LS\"\n",
    )
    .unwrap();
    let run = json(&["sample", text(&file), "--out", text(&out)]);
    assert!((run["parameters"][0]["mean"].as_f64().unwrap() - 3.0).abs() < 1.0, "{run}");
    let said = says(2, &["resume", text(&out), "--draws", "400"]);
    assert!(said.contains("model.sh") && said.contains("--trust"), "{said}");
    prints(&["summary", text(&out)]);
    assert_eq!(json(&["resume", text(&out), "--draws", "400", "--trust"])["draws"], 400);
    // A program that dies ends the run, with its last words.
    fs::write(&model, "#!/bin/sh\necho 'no licence' >&2\nexit 3\n").unwrap();
    let output = command(&["sample", text(&file)]).output().unwrap();
    let shown = on_one_line(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(output.status.code(), Some(1), "{shown}");
    assert!(shown.contains("points in a row failed") && shown.contains("no licence"), "{shown}");
}

#[test]
fn models_that_are_not_there_are_told_and_leave_no_run_behind() {
    let place = place("missing");
    let (file, out) = (place.join("run.toml"), place.join("out"));
    fs::write(&file, "parameters = [\"a\"]\n[model]\nprogram = [\"/nowhere/model\"]\n").unwrap();
    let output = command(&["sample", text(&file), "--out", text(&out)]).output().unwrap();
    let (shown, said) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(on_one_line(&shown).contains("program /nowhere/model cannot be started"), "{shown}");
    assert!(output.status.code() == Some(1) && !said.contains("to resume") && !out.exists(), "{said}");
    fs::write(&file, "parameters = [\"a\"]\n[model]\nlibrary = \"no.so\"\n").unwrap();
    let said = says(2, &["sample", text(&file)]);
    assert!(said.contains(&format!("shared library {}", text(&place.join("no.so")))), "{said}");
    fs::write(&file, "parameters = [\"a\"]\n[model]\nurl = \"http://127.0.0.1:9\"\nretries = 0\n").unwrap();
    let said = says(2, &["sample", text(&file)]);
    assert!(said.contains("model server http://127.0.0.1:9"), "{said}");
    fs::write(&file, "parameters = [\"a\"]\n[model]\nexternal = \"f\"\n").unwrap();
    assert!(says(2, &["sample", text(&file)]).contains("a function of another program"));
}

#[test]
fn a_classification_run_predicts_new_rows() {
    let place = place("predict");
    let (table, rows, out) = (place.join("table.csv"), place.join("rows.csv"), place.join("out"));
    let lines: String = (0..30).map(|i| format!("{},{}\n", i, if i >= 15 { "high" } else { "low" })).collect();
    fs::write(&table, format!("dose,class\n{lines}")).unwrap();
    fs::write(&rows, "dose\n0\n29\n").unwrap();
    let gp =
        ["sample", "--target", "gp", "--data", text(&table), "--label", "class", "--positive", "high", "--n-imp", "4"];
    prints(&[&gp[..], &["--warmup", "600", "--draws", "50", "--sampler", "AM-LS", "--out", text(&out)]].concat());
    let said = prints(&["predict", text(&out), text(&rows)]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!((lines[0], lines.len()), ("row,p(high)", 3));
    let p = |line: &str| line.split_once(',').unwrap().1.parse::<f64>().unwrap();
    assert!(p(lines[1]) < 0.3 && p(lines[2]) > 0.7, "{said}");
    assert!(prints(&["predict", text(&out), text(&rows), "--weighted", "--draws", "5"]).starts_with("row,p(high)\n1,"));
    fs::write(&rows, "other\n0\n").unwrap();
    assert!(says(2, &["predict", text(&out), text(&rows)]).contains("dose"));
}

/// A run file in this folder with a model of one parameter.
fn one_parameter(folder: &std::path::Path, model: &str) -> String {
    let file = folder.join("run.toml");
    fs::write(
        &file,
        format!("parameters = [\"a\"]\nstart = [[0.5]]\n[model]\n{model}\n[run]\nwarmup = 300\ndraws = 200\n"),
    )
    .unwrap();
    text(&file).into()
}

#[test]
fn a_changed_model_is_refused_on_resume_with_both_values() {
    let place = place("changed-model");
    let (file, folder) = (one_parameter(&place, "log-density = \"-a^2\""), place.join("out"));
    let run = prints(&["sample", &file, "--sampler", "SM", "--out", text(&folder)]);
    assert!(run.contains("200 draws"), "{run}");
    let settings = fs::read_to_string(folder.join("settings.toml")).unwrap();
    fs::write(folder.join("settings.toml"), settings.replace("-a^2", "-2*a^2")).unwrap();
    let said = says(2, &["resume", text(&folder), "--draws", "300"]);
    assert!(
        said.contains("the model is not the one that was sampled: at a = ") && said.contains("--changed"),
        "{said}"
    );
    prints(&["resume", text(&folder), "--draws", "300", "--changed"]);
}

#[test]
fn a_program_that_was_changed_is_refused_on_resume() {
    let place = place("changed-program");
    let write = |factor: u32| {
        let body = format!(
            "while read -r line; do x=${{line##*[}}; x=${{x%%]*}}; echo \"{{\\\"log_density\\\": -{factor}}}\"; done\n"
        );
        fs::write(place.join("model.sh"), body).unwrap();
    };
    write(1);
    let file = one_parameter(&place, "program = [\"sh\", \"model.sh\"]");
    let folder = place.join("out");
    prints(&[
        "sample",
        &file,
        "--sampler",
        "SM",
        "--out",
        text(&folder),
        "--set",
        "parameters.a.lower=0",
        "--set",
        "parameters.a.upper=1",
    ]);
    write(2);
    let said = says(2, &["resume", text(&folder), "--trust", "--draws", "300"]);
    assert!(said.contains("its log density was -1 and is -2 now"), "{said}");
}

#[test]
fn parts_that_have_not_ended_are_named_and_merged_on_demand() {
    let place = place("merge-incomplete");
    let file = one_parameter(&place, "log-density = \"-a^2\"");
    let parts: Vec<String> = (0..2).map(|k| text(&place.join(format!("part-{k}"))).to_owned()).collect();
    for (k, part) in parts.iter().enumerate() {
        let chain = k.to_string();
        let minutes = if k == 1 { "0.000001" } else { "10" };
        let more = ["--chains", "2", "--no-pool", "--warmup", "500000", "--max-minutes", minutes, "--chain", &chain];
        prints(&[&["sample", &file, "--sampler", "SM", "--out", part], &more[..]].concat());
    }
    let out = place.join("merged");
    let merge = ["merge", &parts[0], &parts[1], "--out", text(&out)];
    let said = says(2, &merge);
    assert!(said.contains("part-1: this part ended in its warm-up") && said.contains("--incomplete"), "{said}");
    prints(&[&merge[..], &["--incomplete"]].concat());
    let summary = prints(&["summary", text(&out)]);
    assert!(summary.contains("1 of the 2 chains have no draws") && !summary.contains("Converged"), "{summary}");
}

#[test]
fn a_failure_at_the_first_evaluation_shows_no_table() {
    let place = place("first-evaluation");
    let file = one_parameter(&place, "program = [\"false\"]");
    let output = command(&["sample", &file, "--out", text(&place.join("out"))]).output().unwrap();
    let (out, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!((output.status.code(), &*out), (Some(1), ""), "{said}");
    assert!(said.contains("cannot start at a = 0.5") && said.contains("ended without an answer"), "{said}");
    assert!(!place.join("out").join("settings.toml").exists());
    // A model that fails at every start that is drawn has failed, and the run with it.
    fs::write(&file, fs::read_to_string(&file).unwrap().replace("start = [[0.5]]\n", "")).unwrap();
    let output = command(&["sample", &file, "--out", text(&place.join("out"))]).output().unwrap();
    let out = on_one_line(&String::from_utf8_lossy(&output.stdout));
    assert_eq!(output.status.code(), Some(1), "{out}");
    assert!(out.contains("points in a row failed") && !out.contains("NaN") && !out.contains("onverged"), "{out}");
    assert!(!place.join("out").join("settings.toml").exists());
}
