//! Runs for tests.

use kameleon::Control;
use kameleon_runs::output::Posterior;
use kameleon_runs::{Finished, Model, RunError, RunSettings, start};
use std::path::Path;

/// An expression with a bound and a prior, two short chains; `more` is added to its section `[run]`.
pub fn settings(more: &str) -> RunSettings {
    let text = format!(
        r#"
        [model]
        log-density = "-(x^2)/8 - (y - 0.3*x^2)^2/2 + ln(s) - s"
        [parameters.x]
        [parameters.y]
        [parameters.s]
        prior = "gamma(2, 1)"
        [sampler]
        name = "KAMH-LS"
        discard = 50
        n = 100
        [run]
        chains = 2
        warmup = 300
        draws = 400
        seed = 5
        {more}
        "#
    );
    RunSettings::from_toml(&text, "run.toml").unwrap()
}

/// Runs it to its end.
pub fn run(settings: &RunSettings, folder: Option<&Path>) -> Result<Finished, RunError> {
    start(settings, Model::open(settings)?, folder, Control::default())
}

/// Goes on with it.
pub fn resume(folder: &Path, draws: Option<u64>) -> Result<Finished, RunError> {
    let model = Model::open(&kameleon_runs::settings_of(folder)?)?;
    kameleon_runs::resume(folder, model, draws, Control::default())
}

/// The draws of all chains, bit for bit, with everything recorded next to them.
pub fn bits(posterior: &Posterior) -> Vec<u64> {
    let kept = posterior.chains.iter().flat_map(|chain| [&chain.warmup, &chain.draws]);
    kept.flat_map(|kept| kept.points.iter().chain(&kept.log_density).chain(&kept.acceptance).map(|x| x.to_bits()))
        .collect()
}
