//! A step of adaptive Metropolis: N(x, s²Σ) with the learned metric Σ.

use super::{Local, Model, Move, Setting, from_point};
use crate::Rng;
use rand::RngExt;
use rand_distr::StandardNormal;

/// A step of adaptive Metropolis.
pub struct Walk;

impl Move for Walk {
    fn name(&self) -> &'static str {
        "adaptive Metropolis"
    }

    fn is_possible(&self, _model: &Model) -> bool {
        true
    }

    fn draw(&self, with: &Setting<'_>, x: &[f64], _at: &Local, rng: &mut Rng, y: &mut [f64]) {
        let length = with.length();
        y.iter_mut().for_each(|y| *y = length * rng.sample::<f64, _>(StandardNormal));
        with.model.metric.direction(y);
        from_point(x, y);
    }
}
