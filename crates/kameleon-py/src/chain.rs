//! The class `Chain`: one chain to ask and to tell, to store and to send elsewhere.

use crate::array::Vector;
use crate::error;
use crate::sampler::read_sampler;
use kameleon::any_chain::{AnyChain, SavedChain};
use kameleon::{ChainSettings, EvalError, Length, Outcome, Step};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A chain of any sampler.
#[pyclass(name = "Chain", module = "kameleon._kameleon", frozen)]
pub struct PyChain {
    chain: Mutex<Option<Box<dyn AnyChain>>>,
}

impl PyChain {
    /// Takes the chain away for a run; it is to be put back.
    pub fn take(&self) -> PyResult<Box<dyn AnyChain>> {
        self.lock().take().ok_or_else(away)
    }

    /// Puts the chain back after a run.
    pub fn put(&self, chain: Box<dyn AnyChain>) {
        *self.lock() = Some(chain);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<dyn AnyChain>>> {
        self.chain.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<R>(&self, act: impl FnOnce(&mut dyn AnyChain) -> PyResult<R>) -> PyResult<R> {
        act(&mut **self.lock().as_mut().ok_or_else(away)?)
    }

    fn tell_it(&self, value: Result<f64, EvalError>) -> PyResult<Option<StepTuple>> {
        self.with(|chain| Ok(chain.tell(value).map_err(|e| error::chain(&e))?.map(|step| step_tuple(&step))))
    }
}

fn away() -> PyErr {
    error::setting("chain", "it is in a run now; wait until the run has ended")
}

/// (iteration, whether it is of the warm-up, outcome, acceptance probability)
type StepTuple = (u64, bool, &'static str, f64);

fn step_tuple(step: &Step) -> StepTuple {
    (step.t, step.warm, outcome_name(step.outcome), step.acceptance)
}

fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Accepted => "accepted",
        Outcome::Rejected => "rejected",
        Outcome::OutsideSupport => "outside-support",
        Outcome::Invalid => "invalid",
    }
}

#[pymethods]
impl PyChain {
    #[new]
    #[pyo3(signature = (start, sampler, *, warmup, sampling, seed, index=0, normals=0, correlation=0.0))]
    #[expect(clippy::too_many_arguments)]
    fn new(
        start: Vec<f64>,
        sampler: &str,
        warmup: u64,
        sampling: u64,
        seed: u64,
        index: usize,
        normals: usize,
        correlation: f64,
    ) -> PyResult<Self> {
        let sampler = read_sampler(sampler)?;
        let settings = ChainSettings { index, seed, warmup, normals, correlation };
        let chain = sampler.chain(&start, settings, Length { warmup, sampling }).map_err(error::start)?;
        Ok(Self { chain: Mutex::new(Some(chain)) })
    }

    /// A chain as it was saved.
    #[staticmethod]
    fn load(state: &[u8]) -> PyResult<Self> {
        let damaged = |why: String| error::setting("state", format!("this is not a saved chain: {why}"));
        let saved: SavedChain = postcard::from_bytes(state).map_err(|e| damaged(e.to_string()))?;
        let chain = saved.resume().map_err(|e| damaged(e.to_string()))?;
        Ok(Self { chain: Mutex::new(Some(chain)) })
    }

    /// Everything the chain is at this moment.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with(|chain| {
            postcard::to_stdvec(&chain.save()).map_err(|e| error::setting("chain", format!("cannot be stored: {e}")))
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type().getattr("load")?, (slf.get().save(slf.py())?,)))
    }

    /// The point whose log density is wanted next.
    fn ask<'py>(&self, py: Python<'py>) -> PyResult<Vector<'py>> {
        self.with(|chain| Ok(PyArray1::from_slice(py, chain.ask())))
    }

    /// The standard normals that go with the point asked for.
    #[getter]
    fn normals<'py>(&self, py: Python<'py>) -> PyResult<Vector<'py>> {
        self.with(|chain| Ok(PyArray1::from_slice(py, chain.normals())))
    }

    /// Tells the log density at the point asked for.
    fn tell(&self, value: f64) -> PyResult<Option<StepTuple>> {
        self.tell_it(Ok(value))
    }

    /// Tells that there is no log density at the point asked for, and why.
    fn reject(&self, why: String) -> PyResult<Option<StepTuple>> {
        self.tell_it(Err(EvalError::Reject(why)))
    }

    #[getter]
    fn position<'py>(&self, py: Python<'py>) -> PyResult<Vector<'py>> {
        self.with(|chain| Ok(PyArray1::from_slice(py, chain.position())))
    }

    #[getter]
    fn log_density(&self) -> PyResult<f64> {
        self.with(|chain| Ok(chain.log_density()))
    }

    #[getter]
    fn index(&self) -> PyResult<usize> {
        self.with(|chain| Ok(chain.index()))
    }

    #[getter]
    fn warmup(&self) -> PyResult<u64> {
        self.with(|chain| Ok(chain.warmup()))
    }

    #[getter]
    fn iterations(&self) -> PyResult<u64> {
        self.with(|chain| Ok(chain.iterations()))
    }

    /// ν
    #[getter]
    fn scale(&self) -> PyResult<f64> {
        self.with(|chain| Ok(chain.scale()))
    }

    /// What happened to the chain, as JSON.
    fn statistics(&self) -> PyResult<String> {
        self.with(|chain| serde_json::to_string(chain.statistics()).map_err(|e| error::setting("chain", e.to_string())))
    }
}
