//! Moves in a few directions: jumps and steps of the Kameleon in those coordinates alone, the others left as they are.

use super::choose::Choice;
use super::fit::Past;
use super::local::Local;
use super::subspace::Subspace;
use crate::Rng;
use crate::points::Points;

/// The directions, and the past in their coordinates.
#[derive(Clone, Debug)]
pub struct Few {
    subspace: Subspace,
    past: Box<Past>,
}

/// What is known at a point in the few directions.
#[derive(Clone, Debug)]
pub struct LocalFew {
    /// Its coordinates there.
    s: Vec<f64>,
    /// What is known at them.
    pub local: Local,
}

impl Few {
    /// Of what is known of the past in a subspace; none if that has no density estimate.
    pub fn new(subspace: Subspace, past: Past) -> Option<Self> {
        past.jump.is_some().then(|| Self { subspace, past: Box::new(past) })
    }

    /// The directions.
    pub fn subspace(&self) -> &Subspace {
        &self.subspace
    }

    /// How many directions.
    pub fn dim(&self) -> usize {
        self.subspace.dim()
    }

    /// Writes the difference of points by which a jump from here moves.
    pub fn draw_jump(&self, from: &LocalFew, rng: &mut Rng, y: &mut [f64]) {
        let mut room = [0.0; Subspace::LARGEST];
        let s = &mut room[..self.dim()];
        self.past.draw_jump(rng, s);
        s.iter_mut().zip(&from.s).for_each(|(new, old)| *new -= old);
        self.subspace.direction(s, y);
    }

    /// Writes the difference of points by which a step from here moves.
    pub fn draw_step(&self, from: &LocalFew, shrink: f64, rng: &mut Rng, y: &mut [f64]) {
        let mut room = [0.0; Subspace::LARGEST];
        let s = &mut room[..self.dim()];
        from.local.draw_step(&self.past, shrink, rng, s);
        self.subspace.direction(s, y);
    }

    /// What it was made of.
    pub fn into_parts(self) -> (Subspace, Choice, Points) {
        (self.subspace, self.past.choice, self.past.z)
    }
}

impl LocalFew {
    /// Nothing is known yet in `dim` directions.
    pub fn new(dim: usize) -> Self {
        Self { s: vec![0.0; dim], local: Local::new(dim) }
    }

    /// How many directions.
    pub fn dim(&self) -> usize {
        self.s.len()
    }

    /// Works out R's factor at x, if it is not known; `u` is room for d numbers.
    pub fn find_steps(&mut self, x: &[f64], few: &Few, nu2: f64, u: &mut [f64]) {
        few.subspace.coordinates(x, u, &mut self.s);
        self.local.find_steps(&self.s, &few.past, nu2);
    }

    /// Works out ln Q at x, if it is not known; `u` is room for d numbers.
    pub fn find_jumps(&mut self, x: &[f64], few: &Few, u: &mut [f64]) {
        few.subspace.coordinates(x, u, &mut self.s);
        self.local.find_jumps(&self.s, &few.past);
    }

    /// R's factor, where it is known, for another ν².
    pub fn rescale(&mut self, few: &Few, nu2: f64) {
        if self.local.factor().is_some() {
            self.local.factorise(&few.past, nu2);
        }
    }
}
