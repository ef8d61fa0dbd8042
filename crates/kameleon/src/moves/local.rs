//! What is known at a point: the covariance of a kernel step from there, and the density of jumping there.

use super::density::{DensityScratch, JumpDensity};
use super::{HistoryModel, Model, SubspaceModel};
use crate::Rng;
use crate::gradient_covariance::{Scratch, weighted_moments};
use crate::linalg::times_transpose;
use crate::normal_step::NormalStep;

/// What is known at a point: no more than was needed by the moves that led there and away from it.
#[derive(Clone, Debug)]
pub struct Local {
    pub(super) full: Neighbourhood,
    /// The same in the subspace, if the model has one.
    pub(super) subspace: Option<Box<LocalSubspace>>,
}

impl Local {
    /// Nothing is known yet; there is room for what moves need.
    pub fn new(dim: usize, model: &Model) -> Self {
        let mut local = Self { full: Neighbourhood::new(dim), subspace: None };
        local.forget(model);
        local
    }

    /// What is known in the full space.
    pub fn full(&self) -> &Neighbourhood {
        &self.full
    }

    /// What is known in the subspace, if there is one.
    pub fn subspace(&self) -> Option<&Neighbourhood> {
        self.subspace.as_ref().map(|subspace| &subspace.at)
    }

    /// Nothing is known any more; room is made where the model has another subspace than before.
    pub fn forget(&mut self, model: &Model) {
        self.full.forget();
        let dim = self.full.u.len();
        let room = self.subspace.take();
        self.subspace = model.subspace().map(|of| match room.filter(|room| room.s.len() == of.dim()) {
            Some(mut room) => {
                room.at.forget();
                room
            }
            None => Box::new(LocalSubspace::new(dim, of.dim())),
        });
    }
}

/// What is known at a point in the coordinates of one history model.
#[derive(Clone, Debug)]
pub struct Neighbourhood {
    /// Its coordinates in the frame, once either of the following is known.
    u: Vec<f64>,
    /// C, the local covariance, no larger than it may be, and R = ν²(C/c̄ + floor).
    covariance: Vec<f64>,
    step: NormalStep,
    has_step: bool,
    /// ln Q, in the coordinates of the frame.
    log_density: f64,
    has_density: bool,
    scratch: Scratch,
    density_scratch: DensityScratch,
}

impl Neighbourhood {
    fn new(dim: usize) -> Self {
        Self {
            u: vec![0.0; dim],
            covariance: vec![0.0; dim * dim],
            step: NormalStep::new(dim),
            has_step: false,
            log_density: 0.0,
            has_density: false,
            scratch: Scratch::new(dim),
            density_scratch: JumpDensity::scratch(dim),
        }
    }

    /// The factor of a kernel step's covariance, row by row, if it is known.
    pub fn factor(&self) -> Option<&[f64]> {
        self.has_step.then_some(&self.step.factor)
    }

    /// ln Q of the jump, in the coordinates of the frame, if it is known.
    pub fn log_jump_density(&self) -> Option<f64> {
        self.has_density.then_some(self.log_density)
    }

    fn forget(&mut self) {
        self.has_step = false;
        self.has_density = false;
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
    pub(super) fn find_density(&mut self, x: &[f64], history: &HistoryModel) {
        if let (Some(density), false) = (&history.density, self.has_density) {
            history.frame.coordinates(x, &mut self.u);
            self.log_density = density.log_density(&self.u, &mut self.density_scratch);
            self.has_density = true;
        }
    }

    /// R's factor, where it is known, for another ν².
    pub(super) fn rescale(&mut self, history: &HistoryModel, nu2: f64) {
        if self.has_step {
            self.factorise(history, nu2);
        }
    }

    /// R's factor from C: O(d³).
    fn factorise(&mut self, history: &HistoryModel, nu2: f64) {
        self.step.factorise(nu2 * history.unit, &self.covariance, nu2 * history.floor);
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

    /// ln Q(x) − ln Q(y) for a jump from here to `there`.
    pub(super) fn log_jump_ratio(&self, there: &Neighbourhood) -> f64 {
        debug_assert!(self.has_density && there.has_density);
        self.log_density - there.log_density
    }

    /// ln N(x; y, R(y)) − ln N(y; x, R(x)) for a step from here to `there`.
    pub(super) fn log_step_ratio(&self, there: &mut Neighbourhood, length_factor: f64) -> f64 {
        debug_assert!(self.has_step && there.has_step);
        self.step.log_ratio(&self.u, &there.u, &mut there.step, length_factor)
    }
}

/// What is known at a point in the subspace.
#[derive(Clone, Debug)]
pub(super) struct LocalSubspace {
    /// Its coordinates there.
    pub s: Vec<f64>,
    /// What is known at them.
    pub at: Neighbourhood,
    /// Room for all coordinates of a point.
    white: Vec<f64>,
}

impl LocalSubspace {
    fn new(dim: usize, directions: usize) -> Self {
        Self { s: vec![0.0; directions], at: Neighbourhood::new(directions), white: vec![0.0; dim] }
    }

    /// Works out R's factor at x, if it is not known.
    pub fn find_step(&mut self, x: &[f64], model: &SubspaceModel, nu2: f64) {
        model.subspace.coordinates(x, &mut self.white, &mut self.s);
        self.at.find_step(&self.s, &model.history, nu2);
    }

    /// Works out ln Q at x, if it is not known.
    pub fn find_density(&mut self, x: &[f64], model: &SubspaceModel) {
        model.subspace.coordinates(x, &mut self.white, &mut self.s);
        self.at.find_density(&self.s, &model.history);
    }
}
