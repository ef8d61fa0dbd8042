//! What is made of a run on disk: the report for people, files for other programs.

use crate::Exit;
use crate::args::{ExportArgs, ReportArgs};
use crate::output::write_out;
use anyhow::Result;
use kameleon_output::{NetcdfOptions, write_csv, write_netcdf, write_parquet, write_report};

/// Runs `kameleon report`.
pub fn report(args: &ReportArgs) -> Result<Exit> {
    let posterior = kameleon_runs::load(&args.folder)?;
    let path = args.out.clone().unwrap_or_else(|| args.folder.join("report.html"));
    write_report(&posterior, &path)?;
    write_out(&format!("{}\n", path.display()))?;
    Ok(Exit::Done)
}

/// Runs `kameleon export`.
pub fn export(args: &ExportArgs) -> Result<Exit> {
    let posterior = kameleon_runs::load(&args.folder)?;
    let folder = args.out.as_ref().unwrap_or(&args.folder);
    let mut written = String::new();
    let mut path = |name: &str| {
        let path = folder.join(name);
        written += &format!("{}\n", path.display());
        path
    };
    if args.netcdf {
        write_netcdf(&posterior, &path("posterior.nc"), NetcdfOptions { warmup: args.warmup })?;
    }
    if args.csv {
        write_csv(&posterior, &path("posterior.csv"))?;
    }
    if args.parquet {
        write_parquet(&posterior, &path("posterior.parquet"))?;
    }
    write_out(&written)?;
    Ok(Exit::Done)
}
