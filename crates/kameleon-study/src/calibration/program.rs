//! Which program made a run, so that runs of another one in the same folder are not taken for its own.

use super::Truthful;
use crate::spec::hash;
use kameleon::plan::Check;
use std::fs;
use std::path::Path;

/// The program in this file: the hash of the file, or the version where it cannot be read.
pub fn id(file: &Path) -> String {
    let version = |_| env!("CARGO_PKG_VERSION").into();
    fs::read(file).map_or_else(version, |bytes| format!("{:08x}", crc32fast::hash(&bytes)))
}

/// Program, model, start, truth and check of a run, as a short text: where two are equal, so are the records of both runs.
pub fn made_by(program: &str, target: &Truthful, check: Check) -> String {
    format!("{program}-{:016x}", hash(&format!("{target:?} {check:?}")))
}
