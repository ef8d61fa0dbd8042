//! Targets by name: those of the registry and the posteriors of real data.

use kameleon::any_target::AnyTarget;
use kameleon::target::Known;
use kameleon::{Choice, SettingsError};
use kameleon_gp::GLASS;
use kameleon_models::posteriors::POSTERIORS;

/// The target of this name.
pub fn build(choice: &Choice) -> Result<AnyTarget<'static>, SettingsError> {
    AnyTarget::named(choice, POSTERIORS.iter().chain([&GLASS]))
}

/// The target with this dimension, if it has such a setting that is not yet given.
pub fn with_dim(mut choice: Choice, dim: usize) -> Choice {
    let entry = AnyTarget::entry(&choice, POSTERIORS.iter().chain([&GLASS]));
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
