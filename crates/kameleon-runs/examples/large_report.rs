//! How long the report and the files of a large run take: 4 chains of 100,000 draws in 8 dimensions.
//!
//! ```sh
//! cargo run --release -p kameleon-output --example large_report -- FOLDER
//! ```

use kameleon::target::Banana;
use kameleon::{Control, Plan, Sampler, Warmup, sample};
use kameleon_runs::output::{FORMATS, Posterior, report_html};
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    let plan =
        Plan { sampler: Sampler::am_ls(), warmup: Warmup::Iterations(20_000), draws: Some(100_000), ..Plan::default() };
    let run = sample(Banana::new(8, 0.03, 100.0)?, &[vec![0.0; 8]], &plan, Control::default())?;
    let posterior = Posterior::from_run(&run, &plan, "Twisted banana B(0.03, 100) in 8 dimensions");
    timed("report.html", &folder, |path| Ok(std::fs::write(path, report_html(&posterior))?))?;
    FORMATS
        .iter()
        .try_for_each(|format| timed(format.file, &folder, |path| Ok((format.write)(&posterior, path, false)?)))
}

fn timed(
    name: &str,
    folder: &Path,
    write: impl Fn(&Path) -> Result<(), Box<dyn std::error::Error>>,
) -> Result<(), Box<dyn std::error::Error>> {
    let (path, began) = (folder.join(name), Instant::now());
    write(&path)?;
    let megabytes = std::fs::metadata(&path)?.len() as f64 / 1e6;
    println!("{name}: {:.2} s, {megabytes:.1} MB", began.elapsed().as_secs_f64());
    Ok(())
}
