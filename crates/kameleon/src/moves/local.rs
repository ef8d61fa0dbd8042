//! What is known at a point: the covariance of a kernel step from there, and the density of jumping there.

use super::{HistoryModel, JumpDensity};
use crate::Rng;
use crate::circles::Circles;
use crate::gradient_covariance::{Scratch, weighted_moments};
use crate::linalg::times_transpose;
use crate::normal_step::NormalStep;

/// What is known at a point: no more than was needed by the moves that led there and away from it.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its coordinates in the frame of the history, once the step is known.
    u: Vec<f64>,
    /// C, the local covariance, no larger than it may be, and R = ν²(C/c̄ + floor).
    covariance: Vec<f64>,
    step: NormalStep,
    has_step: bool,
    scratch: Scratch,
    /// ln Q, if it is known, and room for coordinates.
    log_density: Option<f64>,
    room: Vec<f64>,
    /// The point as it is seen from the cuts of circles, and ln |dv/du| of that; zero where there are none.
    turned: Vec<f64>,
    log_slope: f64,
}

impl Local {
    /// Nothing is known yet; there is room for what moves need.
    pub fn new(dim: usize) -> Self {
        Self {
            u: vec![0.0; dim],
            covariance: vec![0.0; dim * dim],
            step: NormalStep::new(dim),
            has_step: false,
            scratch: Scratch::new(dim),
            log_density: None,
            room: vec![0.0; dim],
            turned: vec![0.0; dim],
            log_slope: 0.0,
        }
    }

    /// Nothing is known any more.
    pub fn forget(&mut self) {
        self.has_step = false;
        self.log_density = None;
    }

    /// The factor of a kernel step's covariance, row by row, if it is known.
    pub fn factor(&self) -> Option<&[f64]> {
        self.has_step.then_some(&self.step.factor)
    }

    /// ln Q of the jump density, if it is known.
    pub fn log_jump_density(&self) -> Option<f64> {
        Some(self.log_density? + self.log_slope)
    }

    /// Does with a point, as it is seen from the cuts of circles, what moves do there.
    pub fn turned<R>(&mut self, circles: &Circles, x: &[f64], act: impl FnOnce(&[f64], &mut Self) -> R) -> R {
        if circles.is_empty() {
            return act(x, self);
        }
        let mut turned = std::mem::take(&mut self.turned);
        turned.copy_from_slice(x);
        self.log_slope = circles.turn(&mut turned);
        let result = act(&turned, self);
        self.turned = turned;
        result
    }

    /// ln of what a density of points has to be multiplied with, seen from the cuts, to be one of coordinates.
    pub fn log_slope(&self) -> f64 {
        self.log_slope
    }

    /// Works out R's factor, if it is not known.
    pub(super) fn find_step(&mut self, x: &[f64], history: &HistoryModel, nu2: f64) {
        if !self.has_step {
            history.frame.coordinates(x, &mut self.u);
            weighted_moments(history.sigma, &history.z, &self.u, &mut self.scratch, &mut self.covariance);
            let d = self.u.len();
            let mean = (0..d).map(|i| self.covariance[i * d + i]).sum::<f64>() / d as f64;
            let within = (history.largest / mean).min(1.0);
            self.covariance.iter_mut().for_each(|c| *c *= within);
            self.factorise(history, nu2);
            self.has_step = true;
        }
    }

    /// Works out ln Q, if it is not known.
    pub(super) fn find_density(&mut self, x: &[f64], density: &JumpDensity) {
        if self.log_density.is_none() {
            self.log_density = Some(density.log_density(x, &mut self.room));
        }
    }

    /// A spot at which the jump density may have drawn x.
    pub(crate) fn spot(&mut self, x: &[f64], density: &JumpDensity, rng: &mut Rng) -> f64 {
        density.spot(x, &mut self.room, rng)
    }

    /// R's factor, where it is known, for another ν².
    pub(super) fn rescale(&mut self, history: &HistoryModel, nu2: f64) {
        if self.has_step {
            self.factorise(history, nu2);
        }
    }

    /// R's factor from C: O(d³).
    fn factorise(&mut self, history: &HistoryModel, nu2: f64) {
        self.step.factorise(nu2 * history.unit, &self.covariance, nu2 * HistoryModel::FLOOR);
    }

    /// A kernel step, as a difference of points.
    pub(super) fn draw_step(&self, history: &HistoryModel, length_factor: f64, rng: &mut Rng, y: &mut [f64]) {
        self.step.draw(length_factor, rng, y);
        history.frame.direction(y);
    }

    /// The covariance of such a step, if it is known: with R = LLᵀ in the frame A, (AL)(AL)ᵀ.
    pub fn step_covariance(&self, history: &HistoryModel) -> Option<Vec<f64>> {
        let (d, factor) = (self.u.len(), self.factor()?);
        let mut product = vec![0.0; d * d];
        let mut column = vec![0.0; d];
        for j in 0..d {
            (0..d).for_each(|i| column[i] = factor[i * d + j]);
            history.frame.direction(&mut column);
            (0..d).for_each(|i| product[i * d + j] = column[i]);
        }
        let mut covariance = vec![0.0; d * d];
        times_transpose(&product, d, &mut covariance);
        Some(covariance)
    }

    /// ln Q(x) − ln Q(y) for a jump from here to `there`; not a number where either is not known.
    pub(super) fn log_jump_ratio(&self, there: &Self) -> f64 {
        let known = |at: &Self| at.log_density.unwrap_or(f64::NAN);
        known(self) - known(there)
    }

    /// ln N(x; y, R(y)) − ln N(y; x, R(x)) for a step from here to `there`.
    pub(super) fn log_step_ratio(&self, there: &mut Self, length_factor: f64) -> f64 {
        debug_assert!(self.has_step && there.has_step);
        self.step.log_ratio(&self.u, &there.u, &mut there.step, length_factor)
    }
}
