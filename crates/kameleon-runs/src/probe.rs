//! What is found out about the noise of a model by asking it at one point more than once.

use crate::error::RunError;
use crate::prepare::Prepared;
use crate::remote::RemoteRunner;
use crate::search;
use crate::settings::Kind;
use kameleon::engine::Job;
use kameleon::random::{Purpose, stream};
use kameleon::{Control, Evaluation, Noise, Target};
use kameleon_models::NoiseInput;
use rand::RngExt;
use rand_distr::StandardNormal;

/// Values at one point that differ by more than this, relative to their size, are noisy and not merely rounded.
const ROUNDING: f64 = 1e-9;
/// The chains and the estimates at the last point of each that sd(log p̂) is of.
const CHAINS: usize = 4;
const TIMES: usize = 5;
/// Streams of chains, and numbers of evaluations, that no run has, so that no draw depends on what is asked here.
const BEYOND_CHAINS: u64 = 1 << 40;

/// A warning about a model of the user that is not declared noisy, and gives two values at the start of a chain, where `ask`
/// evaluates it.
pub fn undeclared_noise(
    prepared: &Prepared<'_>,
    mut ask: impl FnMut() -> Result<Option<Evaluation>, RunError>,
) -> Result<Option<String>, RunError> {
    let model = &prepared.settings.model;
    let is_the_users =
        matches!(model.kind()?, Kind::Program(_) | Kind::Library(_) | Kind::Server(_) | Kind::External(_));
    if !is_the_users || model.noise_input() != NoiseInput::Exact {
        return Ok(None);
    }
    let mut value = || Ok::<_, RunError>(ask()?.and_then(Result::ok));
    let (Some(first), Some(second)) = (value()?, value()?) else { return Ok(None) };
    let differ = (first - second).abs() > ROUNDING * (1.0 + first.abs());
    Ok(differ.then(|| {
        format!(
            "the log density is noisy, but not declared so: at the same point it gave {first} and then {second}. Draws are right \
             only if its exponential is an unbiased estimate; then say noisy = true, or better, let the model take a seed"
        )
    }))
}

/// The standard deviation of the log of an estimate, at the last points of some chains; none for an exact model, and where it
/// cannot be had any more.
pub fn sd_log_estimate(
    prepared: &Prepared<'_>,
    jobs: &mut [Job<'_>],
    runner: Option<&dyn RemoteRunner>,
    control: Control<'_>,
) -> Option<f64> {
    let model = &prepared.settings.model;
    if !model.is_noisy() || model.kind().ok()? == Kind::Gp {
        return None;
    }
    let count = jobs.len().min(CHAINS);
    let jobs = &mut jobs[..count];
    let values = match runner {
        None => jobs.iter_mut().map(|job| estimates(prepared, job)).collect::<Option<Vec<_>>>()?.concat(),
        Some(runner) => {
            let points: Vec<&[f64]> = jobs.iter().flat_map(|job| [job.chain.position(); TIMES]).collect();
            let mut evaluator = search::evaluator(prepared, Some(runner), 1).ok()?;
            evaluator.evaluate(&points, BEYOND_CHAINS, &|| control.is_stopped()).ok()?
        }
    };
    let freedom = jobs.len() * (TIMES - 1);
    if freedom == 0 || values.len() < jobs.len() * TIMES || !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let squares = values.chunks_exact(TIMES).map(|values| {
        let mean = values.iter().sum::<f64>() / TIMES as f64;
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>()
    });
    Some((squares.sum::<f64>() / freedom as f64).sqrt())
}

/// Estimates at the point where a chain is, by the model that the chain has here.
fn estimates(prepared: &Prepared<'_>, job: &mut Job<'_>) -> Option<Vec<f64>> {
    let mut rng = stream(prepared.plan.seed, BEYOND_CHAINS + job.chain.index() as u64, Purpose::Noise);
    let mut estimate = || {
        let normals: Vec<f64> = (0..prepared.target.normals()).map(|_| rng.sample(StandardNormal)).collect();
        job.evaluate_here(Noise { rng: &mut rng, normals: &normals }).ok()
    };
    (0..TIMES).map(|_| estimate()).collect()
}
