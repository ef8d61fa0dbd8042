//! Gaussian-process classification in the program: what is reported of it, and predictions.

mod report;

pub use report::GpReport;

use crate::Exit;
use crate::args::PredictArgs;
use crate::output::write_out;
use anyhow::{Context, Result, bail};
use kameleon::random::{Purpose, stream};
use kameleon_gp::{Inputs, Latents};
use kameleon_runs::Model;
use std::fs::File;

/// Runs `kameleon predict`: a line of CSV for each row.
pub fn predict(args: &PredictArgs) -> Result<Exit> {
    let settings = kameleon_runs::settings_of(&args.folder)?;
    let folder = args.folder.display();
    if settings.model.gp.is_none() {
        bail!("{folder} is not a run of Gaussian-process classification");
    }
    let opened = Model::open(&settings)?;
    let Some(mut model) = opened.gp().cloned() else { bail!("{folder} has no classification model") };
    let rows = args.rows.display();
    let file = File::open(&args.rows).with_context(|| format!("{rows}"))?;
    let new = Inputs::read(file, model.target.columns()).with_context(|| format!("{rows}"))?;
    let posterior = kameleon_runs::load(&args.folder)?;
    let all = posterior.points().concat();
    let thetas: Vec<&[f64]> = all.chunks_exact(posterior.dim()).collect();
    let every = (thetas.len() / args.draws.max(1)).max(1);
    let chosen = thetas.into_iter().step_by(every).collect::<Vec<_>>().concat();
    let mut rng = stream(settings.run.seed, u64::MAX / 8, Purpose::Noise);
    let latents = if args.weighted { Latents::Weighted(&mut rng) } else { Latents::Approximate };
    let prediction = model.target.predict(&chosen, &new, latents)?;
    let mut out = format!("row,p({})\n", model.classes[1]);
    for (row, probability) in prediction.probabilities.iter().enumerate() {
        out += &format!("{},{probability}\n", row + 1);
    }
    if prediction.rejected > 0 {
        eprintln!("warning: {} of the draws could not be used for prediction", prediction.rejected);
    }
    write_out(&out)?;
    Ok(Exit::Done)
}
