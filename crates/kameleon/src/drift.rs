//! The drift of a Langevin step: ½R∇log π, cut off at a length, so that the chain stays ergodic where gradients are large.

use crate::linalg::{dot, multiply_lower, multiply_lower_transpose};
use crate::normal_step::NormalStep;

/// The acceptance rate that the scale of steps with drift is driven to (Roberts and Rosenthal 1998).
pub(crate) const ACCEPTANCE_WITH_DRIFT: f64 = 0.574;

/// The drift at a point.
#[derive(Clone, Debug)]
pub(crate) struct Drift {
    gradient: Vec<f64>,
    shift: Vec<f64>,
}

impl Drift {
    pub fn new(dim: usize) -> Self {
        Self { gradient: vec![0.0; dim], shift: vec![0.0; dim] }
    }

    /// Keeps the gradient at the point.
    pub fn take_gradient(&mut self, gradient: &[f64]) {
        self.gradient.copy_from_slice(gradient);
    }

    /// b = ½R∇log π, shortened to where its length √(bᵀR⁻¹b) is at most `cut` times √d, about the length of the random part of
    /// the step. In these units the cut is the same in all coordinates, and b is a function of the point alone.
    pub fn locate(&mut self, step: &NormalStep, cut: f64) {
        let shift = &mut self.shift;
        shift.copy_from_slice(&self.gradient);
        multiply_lower_transpose(&step.factor, shift);
        let length = 0.5 * dot(shift, shift).sqrt();
        let longest = cut * (shift.len() as f64).sqrt();
        let factor = if length > longest { 0.5 * longest / length } else { 0.5 };
        if length.is_finite() {
            shift.iter_mut().for_each(|s| *s *= factor);
            multiply_lower(&step.factor, shift);
        } else {
            shift.fill(0.0);
        }
    }

    /// b
    pub fn shift(&self) -> &[f64] {
        &self.shift
    }

    /// ∇log π
    pub fn gradient(&self) -> &[f64] {
        &self.gradient
    }

    /// Moves `y` by b.
    pub fn add_to(&self, y: &mut [f64]) {
        y.iter_mut().zip(&self.shift).for_each(|(y, shift)| *y += shift);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drift_is_half_of_r_times_the_gradient_up_to_its_cut() {
        let r = [4.0, 1.0, 1.0, 2.0];
        let mut step = NormalStep::new(2);
        step.factorise(1.0, &r, 0.0);
        let mut drift = Drift::new(2);
        for (gradient, whole) in [([0.3, -0.2], true), ([300.0, -200.0], false), ([1e200, 1e200], false)] {
            drift.take_gradient(&gradient);
            drift.locate(&step, 0.7);
            let half = [0.5 * dot(&r[..2], &gradient), 0.5 * dot(&r[2..], &gradient)];
            // bᵀR⁻¹b
            let b = drift.shift();
            let squared = (2.0 * b[0] * b[0] - 2.0 * b[0] * b[1] + 4.0 * b[1] * b[1]) / 7.0;
            let kept = b[0] / half[0];
            assert!((b[1] / half[1] - kept).abs() < 1e-12 || squared == 0.0, "{b:?} {half:?}");
            assert!(if whole { (kept - 1.0).abs() < 1e-12 } else { squared <= 0.49 * 2.0 + 1e-12 }, "{squared}");
        }
    }
}
