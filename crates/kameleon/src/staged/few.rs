//! Jumps in a few directions: an independent draw of those coordinates from a density estimate of them.

use super::choose::Choice;
use super::fit::Past;
use super::frame::Frame;
use super::jump::{Jump, JumpScratch};
use super::subspace::Subspace;
use crate::Rng;
use crate::points::Points;

/// The directions, and the density estimate in them.
#[derive(Clone, Debug)]
pub struct Few {
    subspace: Subspace,
    choice: Choice,
    frame: Frame,
    jump: Jump,
}

impl Few {
    /// Of what is known of the past in a subspace; none if that has no density estimate.
    pub fn new(subspace: Subspace, past: Past) -> Option<Self> {
        let Past { choice, frame, jump, .. } = past;
        Some(Self { subspace, choice, frame, jump: jump? })
    }

    /// The directions.
    pub fn subspace(&self) -> &Subspace {
        &self.subspace
    }

    /// How many directions.
    pub fn dim(&self) -> usize {
        self.subspace.dim()
    }

    /// ln Q at x, whose coordinates are written to `s`; `u` is room for d numbers.
    pub fn log_density(&self, x: &[f64], u: &mut [f64], s: &mut [f64], scratch: &mut JumpScratch) -> f64 {
        let k = self.dim();
        self.subspace.coordinates(x, u, &mut s[..k]);
        self.frame.coordinates(&s[..k], &mut u[..k]);
        self.jump.log_density(&u[..k], scratch)
    }

    /// Writes the difference of points by which a jump from the coordinates `s` moves.
    pub fn draw(&self, s: &[f64], rng: &mut Rng, y: &mut [f64]) {
        let mut room = [0.0; Subspace::LARGEST];
        let new = &mut room[..self.dim()];
        self.jump.draw(rng, new);
        self.frame.point(new);
        new.iter_mut().zip(s).for_each(|(new, old)| *new -= old);
        self.subspace.direction(new, y);
    }

    /// What it was made of.
    pub fn into_parts(self) -> (Subspace, Choice, Points) {
        (self.subspace, self.choice, self.jump.into_centres())
    }
}
