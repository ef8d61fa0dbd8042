//! A jump in the subspace: its coordinates are drawn from a density estimate of them, the others are kept.

use super::{Local, Model, Move, Setting, Share, Subspace, from_point};
use crate::Rng;

/// A jump in the subspace.
pub struct SubspaceJump;

impl Move for SubspaceJump {
    fn name(&self) -> &'static str {
        "subspace jump"
    }

    fn is_possible(&self, model: &Model) -> bool {
        model.subspace().is_some()
    }

    /// Little, since it leaves the other coordinates where they are.
    fn share(&self) -> Share {
        Share::Jump { least: 0.05, most: 0.15 }
    }

    fn locate(&self, with: &Setting<'_>, x: &[f64], at: &mut Local) {
        if let (Some(model), Some(at)) = (with.model.subspace(), &mut at.subspace) {
            at.find_density(x, model);
        }
    }

    fn draw(&self, with: &Setting<'_>, x: &[f64], at: &Local, rng: &mut Rng, y: &mut [f64]) {
        let (Some(model), Some(at)) = (with.model.subspace(), &at.subspace) else { return y.copy_from_slice(x) };
        let mut room = [0.0; Subspace::LARGEST];
        let s = &mut room[..model.dim()];
        model.history.draw_jump(rng, s);
        s.iter_mut().zip(&at.s).for_each(|(new, old)| *new -= old);
        model.subspace.direction(s, y);
        from_point(x, y);
    }

    fn log_ratio(&self, _with: &Setting<'_>, at_x: &Local, at_y: &mut Local) -> f64 {
        let (Some(at_x), Some(at_y)) = (&at_x.subspace, &at_y.subspace) else { return f64::NAN };
        at_x.at.log_jump_ratio(&at_y.at)
    }
}
