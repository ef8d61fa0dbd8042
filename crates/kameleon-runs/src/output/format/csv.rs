//! All draws as one table of text: chain, draw, parameters, log density, and the mode if that is asked for.

use crate::atomic_file::{self, FileError};
use crate::output::{Posterior, labels};
use std::path::Path;

/// Writes one line for each draw after the warm-up. Numbers read back as they were, bit for bit.
pub(super) fn write(posterior: &Posterior, path: &Path, _warmup: bool) -> Result<(), FileError> {
    posterior.check()?;
    atomic_file::replace(path, |beside| {
        let failed = |why: ::csv::Error| FileError::doing(beside, "writing")(why.into());
        let mut table = ::csv::Writer::from_path(beside).map_err(failed)?;
        let modes = posterior.mode_labels();
        let last: &[&str] = if modes.is_some() { &["log_density", "mode"] } else { &["log_density"] };
        table.write_record(labels::columns(&posterior.names, last)).map_err(failed)?;
        for (k, chain) in posterior.chains.iter().enumerate() {
            let rows = chain.draws.points.chunks(posterior.dim()).zip(&chain.draws.log_density);
            for (draw, (x, log_density)) in rows.enumerate() {
                let mode: Vec<i64> = modes.iter().map(|modes| modes[k][draw]).collect();
                table.serialize((chain.origin_of(draw), x, log_density, mode)).map_err(failed)?;
            }
        }
        table.flush().map_err(FileError::doing(beside, "writing"))
    })
}
