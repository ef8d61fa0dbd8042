//! All draws as one table of text: chain, draw, parameters, log density.

use crate::atomic_file::{self, FileError};
use crate::output::{Posterior, labels};
use std::path::Path;

/// Writes one line for each draw after the warm-up. Numbers read back as they were, bit for bit.
pub(super) fn write(posterior: &Posterior, path: &Path, _warmup: bool) -> Result<(), FileError> {
    posterior.check()?;
    atomic_file::replace(path, |beside| {
        let failed = |why: ::csv::Error| FileError::doing(beside, "writing")(why.into());
        let mut table = ::csv::Writer::from_path(beside).map_err(failed)?;
        table.write_record(labels::columns(&posterior.names, "log_density")).map_err(failed)?;
        for chain in &posterior.chains {
            let rows = chain.draws.points.chunks(posterior.dim()).zip(&chain.draws.log_density);
            for (draw, (x, log_density)) in rows.enumerate() {
                table.serialize((chain.index, draw, x, log_density)).map_err(failed)?;
            }
        }
        table.flush().map_err(FileError::doing(beside, "writing"))
    })
}
