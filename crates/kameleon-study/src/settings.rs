//! How studies are run, and who is told about it.

use crate::study::Scale;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// How studies are run.
pub struct Settings<'a> {
    /// How large the study is.
    pub scale: Scale,
    /// Everything random follows from this.
    pub seed: u64,
    /// The number of threads; the results do not depend on it.
    pub threads: usize,
    /// Whether extra samplers are run too.
    pub extras: bool,
    /// The folder that everything is written to.
    pub out: PathBuf,
    /// The command, for the page.
    pub command: String,
    /// The file of the program that runs, by which a calibration tells its own runs from those of another version.
    pub program: PathBuf,
    /// Set it, and the run stops.
    pub stop: &'a AtomicBool,
    /// Follows the progress.
    pub watch: &'a dyn Watch,
}

/// Follows the progress of a study; `()` ignores it.
pub trait Watch: Sync {
    /// A part named `what` begins: `iterations` are to be run; `reused` of its `chains` were found in the cache.
    fn begin(&self, what: &str, iterations: u64, reused: usize, chains: usize);
    /// This many more iterations are done.
    fn advance(&self, iterations: u64);
    /// The part has ended.
    fn end(&self);
}

impl Watch for () {
    fn begin(&self, _what: &str, _iterations: u64, _reused: usize, _chains: usize) {}
    fn advance(&self, _iterations: u64) {}
    fn end(&self) {}
}
