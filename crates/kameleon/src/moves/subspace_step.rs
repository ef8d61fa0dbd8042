//! A kernel step in the subspace: its coordinates change, the others are kept.

use super::{Local, Model, Move, Setting, Share, Subspace, from_point};
use crate::Rng;

/// A kernel step in the subspace.
pub struct SubspaceStep;

impl Move for SubspaceStep {
    fn name(&self) -> &'static str {
        "subspace kernel step"
    }

    fn is_possible(&self, model: &Model) -> bool {
        model.subspace().is_some()
    }

    /// Fixed: these steps serve the tails, which a mean squared distance does not reflect.
    fn share(&self) -> Share {
        Share::OfSteps(0.4)
    }

    fn locate(&self, with: &Setting<'_>, x: &[f64], at: &mut Local) {
        if let (Some(model), Some(at)) = (with.model.subspace(), &mut at.subspace) {
            at.find_step(x, model, with.scale.nu2());
        }
    }

    fn draw(&self, with: &Setting<'_>, x: &[f64], at: &Local, rng: &mut Rng, y: &mut [f64]) {
        let (Some(model), Some(at)) = (with.model.subspace(), &at.subspace) else { return y.copy_from_slice(x) };
        let mut room = [0.0; Subspace::LARGEST];
        let s = &mut room[..model.dim()];
        at.at.draw_step(&model.history, with.length_factor, rng, s);
        model.subspace.direction(s, y);
        from_point(x, y);
    }

    fn log_ratio(&self, with: &Setting<'_>, at_x: &Local, at_y: &mut Local) -> f64 {
        let (Some(at_x), Some(at_y)) = (&at_x.subspace, &mut at_y.subspace) else { return f64::NAN };
        at_x.at.log_step_ratio(&mut at_y.at, with.length_factor)
    }

    fn rescale(&self, with: &Setting<'_>, at: &mut Local) {
        if let (Some(model), Some(at)) = (with.model.subspace(), &mut at.subspace) {
            at.at.rescale(&model.history, with.scale.nu2());
        }
    }
}
