//! All draws as one table of text: chain, draw, parameters, log density.

use crate::atomic_file::{self, FileError};
use crate::output::{OutputError, Posterior, labels};
use std::path::Path;

/// The columns that are no parameters.
pub(crate) const COLUMNS: [&str; 3] = ["chain", "draw", "log_density"];

/// Writes one line for each draw after the warm-up. Numbers read back as they were, bit for bit.
pub fn write_csv(posterior: &Posterior, path: &Path) -> Result<(), OutputError> {
    posterior.check()?;
    atomic_file::replace(path, |beside| {
        let failed = |why: ::csv::Error| FileError::doing(beside, "writing")(why.into());
        let mut table = ::csv::Writer::from_path(beside).map_err(failed)?;
        let labels = labels::safe(&posterior.names, &COLUMNS);
        let head = ["chain", "draw"].into_iter().chain(labels.iter().map(String::as_str)).chain(["log_density"]);
        table.write_record(head).map_err(failed)?;
        for chain in &posterior.chains {
            let rows = chain.draws.points.chunks(posterior.dim()).zip(&chain.draws.log_density);
            for (draw, (x, log_density)) in rows.enumerate() {
                table.serialize((chain.index, draw, x, log_density)).map_err(failed)?;
            }
        }
        table.flush().map_err(FileError::doing(beside, "writing"))
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::ChainDraws;
    use kameleon::record::Draws;

    #[test]
    fn the_table_holds_every_draw_to_the_last_bit_and_quotes_names() {
        let points = vec![0.1, 1e-300, -1.0 / 3.0, 12345.678];
        let kept = Draws { points: points.clone(), log_density: vec![-1.5, -2.0], ..Draws::default() };
        let names = vec!["a, b".to_string(), "draw".into()];
        let chains = vec![ChainDraws { index: 2, draws: kept, ..ChainDraws::default() }];
        let posterior = Posterior { variables: Posterior::scalars(&names), names, chains, ..Posterior::default() };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("draws.csv");
        write_csv(&posterior, &path).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "chain,draw,\"a, b\",draw_,log_density");
        assert_eq!(lines.len(), 3);
        for (k, line) in lines[1..].iter().enumerate() {
            let fields: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
            assert_eq!(fields, [2.0, k as f64, points[2 * k], points[2 * k + 1], [-1.5, -2.0][k]]);
        }
    }
}
