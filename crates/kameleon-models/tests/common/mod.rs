//! What several of the tests need: evaluating a target, finding and compiling the examples.
#![allow(dead_code, unused_imports, reason = "each test uses its part")]

mod tools;

pub use tools::{compile, example, scratch, skip};

use kameleon::random::{Purpose, stream};
use kameleon::{EvalError, Evaluation, Noise, Target};
use std::path::{Path, PathBuf};
use std::process::Command;

/// `x1`, …
pub fn names(dim: usize) -> Vec<String> {
    (1..=dim).map(|i| format!("x{i}")).collect()
}

/// The target's value at `x`, with the normals it asks for all 0.5.
pub fn evaluate(target: &mut impl Target, x: &[f64]) -> Evaluation {
    let mut rng = stream(1, 0, Purpose::Noise);
    let normals = vec![0.5; target.normals()];
    target.log_density(x, Noise { rng: &mut rng, normals: &normals })
}

/// The reason a point was rejected.
pub fn rejected(target: &mut impl Target, x: &[f64]) -> String {
    match evaluate(target, x) {
        Err(EvalError::Reject(why) | EvalError::Failed(why)) => why,
        other => panic!("expected a rejection, not {other:?}"),
    }
}

/// The reason nothing can be evaluated any more.
pub fn fatal(target: &mut impl Target, x: &[f64]) -> String {
    match evaluate(target, x) {
        Err(EvalError::Fatal(why)) => why.to_string(),
        other => panic!("expected a fatal error, not {other:?}"),
    }
}

/// B(0.1, 100), the density of all examples.
pub fn banana(x: &[f64]) -> f64 {
    -x[0] * x[0] / 200.0 - (x[1] - 0.1 * (x[0] * x[0] - 100.0)).powi(2) / 2.0
}

/// Points at which the examples are compared.
pub const POINTS: [[f64; 2]; 4] = [[0.0, 0.0], [1.5, -2.0], [-12.25, 1e-7], [3e5, -1.0 / 3.0]];

/// The target is the banana, up to rounding.
pub fn assert_is_banana(target: &mut impl Target) {
    for x in POINTS {
        let (found, wanted) = (evaluate(target, &x).unwrap(), banana(&x));
        assert!((found - wanted).abs() <= 1e-14 * wanted.abs(), "at {x:?}: {found} where {wanted} is wanted");
    }
}

/// A file of this crate.
pub fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// A program made from `source`.
pub fn compile_program(source: &Path, output: &str) -> Option<PathBuf> {
    compile("cc", &["-O2", "-Wall", "-Wextra", "-Werror"], source, output)
}

/// Whether a program can be run at all.
pub fn can_run(program: &str, argument: &str) -> bool {
    Command::new(program).arg(argument).output().is_ok_and(|done| done.status.success())
}
