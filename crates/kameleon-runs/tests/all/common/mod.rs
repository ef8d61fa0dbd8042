//! Runs for tests.

use kameleon::{Control, Warmup};
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

/// [`settings`] with the default sampler, which makes jumps.
pub fn jumping(more: &str) -> RunSettings {
    let mut settings = settings(more);
    (settings.sampler, settings.run.warmup) = (Default::default(), Warmup::Chains);
    settings.run.max_warmup = Some(2000);
    settings
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
#[derive(PartialEq)]
pub struct Bits(Vec<u64>);

/// Thousands of numbers help nobody who reads a failure.
impl std::fmt::Debug for Bits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} numbers", self.0.len())
    }
}

/// The draws of all chains, bit for bit, with everything recorded next to them.
pub fn bits(posterior: &Posterior) -> Bits {
    let kept = posterior.chains.iter().flat_map(|chain| [&chain.warmup, &chain.draws]);
    let numbers = kept.flat_map(|kept| {
        let jumps = kept.jumps.points.iter().chain(&kept.jumps.log_ratio).chain(&kept.jumps.log_weight);
        let places = kept.jumps.draw.iter().map(|draw| *draw as u64);
        let draws = kept.points.iter().chain(&kept.log_density).chain(&kept.acceptance);
        draws.chain(jumps).map(|x| x.to_bits()).chain(places)
    });
    Bits(numbers.collect())
}
