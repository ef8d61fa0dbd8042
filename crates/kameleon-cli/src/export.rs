//! What is made of a run on disk: the report for people, files for other programs.

use crate::Exit;
use crate::args::{ExportArgs, ReportArgs};
use crate::output::write_out;
use crate::progress::reading;
use anyhow::{Context, Result, bail};
use kameleon_runs::output::write_report;
use kameleon_runs::{MOST_BYTES, write_files};

/// Runs `kameleon report`.
pub fn report(args: &ReportArgs) -> Result<Exit> {
    let posterior = reading(|watch| kameleon_runs::load_limited(&args.folder, MOST_BYTES, watch))?;
    let path = args.out.clone().unwrap_or_else(|| args.folder.join("report.html"));
    write_report(&posterior, &path)?;
    write_out(&format!("{}\n", path.display()))?;
    Ok(Exit::Done)
}

/// Runs `kameleon export`.
pub fn export(args: &ExportArgs) -> Result<Exit> {
    let mut posterior = kameleon_runs::load(&args.folder)?;
    if posterior.points().is_empty() {
        bail!("{} has no draws yet: the run is still in its warm-up", args.folder.display());
    }
    if args.modes && posterior.population.as_ref().is_none_or(|population| population.modes.is_empty()) {
        bail!("{} has no modes to tell: no population warmed it up (docs/population.md)", args.folder.display());
    }
    posterior.label_modes = args.modes;
    let folder = args.out.as_ref().unwrap_or(&args.folder);
    std::fs::create_dir_all(folder).with_context(|| format!("the folder {} cannot be created", folder.display()))?;
    let formats = &args.formats.0;
    if let Some(error) = write_files(&posterior, folder, formats, args.warmup).into_iter().next() {
        return Err(error.into());
    }
    let paths = formats.iter().map(|format| format!("{}\n", folder.join(format.0.file).display()));
    write_out(&paths.collect::<String>())?;
    Ok(Exit::Done)
}
