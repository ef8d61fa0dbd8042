//! The jump proposals as one table of text: chain, draw, parameters, log weight.

use crate::atomic_file::{self, FileError};
use crate::output::{Posterior, labels};
use std::path::Path;

/// Writes one line for each jump proposal; `draw` is the draw that its step ended in. Numbers read back as they were, bit for bit.
pub(super) fn write(posterior: &Posterior, path: &Path, _warmup: bool) -> Result<(), FileError> {
    posterior.check()?;
    if posterior.chains.iter().all(|chain| chain.draws.jumps.draw.is_empty()) {
        let why = posterior.jumps.as_ref().map_or("its sampler makes no jumps", |jumps| &jumps.evidence.why);
        return Err(FileError::new(path, format_args!("the run has no weighted draws: {why}")));
    }
    atomic_file::replace(path, |beside| {
        let failed = |why: ::csv::Error| FileError::doing(beside, "writing")(why.into());
        let mut table = ::csv::Writer::from_path(beside).map_err(failed)?;
        table.write_record(labels::columns(&posterior.names, &["log_weight"])).map_err(failed)?;
        for chain in &posterior.chains {
            let jumps = &chain.draws.jumps;
            let rows = jumps.draw.iter().zip(jumps.points.chunks(posterior.dim())).zip(&jumps.log_weight);
            for ((draw, x), log_weight) in rows {
                table.serialize((chain.index, draw, x, log_weight)).map_err(failed)?;
            }
        }
        table.flush().map_err(FileError::doing(beside, "writing"))
    })
}
