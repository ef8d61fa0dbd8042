//! The draws of a chain in memory, with what became of the last proposal, and as arrays.

use crate::array;
use kameleon::any_chain::AnyChain;
use kameleon::record::{Record, RecordError};
use kameleon::{Outcome, Step};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What is kept of a chain.
#[derive(Clone, Copy, Debug)]
pub struct Keep {
    /// One draw of so many iterations.
    pub thin: u64,
    /// Whether the warm-up is kept too, thinned in the same way.
    pub with_warmup: bool,
}

/// Draws with what the last step before each did.
#[derive(Default)]
pub struct Kept {
    points: Vec<f64>,
    log_density: Vec<f64>,
    acceptance: Vec<f64>,
    outcome: Vec<u8>,
}

impl Kept {
    fn push(&mut self, chain: &dyn AnyChain, step: &Step) {
        self.points.extend_from_slice(chain.position());
        self.log_density.push(chain.log_density());
        self.acceptance.push(step.acceptance);
        self.outcome.push(outcome_code(step.outcome));
    }

    fn arrays<'py>(self, py: Python<'py>, dim: usize) -> PyResult<Bound<'py, PyDict>> {
        let arrays = PyDict::new(py);
        arrays.set_item("points", array::rows(py, &self.points, dim)?)?;
        arrays.set_item("log_density", PyArray1::from_vec(py, self.log_density))?;
        arrays.set_item("acceptance", PyArray1::from_vec(py, self.acceptance))?;
        arrays.set_item("outcome", PyArray1::from_vec(py, self.outcome))?;
        Ok(arrays)
    }
}

/// 0 accepted, 1 rejected, 2 outside the support, 3 invalid.
fn outcome_code(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Accepted => 0,
        Outcome::Rejected => 1,
        Outcome::OutsideSupport => 2,
        Outcome::Invalid => 3,
    }
}

/// A chain's record in memory.
pub struct MemoryRecord {
    keep: Keep,
    warmup: Kept,
    draws: Kept,
}

impl MemoryRecord {
    /// Nothing yet.
    pub fn new(keep: Keep) -> Self {
        Self { keep, warmup: Kept::default(), draws: Kept::default() }
    }

    /// (warm-up, draws), each a dictionary of arrays.
    pub fn arrays<'py>(self, py: Python<'py>, dim: usize) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        Ok((self.warmup.arrays(py, dim)?, self.draws.arrays(py, dim)?))
    }
}

impl Record for MemoryRecord {
    fn step(&mut self, chain: &dyn AnyChain, step: &Step) -> Result<(), RecordError> {
        let Keep { thin, with_warmup } = self.keep;
        if step.is_draw(thin) {
            self.draws.push(chain, step);
        } else if with_warmup && step.warm && (step.t + 1).is_multiple_of(thin) {
            self.warmup.push(chain, step);
        }
        Ok(())
    }
}
