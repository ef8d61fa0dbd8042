//! `kameleon calibrate`: how far off runs are that are called converged.

use crate::Exit;
use crate::args::CalibrateArgs;
use crate::invocation::Invocation;
use crate::output::write_out;
use crate::study::{self, Bar};
use anyhow::{Context, Result};
use kameleon_study::{Calibration, Selection};

/// Runs `kameleon calibrate`.
pub fn calibrate(args: &CalibrateArgs, invocation: &Invocation) -> Result<Exit> {
    let file = args.file.display().to_string();
    let text = std::fs::read_to_string(&args.file).with_context(|| format!("{file} cannot be read"))?;
    let study = Calibration::parse(&file, &text)?;
    let selection = Selection {
        seeds: args.seeds,
        first_seed: Some(args.first_seed),
        only: args.only.clone(),
        draws: args.draws,
        keep: args.keep,
        check: args.check.unwrap_or_default(),
    };
    let bar = Bar::new(args.quiet);
    let settings = study::settings(args.out.clone(), args.threads, &bar, invocation)?;
    study::ended(study.run(&selection, &settings), |table| write_out(&table))
}
