//! Every block of commands in README and docs runs: shorter, and with stand-ins for what installs or takes hours.

use crate::common::{place, prints, text};
use kameleon_runs::RunSettings;
use kameleon_study::Study;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The commands that are not `kameleon` itself. Each refuses what does not exist.
const STAND_INS: &[(&str, &str)] = &[
    (
        "cargo",
        r#"case "$*" in "run --release -- "*) shift 3; exec kameleon "$@";;
        "run --release -p "*) test -e "$ROOT/crates/$4/examples/$6.rs";;
        "publish --workspace --locked" | "update --workspace") ;; *) exit 1;; esac"#,
    ),
    ("git", r#"case "$1" in commit | tag | push) ;; *) exit 1;; esac"#),
    ("make", r#"exec "$(command -p -v make)" --dry-run --directory="$ROOT" "$@" >/dev/null"#),
    ("R", r#"[ "$1 $2" = "CMD INSTALL" ] && test -e "$ROOT/$3/DESCRIPTION""#),
    ("pip", r#"[ "$1" = install ] && [ -n "$2" ]"#),
    ("python", r#"test -e "$1""#),
    ("cc", r#"for last; do :; done; test -e "$last""#),
    ("gfortran", r#"for last; do :; done; test -e "$last""#),
    ("mpiexec", r#"for last; do :; done; test -e "$last""#),
];

/// Runs are short, and studies are only read.
const KAMELEON: &str = r#"case "$1" in
    sample) case "$*" in *"--warmup "*) ;; *) set -- "$@" --warmup 700;; esac
        case "$*" in *"--draws "*) ;; *) set -- "$@" --draws 100;; esac
        exec "$KAMELEON" "$@" --quiet;;
    paper) exec "$KAMELEON" "$@" --help;;
    compare) test -e "$2" && exec "$KAMELEON" "$@" --help;;
    *) exec "$KAMELEON" "$@";;
esac"#;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The blocks of a language in a page.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line.trim() == format!("```{language}") {
            found.push(lines.by_ref().take_while(|line| line.trim() != "```").collect::<Vec<_>>().join("\n") + "\n");
        }
    }
    found
}

/// A folder with all that the commands of a page take for granted.
fn prepare(name: &str, page: &str) -> PathBuf {
    let folder = place(&format!("docs-{name}"));
    fs::create_dir(folder.join("bin")).unwrap();
    for (command, body) in STAND_INS.iter().copied().chain([("kameleon", KAMELEON)]) {
        let file = folder.join("bin").join(command);
        fs::write(&file, format!("#!/bin/bash\n{body}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for shared in ["experiments", "docs", "examples", "crates", "python"] {
        std::os::unix::fs::symlink(root().join(shared), folder.join(shared)).unwrap();
    }
    let label = if page.contains("--label outcome") { "outcome" } else { "COLUMN" };
    let rows: String = (0..20).map(|k| format!("{},{}.5,{}\n", k % 2, k * k % 7, k % 3)).collect();
    fs::write(folder.join("my.csv"), format!("{label},a,b\n{rows}")).unwrap();
    for (k, toml) in blocks(page, "toml").iter().enumerate() {
        fs::write(folder.join(if k == 0 { "events.toml" } else { "other.toml" }), toml).unwrap();
        fs::write(folder.join("my-study.toml"), toml).unwrap();
    }
    if let Some(script) = blocks(page, "python").first() {
        fs::write(folder.join("fit.py"), script).unwrap();
    }
    let short = ["sample", "--dim", "2", "--warmup", "700", "--draws", "100", "--out"];
    prints(&[&short[..], &[text(&folder.join("DIR"))]].concat());
    folder
}

fn runs(folder: &Path, script: &str, task: &str) {
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap());
    let mut bash = Command::new("bash");
    bash.args(["-e", "-c", script]).current_dir(folder).env("PATH", path).env("HOME", folder).env("ROOT", root());
    let output =
        bash.env("KAMELEON", env!("CARGO_BIN_EXE_kameleon")).env("SLURM_ARRAY_TASK_ID", task).output().unwrap();
    assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// README and the pages of the documentation.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> =
        fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|ending| ending == "md"));
    pages.push(root().join("README.md"));
    pages
}

#[test]
fn every_block_of_settings_in_the_documentation_is_understood() {
    let mut count = 0;
    for path in pages() {
        for block in blocks(&fs::read_to_string(&path).unwrap(), "toml") {
            // A sampler of a study is written as that of a run, and a part of a run file needs a model.
            let model = match (block.contains("[model]"), block.contains("[parameters")) {
                (true, _) => "",
                (false, true) => "[model]\nlog-density = \"0\"\n",
                (false, false) => "[model]\ntarget = \"banana\"\n",
            };
            let run = block.replace("[sampler.sampler]", "[sampler]") + model;
            let as_run = RunSettings::from_toml(&run, "run.toml").map(drop).map_err(|why| why.to_string());
            let as_study = Study::parse("study.toml", &block).map(drop).map_err(|why| why.to_string());
            assert!(as_run.is_ok() || as_study.is_ok(), "{}\n{block}\n{as_run:?}\n{as_study:?}", path.display());
            count += 1;
        }
    }
    assert!(count > 8, "{count}");
}

#[test]
fn every_block_of_commands_in_the_documentation_runs() {
    let mut count = 0;
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        let scripts = blocks(&page, "sh");
        if scripts.is_empty() {
            continue;
        }
        let folder = prepare(path.file_stem().unwrap().to_str().unwrap(), &page);
        for script in scripts {
            count += 1;
            if script.contains("#SBATCH") {
                array(&folder, &script);
            } else {
                let _ = fs::remove_dir_all(folder.join("posterior"));
                runs(&folder, &script, "");
            }
        }
    }
    assert!(count > 20, "{count}");
}

/// The script of a job array: all jobs at the same time, and all again as if they had been requeued.
fn array(folder: &Path, script: &str) {
    let run = prints(&["init", "-"]);
    assert!(run.contains("chains = 4"), "{run}");
    fs::write(folder.join("run.toml"), run.replace("chains = 4", "chains = 8")).unwrap();
    for _ in 0..2 {
        std::thread::scope(|scope| {
            (0..8).for_each(|task| drop(scope.spawn(move || runs(folder, script, &task.to_string()))));
        });
    }
}
