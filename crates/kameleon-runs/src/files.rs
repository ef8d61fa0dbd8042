//! The files for other programs that a run leaves in its folder.

use crate::output::{NetcdfOptions, OutputError, Posterior, write_csv, write_netcdf, write_parquet};
use crate::settings::{Format, OutputSettings};
use std::path::Path;

impl Format {
    /// The file's name in the folder of a run.
    pub fn file(self) -> &'static str {
        match self {
            Self::NetCdf => "posterior.nc",
            Self::Csv => "posterior.csv",
            Self::Parquet => "posterior.parquet",
        }
    }
}

/// Writes the files that the settings ask for; one that cannot be written does not keep the others from it.
pub fn write_files(posterior: &Posterior, folder: &Path, output: &OutputSettings) -> Vec<OutputError> {
    // A run that was stopped in its warm-up has nothing to write.
    if posterior.points().is_empty() {
        return Vec::new();
    }
    let write = |format: &Format| {
        let path = folder.join(format.file());
        match format {
            Format::NetCdf => write_netcdf(posterior, &path, NetcdfOptions { warmup: output.keep_warmup }),
            Format::Csv => write_csv(posterior, &path),
            Format::Parquet => write_parquet(posterior, &path),
        }
    };
    output.formats.iter().filter_map(|format| write(format).err()).collect()
}
