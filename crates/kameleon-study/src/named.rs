//! Targets by name: those of the registry and the posteriors of real data.

use kameleon::any_target::AnyTarget;
use kameleon::target::Known;
use kameleon::{Choice, Rng, SettingsError};
use kameleon_gp::GLASS;
use kameleon_models::ModelError;
use kameleon_models::posteriors::{entries, exact};

/// The target of this name; a posterior that is known as likelihood and prior, on the unbounded space.
pub fn build(choice: &Choice) -> Result<AnyTarget<'static>, SettingsError> {
    let target = AnyTarget::named(choice, entries().chain([&GLASS]))?;
    match exact(&choice.name) {
        Some(posterior) => Ok(AnyTarget::new(posterior.posterior().map_err(wrong)?)),
        None => Ok(target),
    }
}

/// A draw from the prior of the target's parameters, on the unbounded space; an error if it has none.
pub fn prior_draw(choice: &Choice, rng: &mut Rng) -> Result<Vec<f64>, SettingsError> {
    let what = "\"prior\" is for posteriors of real data that have a prior for each parameter";
    let posterior = exact(&choice.name).ok_or_else(|| SettingsError::new("start", what))?;
    let priors = posterior.priors().map_err(wrong)?;
    Ok(priors.iter().map(|prior| prior.support().unbounded(prior.sample(rng))).collect())
}

fn wrong(error: ModelError) -> SettingsError {
    SettingsError::new("target", error.to_string())
}

/// The target with this dimension, if it has such a setting that is not yet given.
pub fn with_dim(mut choice: Choice, dim: usize) -> Choice {
    let entry = AnyTarget::entry(&choice, entries().chain([&GLASS]));
    if entry.is_ok_and(|entry| entry.has("dim")) && !choice.settings.contains_key("dim") {
        choice.set("dim", dim);
    }
    choice
}

/// Points along the ridge in the first two coordinates, each with the direction of the ridge there (a unit vector).
pub fn ridge(known: &dyn Known, count: usize) -> Option<Vec<([f64; 2], [f64; 2])>> {
    // The midpoint of each of `count` equal sections.
    let at = |k: usize| {
        let (share, step) = ((k as f64 + 0.5) / count as f64, 1e-5);
        let ([x0, y0], [x1, y1]) = (known.ridge(share - step)?, known.ridge(share + step)?);
        let norm = (x1 - x0).hypot(y1 - y0);
        Some((known.ridge(share)?, [(x1 - x0) / norm, (y1 - y0) / norm]))
    };
    (0..count).map(at).collect()
}
