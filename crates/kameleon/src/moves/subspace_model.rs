//! The history model in a subspace: what moves in these coordinates alone are made of.

use super::local::LocalSubspace;
use super::{HistoryModel, Subspace};
use crate::Rng;

/// A subspace, and the history model in its coordinates.
#[derive(Clone, Debug)]
pub struct SubspaceModel {
    subspace: Subspace,
    history: Box<HistoryModel>,
}

impl SubspaceModel {
    /// Of the history in a subspace; none if that has no density estimate.
    pub fn new(subspace: Subspace, history: HistoryModel) -> Option<Self> {
        history.density.is_some().then(|| Self { subspace, history: Box::new(history) })
    }

    /// The directions.
    pub fn subspace(&self) -> &Subspace {
        &self.subspace
    }

    /// The history in their coordinates.
    pub fn history(&self) -> &HistoryModel {
        &self.history
    }

    /// k, the number of directions.
    pub fn dim(&self) -> usize {
        self.subspace.dim()
    }

    /// Writes the difference of points by which a jump from here moves.
    pub(super) fn draw_jump(&self, from: &LocalSubspace, rng: &mut Rng, y: &mut [f64]) {
        let mut room = [0.0; Subspace::LARGEST];
        let s = &mut room[..self.dim()];
        self.history.draw_jump(rng, s);
        s.iter_mut().zip(&from.s).for_each(|(new, old)| *new -= old);
        self.subspace.direction(s, y);
    }

    /// Writes the difference of points by which a step from here moves.
    pub(super) fn draw_step(&self, from: &LocalSubspace, length_factor: f64, rng: &mut Rng, y: &mut [f64]) {
        let mut room = [0.0; Subspace::LARGEST];
        let s = &mut room[..self.dim()];
        from.at.draw_step(&self.history, length_factor, rng, s);
        self.subspace.direction(s, y);
    }
}
