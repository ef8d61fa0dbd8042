//! `kameleon paper` and `kameleon compare` as a person or a script meets them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn kameleon(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kameleon")).args(args).output().unwrap()
}

/// A folder for one test, empty at first.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_figure_of_the_paper_is_made_and_judged() {
    let out = folder("paper");
    let output = kameleon(&["paper", "proposals-ring", "--scale", "tiny", "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "quiet when not on a terminal");
    let said = text(&output.stdout);
    assert!(
        said.contains("The proposal follows the local shape of the target") && said.contains("index.html"),
        "{said}"
    );
    for file in ["index.html", "proposals-ring.svg", "proposals-ring.png", "proposals-ring.csv"] {
        assert!(out.join(file).exists(), "{file}");
    }
}

#[test]
fn wrong_use_is_told_with_what_is_allowed() {
    let out = folder("wrong");
    let says = |args: &[&str], what: &str| {
        let output = kameleon(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let said = text(&output.stderr);
        assert!(said.contains(what), "{args:?}: {said}");
    };
    says(&["paper", "figure-9"], "choose one of g-function, proposals-banana");
    says(&["paper", "--scale", "huge"], "possible values: quick, paper");
    says(&["compare", "there-is-none.toml"], "there-is-none.toml cannot be read");
    let file = out.join("mine.toml");
    std::fs::write(&file, "name = \"mine\"\ntitle = \"Mine\"\nkind = \"bars\"\nchain = 4\n").unwrap();
    says(&["compare", file.to_str().unwrap()], "mine.toml, line 4: unknown key `chain`, expected one of");
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_finished_chains_and_exits_130() {
    let out = folder("stopped");
    let args = ["paper", "targets", "--scale", "paper", "--threads", "1", "--out", out.to_str().unwrap()];
    let mut child = Command::new(env!("CARGO_BIN_EXE_kameleon")).args(args).spawn().unwrap();
    let cached = || std::fs::read_dir(out.join("cache")).map_or(0, Iterator::count);
    while cached() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(cached() >= 1 && !out.join("index.html").exists());
}
