//! Where the parts of a plan, each in a process of its own, leave files for each other.

use crate::atomic_file::FileError;
use crate::error::RunError;
use crate::settings::{ModelSettings, RunSettings, SettingsError};
use kameleon::{Plan, Warmup};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder, next to those of the parts; `*` does not stand for it.
const NAME: &str = ".exchange";
/// How often a part that waits looks for what is missing.
pub const LOOK: Duration = Duration::from_millis(50);
/// After how long it says for whom it waits.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// By then all parts that are begun at the same time have removed what an earlier run left.
pub const ALL_BEGUN: Duration = Duration::from_secs(10);

/// The folder for all parts of the plan that this part, in its own folder, belongs to. Runs with another warm-up next to it have
/// folders of their own.
pub fn folder_of(settings: &RunSettings, part: &Path) -> Result<PathBuf, RunError> {
    let part = std::path::absolute(part).map_err(FileError::doing(part, "finding the folder"))?;
    let beside = part.parent().unwrap_or(&part);
    let folder = beside.join(NAME).join(format!("{:08x}", crc32fast::hash(warmup_of(settings)?.as_bytes())));
    fs::create_dir_all(&folder).map_err(FileError::doing(&folder, "creating the folder"))?;
    Ok(folder)
}

/// All that the warm-up of a run depends on, as text. What comes after it may differ between parts that learn together, and so may
/// threads, output, and how patient they are with their models. A population is as large as all evaluations allow.
fn warmup_of(settings: &RunSettings) -> Result<String, SettingsError> {
    let RunSettings { start, model, parameters, sampler, run, .. } = settings.clone();
    let model = ModelSettings { timeout: None, attempts: None, retries: None, failures: None, ..model };
    let max_warmup = Some(settings.length()?.warmup);
    let Plan { chains, warmup, seed, correlation, pool, .. } = run;
    let (population, max_evaluations) = match warmup {
        Warmup::Population => (settings.population.clone(), run.max_evaluations),
        _ => Default::default(),
    };
    let run = Plan { chains, warmup, max_warmup, seed, correlation, pool, max_evaluations, ..Plan::default() };
    RunSettings { start, model, parameters, sampler, run, population, ..RunSettings::default() }.to_toml()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warmup(more: &str) -> String {
        let text = format!(
            "{more}\nmodel.program = [\"./model\"]\nparameters = [\"a\"]\nrun.chains = 8\nrun.warmup = 900\nrun.draws = 100"
        );
        let text = text.replace("run.draws = 100", if more.contains("run.draws") { "" } else { "run.draws = 100" });
        warmup_of(&RunSettings::from_toml(&text, "run.toml").unwrap()).unwrap()
    }

    #[test]
    fn parts_learn_together_whatever_differs_that_the_warm_up_does_not_depend_on() {
        let all_the_same = [
            "run.draws = 70000",
            "run.max-minutes = 3",
            "run.max-evaluations = 100000",
            "run.threads = 2",
            "run.thin = 5",
            "run.chain = 3",
            "run.check = \"off\"",
            "output.keep-warmup = true",
            "output.save-every = 9",
            "model.timeout = 7",
            "model.failures = 7",
            "model.attempts = 7",
        ];
        all_the_same.iter().for_each(|more| assert_eq!(warmup(more), warmup(""), "{more}"));
        let others = [
            "start = [1.0]",
            "run.seed = 2",
            "run.correlation = 0.5",
            "sampler = \"kameleon:n=500\"",
            "model.noisy = \"seed\"",
            "model.folder = \"there\"",
        ];
        others.iter().for_each(|more| assert_ne!(warmup(more), warmup(""), "{more}"));
    }

    #[test]
    fn parts_share_a_population_of_one_size_only() {
        let warmup = |more: &str| {
            let text = format!(
                "model.log-density = \"-a^2\"\nparameters.a.prior = \"normal(0, 1)\"\nrun.warmup = \"population\"\n{more}"
            );
            warmup_of(&RunSettings::from_toml(&text, "run.toml").unwrap()).unwrap()
        };
        assert_eq!(warmup("run.draws = 70000"), warmup("run.chain = 2\nrun.threads = 1"));
        assert_ne!(warmup("run.max-evaluations = 30000"), warmup("run.max-evaluations = 40000"));
        assert_ne!(warmup("population.particles = 300"), warmup(""));
    }
}
