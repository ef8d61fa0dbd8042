//! The targets that a study can name: those of the registry.

use super::TargetEntry;
use kameleon::Choice;
use kameleon::any_target::AnyTarget;
use kameleon::registry::SettingsError;
use kameleon::target::Known;
use kameleon_gp::GLASS;
use kameleon_models::posteriors::POSTERIORS;

/// The target of this name: built in, or a posterior of real data.
pub fn build(choice: &Choice) -> Result<AnyTarget<'static>, SettingsError> {
    AnyTarget::named(choice, POSTERIORS.iter().chain([&GLASS]))
}

impl TargetEntry {
    /// The target with its dimension among the settings, where it has any.
    pub fn choice(&self) -> Choice {
        let mut choice = self.target.clone();
        let entry = AnyTarget::entry(&choice, POSTERIORS.iter().chain([&GLASS]));
        if entry.is_ok_and(|entry| entry.has("dim")) && !choice.settings.contains_key("dim") {
            choice.set("dim", self.dim);
        }
        choice
    }
}

/// Points along the ridge in the first two coordinates, and the ridge's direction at each (a unit vector).
pub fn ridge(known: &dyn Known, count: usize) -> Option<Vec<([f64; 2], [f64; 2])>> {
    // The middle of each of `count` equal pieces.
    let at = |k: usize| {
        let (share, step) = ((k as f64 + 0.5) / count as f64, 1e-5);
        let ([x0, y0], [x1, y1]) = (known.ridge(share - step)?, known.ridge(share + step)?);
        let norm = (x1 - x0).hypot(y1 - y0);
        Some((known.ridge(share)?, [(x1 - x0) / norm, (y1 - y0) / norm]))
    };
    (0..count).map(at).collect()
}
