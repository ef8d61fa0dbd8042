//! A jump: an independent draw from the density estimate over the history.

use super::{Local, Model, Move, Setting, Share};
use crate::Rng;

/// A jump in all directions.
pub struct Jump;

impl Move for Jump {
    fn name(&self) -> &'static str {
        "jump"
    }

    fn is_possible(&self, model: &Model) -> bool {
        model.history.as_ref().is_some_and(|history| history.density.is_some())
    }

    fn share(&self) -> Share {
        Share::Jump { least: 0.05, most: 0.5 }
    }

    fn locate(&self, with: &Setting<'_>, x: &[f64], at: &mut Local) {
        if let Some(history) = &with.model.history {
            at.full.find_density(x, history);
        }
    }

    fn draw(&self, with: &Setting<'_>, x: &[f64], _at: &Local, rng: &mut Rng, y: &mut [f64]) {
        match &with.model.history {
            Some(history) => history.draw_jump(rng, y),
            None => y.copy_from_slice(x),
        }
    }

    fn log_ratio(&self, _with: &Setting<'_>, at_x: &Local, at_y: &mut Local) -> f64 {
        at_x.full.log_jump_ratio(&at_y.full)
    }
}
