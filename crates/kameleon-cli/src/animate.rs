//! `kameleon animate`: chains that move over the contours of a target.

use crate::Exit;
use crate::args::AnimateArgs;
use crate::output::write_out;
use anyhow::Result;
use kameleon::{Sampler, SettingsError};
use kameleon_runs::atomic_file;
use kameleon_study::Animation;

/// Runs `kameleon animate`.
pub fn animate(args: &AnimateArgs) -> Result<Exit> {
    let samplers = args.sampler.iter().map(Sampler::chosen).collect::<Result<_, SettingsError>>()?;
    let target = args.target.clone();
    let animation = Animation { target, samplers, warmup: args.warmup, draws: args.draws, seed: args.seed };
    atomic_file::write(&args.out, animation.svg()?.as_bytes())?;
    write_out(&format!("wrote {}\n", args.out.display()))?;
    Ok(Exit::Done)
}
