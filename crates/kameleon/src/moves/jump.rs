//! A jump: a draw from the jump density.

use super::{Local, Model, Move, Setting, Share};
use crate::Rng;

/// A jump.
pub struct Jump;

impl Move for Jump {
    fn name(&self) -> &'static str {
        "jump"
    }

    fn is_possible(&self, model: &Model) -> bool {
        model.density.is_some()
    }

    fn share(&self) -> Share {
        Share::Jump
    }

    fn locate(&self, with: &Setting<'_>, x: &[f64], at: &mut Local) {
        if let Some(density) = &with.model.density {
            at.find_density(x, density);
        }
    }

    fn draw(&self, with: &Setting<'_>, x: &[f64], _at: &Local, rng: &mut Rng, y: &mut [f64]) {
        match &with.model.density {
            Some(density) => density.draw(rng, y),
            None => y.copy_from_slice(x),
        }
    }

    fn log_ratio(&self, _with: &Setting<'_>, at_x: &Local, at_y: &mut Local) -> f64 {
        at_x.log_jump_ratio(at_y)
    }
}
