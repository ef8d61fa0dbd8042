//! `kameleon thin`: a few draws of a run on disk that stand for all of them.

use crate::Exit;
use crate::args::ThinArgs;
use crate::output::{wrapped, write_out};
use anyhow::{Result, bail};
use kameleon_runs::store::Files;

/// Runs `kameleon thin`.
pub fn thin(args: &ThinArgs) -> Result<Exit> {
    let posterior = kameleon_runs::load(&args.folder)?;
    if posterior.points().is_empty() {
        bail!("{} has no draws yet: the run is still in its warm-up", args.folder.display());
    }
    let kept = posterior.thin(args.to, args.seed, args.weighted)?;
    let path = args.out.clone().unwrap_or_else(|| args.folder.join("thinned.csv"));
    kept.posterior(&posterior).write(&path, false)?;
    // For the report.
    kept.write(&Files::of(&args.folder)?.thinned())?;
    match args.json {
        true => write_out(&format!("{}\n", serde_json::to_string(&kept)?))?,
        false => write_out(&(wrapped("", "  ", &kept.words()) + &format!("{}\n", path.display())))?,
    }
    Ok(Exit::Done)
}
