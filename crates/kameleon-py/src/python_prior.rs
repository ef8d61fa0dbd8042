//! Priors that only Python can evaluate: proper ones, for populations too, and any other one as part of the target.

use crate::callable::Callable;
use crate::session::Session;
use kameleon::any_target::AnyTarget;
use kameleon::population::Prior;
use kameleon::{Evaluation, Noise, Rng, Target};
use kameleon_models::JointPrior;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use rand::RngExt;
use std::sync::{Arc, Mutex, PoisonError};

/// A proper prior of all parameters, a `kameleon.priors.PythonPrior`. An exception there stops the run.
pub struct PythonPrior {
    prior: Py<PyAny>,
    dim: usize,
    session: Arc<Session>,
    failure: Mutex<Option<String>>,
}

impl PythonPrior {
    /// The prior of a run.
    pub fn shared(py: Python<'_>, prior: Py<PyAny>, session: &Arc<Session>) -> PyResult<JointPrior> {
        let dim = prior.getattr(py, "dim")?.extract(py)?;
        Ok(Arc::new(Self { prior, dim, session: Arc::clone(session), failure: Mutex::default() }))
    }

    /// What Python answers, or NaN after an exception.
    fn ask(&self, length: usize, question: impl FnOnce(Python<'_>) -> PyResult<Vec<f64>>) -> Vec<f64> {
        Python::attach(|py| {
            question(py).unwrap_or_else(|error| {
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
                self.session.stop(py, error);
                vec![f64::NAN; length]
            })
        })
    }
}

impl Prior for PythonPrior {
    fn dim(&self) -> usize {
        self.dim
    }

    fn draw(&self, rng: &mut Rng, x: &mut [f64]) {
        x.copy_from_slice(&self.draws(rng, 1));
    }

    fn log_density(&self, x: &[f64]) -> f64 {
        self.log_densities(x)[0]
    }

    fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn draws(&self, rng: &mut Rng, count: usize) -> Vec<f64> {
        // Below 2⁶³, for every integer of numpy.
        let seed = rng.random::<u64>() >> 1;
        self.ask(count * self.dim, |py| {
            let rows = self.prior.call_method1(py, "draw", (seed, count))?;
            let rows: PyReadonlyArray2<'_, f64> = rows.extract(py)?;
            Ok(rows.as_array().iter().copied().collect())
        })
    }

    fn log_densities(&self, points: &[f64]) -> Vec<f64> {
        let count = points.len() / self.dim;
        self.ask(count, |py| {
            let points = PyArray1::from_slice(py, points).reshape([count, self.dim])?;
            let values = self.prior.call_method1(py, "log_density", (points,))?;
            let values: PyReadonlyArray1<'_, f64> = values.extract(py)?;
            Ok(values.as_array().to_vec())
        })
    }
}

/// A target plus a log prior, a Python function of a point. Where the prior is zero the target is not evaluated.
#[derive(Clone)]
pub struct Under {
    target: AnyTarget<'static>,
    log_prior: Callable,
}

impl Under {
    /// The target under this prior.
    pub fn new(target: AnyTarget<'static>, log_prior: Callable) -> Self {
        Self { target, log_prior }
    }
}

impl Target for Under {
    fn inner(&self) -> Option<&dyn Target> {
        Some(&self.target)
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        let Noise { rng, normals } = noise;
        let log_prior = self.log_prior.log_density(x, Noise { rng: &mut *rng, normals: &[] })?;
        if log_prior.is_nan() || log_prior == f64::NEG_INFINITY {
            return Ok(log_prior);
        }
        Ok(log_prior + self.target.log_density(x, Noise { rng, normals })?)
    }
}
