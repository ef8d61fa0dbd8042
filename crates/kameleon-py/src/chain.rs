//! The class `Chain`: one chain, by ask and tell, that can be stored and sent.

use crate::array::Vector;
use crate::sampler::read_sampler;
use crate::{error, json};
use kameleon::any_chain::{AnyChain, SavedChain};
use kameleon::{ChainSettings, EvalError, Length, Step};
use kameleon_runs::store::{seal, unseal};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The first bytes of every saved chain: what it is, and the version of its form.
const MARK: &[u8; 8] = b"KMLNCHN6";

/// A chain of any sampler.
#[pyclass(name = "Chain", module = "kameleon._kameleon", frozen)]
pub struct PyChain {
    chain: Mutex<Box<dyn AnyChain>>,
}

impl PyChain {
    fn lock(&self) -> MutexGuard<'_, Box<dyn AnyChain>> {
        self.chain.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell_it(&self, value: Result<f64, EvalError>, gradient: &[f64]) -> PyResult<Option<StepTuple>> {
        let step = self.lock().tell_with_gradient(value, gradient).map_err(|e| error::chain(&e))?;
        Ok(step.map(|step: Step| (step.t, step.warm, step.outcome.name(), step.acceptance)))
    }
}

/// (iteration, whether it is in the warm-up, outcome, acceptance probability)
type StepTuple = (u64, bool, &'static str, f64);

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
        let chain = sampler.chain(&start, settings, Length::new(warmup, sampling)).map_err(error::start)?;
        Ok(Self { chain: Mutex::new(chain) })
    }

    /// A chain as it was saved.
    #[staticmethod]
    fn load(state: &[u8]) -> PyResult<Self> {
        let saved: SavedChain = unseal(MARK, "saved chain", state).map_err(|why| error::setting("state", why))?;
        let chain = saved.resume().map_err(|e| error::setting("state", e.to_string()))?;
        Ok(Self { chain: Mutex::new(chain) })
    }

    /// The state of the chain.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = seal(MARK, &self.lock().save()).map_err(|why| error::setting("chain", why))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The point whose log density is needed next.
    fn ask<'py>(&self, py: Python<'py>) -> Vector<'py> {
        PyArray1::from_slice(py, self.lock().ask())
    }

    /// The standard normals that go with the point asked for.
    #[getter]
    fn normals<'py>(&self, py: Python<'py>) -> Vector<'py> {
        PyArray1::from_slice(py, self.lock().normals())
    }

    /// Tells the log density at the point asked for, and the gradient there if the sampler needs it.
    fn tell(&self, value: f64, gradient: Vec<f64>) -> PyResult<Option<StepTuple>> {
        self.tell_it(Ok(value), &gradient)
    }

    /// Says that there is no log density at the point asked for, and why.
    fn reject(&self, why: String) -> PyResult<Option<StepTuple>> {
        self.tell_it(Err(EvalError::Reject(why)), &[])
    }

    #[getter]
    fn position<'py>(&self, py: Python<'py>) -> Vector<'py> {
        PyArray1::from_slice(py, self.lock().position())
    }

    #[getter]
    fn log_density(&self) -> f64 {
        self.lock().log_density()
    }

    #[getter]
    fn warmup(&self) -> u64 {
        self.lock().warmup()
    }

    #[getter]
    fn iterations(&self) -> u64 {
        self.lock().iterations()
    }

    /// The statistics of the chain, as JSON.
    fn statistics(&self) -> PyResult<String> {
        json::write(self.lock().statistics())
    }
}
