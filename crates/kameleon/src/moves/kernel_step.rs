//! A kernel step: N(x, R(x)), whose covariance R follows the local shape of the target, in the frame of the history model.

use super::{Local, Move, Setting, from_point};
use crate::Rng;

/// A kernel step in all directions.
pub struct KernelStep;

impl Move for KernelStep {
    fn name(&self) -> &'static str {
        "kernel step"
    }

    fn locate(&self, with: &Setting<'_>, x: &[f64], at: &mut Local) {
        if let Some(history) = &with.model.history {
            at.find_step(x, history, with.scale.nu2());
        }
    }

    fn draw(&self, with: &Setting<'_>, x: &[f64], at: &Local, rng: &mut Rng, y: &mut [f64]) {
        let Some(history) = &with.model.history else { return y.copy_from_slice(x) };
        at.draw_step(history, with.length_factor, rng, y);
        from_point(x, y);
    }

    fn log_ratio(&self, with: &Setting<'_>, at_x: &Local, at_y: &mut Local) -> f64 {
        at_x.log_step_ratio(at_y, with.length_factor)
    }

    fn rescale(&self, with: &Setting<'_>, at: &mut Local) {
        if let Some(history) = &with.model.history {
            at.rescale(history, with.scale.nu2());
        }
    }
}
