//! Samples a banana in memory and writes its report and its draws.
//!
//! ```sh
//! cargo run --release -p kameleon-output --example report -- FOLDER
//! ```

use kameleon::target::Banana;
use kameleon::{Control, Plan, Sampler, Warmup, sample};
use kameleon_runs::output::{Posterior, report_html};
use std::path::PathBuf;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    let plan = Plan {
        sampler: Sampler::kamh_ls(),
        warmup: Warmup::Iterations(20_000),
        draws: Some(100_000),
        ..Plan::default()
    };
    let began = Instant::now();
    let run = sample(Banana::new(2, 0.1, 100.0)?, &[vec![0.0, 0.0]], &plan, Control::default())?;
    let seconds = Some(began.elapsed().as_secs_f64());
    let posterior =
        Posterior { seconds, ..Posterior::from_run(&run, &plan, "Twisted banana B(0.1, 100) in 2 dimensions") };
    std::fs::write(folder.join("report.html"), report_html(&posterior))?;
    posterior.write(&folder.join("posterior.nc"), false)?;
    println!("wrote report.html and posterior.nc to {}", folder.display());
    Ok(())
}
