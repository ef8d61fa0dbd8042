//! Which program made a run, so that runs of another one in the same folder are not taken for its own.

use super::Truthful;
use crate::spec::hash;
use kameleon::plan::Check;
use std::fs;
use std::sync::LazyLock;

/// The program that is running: the hash of its file, or its version where that cannot be read.
static PROGRAM: LazyLock<String> = LazyLock::new(|| {
    let bytes = std::env::current_exe().and_then(fs::read);
    bytes.map_or_else(|_| env!("CARGO_PKG_VERSION").into(), |bytes| format!("{:08x}", crc32fast::hash(&bytes)))
});

/// Program, model, start, truth and check of a run, as a short text: where two are equal, so are the records of both runs.
pub fn made_by(target: &Truthful, check: Check) -> String {
    format!("{}-{:016x}", *PROGRAM, hash(&format!("{target:?} {check:?}")))
}
