//! `kameleon list`: what there is to choose from.

use crate::Exit;
use crate::output::write_out;
use anyhow::Result;
use kameleon::sampler::SAMPLERS;
use kameleon_runs::{APPLICATIONS, DATA_TARGETS, Entry, KERNELS, TARGETS};

/// Prints targets, samplers, kernels and priors, one line each.
pub fn list() -> Result<Exit> {
    let mut out = String::from("Targets (with their parameters)\n");
    out += &targets(&TARGETS);
    out += "\nPosteriors of real data, known through an unbiased estimate\n";
    out += &targets(&APPLICATIONS);
    out += "\nData targets (Gaussian-process classification; `kameleon sample --help` has its flags)\n";
    for (name, about) in DATA_TARGETS {
        out += &format!("  {name:35} {about}\n");
    }
    out += "\nSamplers\n";
    for (name, about) in SAMPLERS {
        out += &format!("  {name:35} {about}\n");
    }
    out += "\nKernels (of KAMH, KAMH-LS and PCA-Kameleon; the bandwidth is set by the median heuristic or by --bandwidth)\n";
    for (name, about) in KERNELS {
        out += &format!("  {name:35} {about}\n");
    }
    out += &format!("\nPriors of a parameter\n{}", kameleon_models::prior::list());
    write_out(&out)?;
    Ok(Exit::Done)
}

fn targets(entries: &[Entry]) -> String {
    let line = |entry: &Entry| format!("  {:35} {}\n", format!("{}:{}", entry.name, entry.parameters), entry.about);
    entries.iter().map(line).collect()
}
