//! Starting the program and looking at what it leaves.
#![allow(dead_code, unused_imports, reason = "each test uses its part")]

#[path = "../../../../kameleon-models/tests/common/tools.rs"]
mod tools;

pub use tools::{compile, example, skip};

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};

pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kameleon"));
    command.args(args);
    command
}

pub fn kameleon(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

/// What it prints when all goes well.
pub fn prints(args: &[&str]) -> String {
    let output = kameleon(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Printed text as one line, wherever it was wrapped.
pub fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What it says on standard error when it ends with this code.
pub fn says(code: i32, args: &[&str]) -> String {
    let output = kameleon(args);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stderr).unwrap()
}

pub fn json(args: &[&str]) -> Value {
    serde_json::from_str(&prints(&[args, &["--json"]].concat())).unwrap()
}

/// A folder for one test, empty at first.
pub fn place(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("program").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Every number of every draw.
pub fn draws(folder: &Path) -> String {
    fs::read_to_string(folder.join("posterior.csv")).unwrap()
}

pub fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}
