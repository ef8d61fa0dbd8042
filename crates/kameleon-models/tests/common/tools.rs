//! The examples, found and compiled: for the tests of this crate and of the program.
#![allow(dead_code, reason = "each test uses its part")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// An example model.
pub fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/models").join(name)
}

/// Where the header is, from any crate of the workspace.
fn include() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../kameleon-models/include")
}

/// A fresh name for a file that a test writes.
pub fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()))
}

/// Compiles `source` with a compiler; none, with a note that everyone sees, where there is no such compiler.
pub fn compile(compiler: &str, arguments: &[&str], source: &Path, output: &str) -> Option<PathBuf> {
    let output = scratch(output);
    let mut command = Command::new(compiler);
    command.args(arguments).arg("-I").arg(include()).arg("-o").arg(&output).arg(source).arg("-lm");
    match command.output() {
        Ok(done) => {
            assert!(done.status.success(), "{compiler}: {}", String::from_utf8_lossy(&done.stderr));
            Some(output)
        }
        Err(error) => {
            skip(&format!("{compiler} cannot be run ({error}), so {} is not tested", source.display()));
            None
        }
    }
}

/// Says that a test was skipped, past the harness, which hides what passing tests print.
pub fn skip(why: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}
