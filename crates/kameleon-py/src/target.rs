//! The class `Target`: what Python hands to a run, made by one of its constructors.

use crate::any_target::AnyTarget;
use crate::array::{self, Matrix, Vector};
use crate::callable::{Callable, Second};
use crate::error;
use crate::pointer::{Function, Pointer};
use kameleon::random::{Purpose, stream};
use kameleon::target::{Banana, Flower, Gaussian, Noisy};
use kameleon::{Known, Noise, Target};
use kameleon_models::{Bound, Bounded, Prior, WithPrior};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use rand::RngExt;
use rand_distr::StandardNormal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A log density that chains can sample.
#[pyclass(name = "Target", module = "kameleon._kameleon", frozen)]
pub struct PyTarget {
    /// Behind a lock, because a model may be on one thread at a time only.
    target: Mutex<AnyTarget>,
}

impl From<AnyTarget> for PyTarget {
    fn from(target: AnyTarget) -> Self {
        Self { target: Mutex::new(target) }
    }
}

impl PyTarget {
    /// A copy to be sampled.
    pub fn copy(&self) -> AnyTarget {
        self.lock().clone()
    }

    /// The target itself; a panic elsewhere does not spoil it.
    pub fn lock(&self) -> MutexGuard<'_, AnyTarget> {
        self.target.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyTarget {
    #[staticmethod]
    fn banana(dim: usize, b: f64, v: f64) -> PyResult<Self> {
        Ok(AnyTarget::Banana(Banana::new(dim, b, v).map_err(error::target)?).into())
    }

    #[staticmethod]
    fn flower(dim: usize, r0: f64, amplitude: f64, omega: f64, sigma: f64) -> PyResult<Self> {
        Ok(AnyTarget::Flower(Flower::new(dim, r0, amplitude, omega, sigma).map_err(error::target)?).into())
    }

    #[staticmethod]
    fn ring(dim: usize, radius: f64, variance: f64) -> PyResult<Self> {
        Ok(AnyTarget::Flower(Flower::ring(dim, radius, variance).map_err(error::target)?).into())
    }

    #[staticmethod]
    fn gaussian(mean: PyReadonlyArray1<'_, f64>, covariance: PyReadonlyArray2<'_, f64>) -> PyResult<Self> {
        let covariance: Vec<f64> = covariance.as_array().iter().copied().collect();
        let target = Gaussian::new(&mean.as_array().to_vec(), &covariance).map_err(error::target)?;
        Ok(AnyTarget::Gaussian(target).into())
    }

    /// A Python function of (x), (x, seed) with `seeded`, or (x, normals) with so many `normals`.
    #[staticmethod]
    #[pyo3(signature = (function, seeded=false, normals=0))]
    fn callable(function: Py<PyAny>, seeded: bool, normals: usize) -> Self {
        let second = match (seeded, normals) {
            (true, _) => Second::Seed,
            (false, 0) => Second::None,
            (false, count) => Second::Normals(count),
        };
        AnyTarget::Callable(Callable::new(function, second)).into()
    }

    /// A compiled function at an address, with 2, 3 or 4 arguments; `owner` is kept alive.
    #[staticmethod]
    #[expect(unsafe_code)]
    fn pointer(address: usize, arguments: usize, normals: usize, owner: Py<PyAny>) -> PyResult<Self> {
        // SAFETY: the user vouches for the function, as with every address handed to ctypes.
        let function = unsafe { Function::at(address, arguments, normals) };
        let what = "a compiled log density takes (x, dim), (x, dim, seed) or (x, dim, normals, count)";
        let function = function.ok_or_else(|| error::setting("log_density", what))?;
        Ok(AnyTarget::Pointer(Pointer::new(function, owner)).into())
    }

    /// The same density times exp(s e − s²/2) with e standard normal.
    fn noisy(&self, s: f64) -> PyResult<Self> {
        Ok(AnyTarget::Noisy(Box::new(Noisy::new(self.copy(), s).map_err(error::target)?)).into())
    }

    /// The same density times a prior for each parameter that has one, such as "normal(0, 1)".
    fn with_priors(&self, priors: Vec<Option<String>>) -> PyResult<Self> {
        let parse = |text: Option<String>| text.map(|text| text.parse::<Prior>()).transpose();
        let priors = priors.into_iter().map(parse).collect::<Result<_, _>>();
        let priors = priors.map_err(|found| error::setting("priors", found.to_string()))?;
        let target = WithPrior::new(self.copy(), priors);
        Ok(AnyTarget::WithPrior(Box::new(target.map_err(|found| error::setting("priors", found.to_string()))?)).into())
    }

    /// The same density on the whole space, each parameter between its bounds.
    fn with_bounds(&self, bounds: Vec<(Option<f64>, Option<f64>)>) -> PyResult<Self> {
        let bound = |(lower, upper)| Bound::new(lower, upper);
        let wrong = |found: kameleon_models::ModelError| error::setting("bounds", found.to_string());
        let bounds = bounds.into_iter().map(bound).collect::<Result<_, _>>().map_err(wrong)?;
        Ok(AnyTarget::Bounded(Box::new(Bounded::new(self.copy(), bounds).map_err(wrong)?)).into())
    }

    /// The same density with these names.
    fn named(&self, names: Vec<String>) -> Self {
        AnyTarget::Named(Box::new(self.copy()), Arc::new(names)).into()
    }

    /// The dimension, where it is known.
    #[getter]
    fn dim(&self) -> Option<usize> {
        self.lock().dim()
    }

    /// How many standard normals the estimate is a function of.
    #[getter]
    fn normals(&self) -> usize {
        self.lock().normals()
    }

    /// The names of the parameters.
    fn names(&self, dim: usize) -> Vec<String> {
        self.lock().names(dim)
    }

    /// The log density at a point, or an estimate of it made with this seed.
    #[pyo3(signature = (x, seed=0))]
    fn log_density(&self, x: PyReadonlyArray1<'_, f64>, seed: u64) -> PyResult<f64> {
        let (x, mut target) = (x.as_array().to_vec(), self.copy());
        if let Some(dim) = target.dim().filter(|dim| *dim != x.len()) {
            return Err(error::setting("x", format!("has {} coordinates where {dim} are wanted", x.len())));
        }
        let mut rng = stream(seed, 0, Purpose::Noise);
        let normals: Vec<f64> = (0..target.normals()).map(|_| rng.sample(StandardNormal)).collect();
        let noise = Noise { rng: &mut rng, normals: &normals };
        target.log_density(&x, noise).map_err(error::evaluation)
    }

    /// The points that stand for `x` on the whole space, where chains move.
    fn to_unbounded(&self, x: PyReadonlyArray1<'_, f64>) -> PyResult<Vec<f64>> {
        let x = x.as_array().to_vec();
        match &*self.lock() {
            AnyTarget::Bounded(bounded) => bounded.to_unbounded(&x).map_err(|e| error::setting("start", e.to_string())),
            _ => Ok(x),
        }
    }

    /// Draws on the whole space, in the parameters' own units; and the log Jacobian at each.
    fn to_bounded<'py>(
        &self,
        py: Python<'py>,
        u: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<(Matrix<'py>, Vector<'py>)> {
        let u = u.as_array();
        let mut x: Vec<f64> = u.iter().copied().collect();
        let mut log_jacobian = vec![0.0; u.nrows()];
        if let AnyTarget::Bounded(bounded) = &*self.lock() {
            let dim = bounded.bounds().len();
            if u.ncols() != dim {
                return Err(error::setting("u", format!("has {} columns where {dim} are wanted", u.ncols())));
            }
            let mut point = vec![0.0; dim];
            for (x, log_jacobian) in x.chunks_mut(dim).zip(&mut log_jacobian) {
                *log_jacobian = bounded.log_jacobian(x);
                bounded.to_bounded(x, &mut point);
                x.copy_from_slice(&point);
            }
        }
        Ok((array::rows(py, &x, u.ncols())?, PyArray1::from_vec(py, log_jacobian)))
    }

    /// Exact draws, where they are known.
    fn sample<'py>(&self, py: Python<'py>, count: usize, seed: u64) -> PyResult<Matrix<'py>> {
        let target = self.copy();
        let (known, dim) = (known(&target)?, target.dim().unwrap_or(0));
        let mut rng = stream(seed, 0, Purpose::Start);
        let mut draws = vec![0.0; count * dim];
        draws.chunks_mut(dim).for_each(|x| known.sample(&mut rng, x));
        array::rows(py, &draws, dim)
    }

    /// The exact mean, where it is known.
    fn mean(&self) -> PyResult<Vec<f64>> {
        Ok(known(&self.lock())?.mean())
    }

    /// The exact trace of the covariance, where it is known.
    fn total_variance(&self) -> PyResult<f64> {
        Ok(known(&self.lock())?.total_variance())
    }

    /// The probability of the smallest exact quantile region that holds each point: uniform for exact draws.
    fn levels<'py>(&self, py: Python<'py>, x: PyReadonlyArray2<'py, f64>) -> PyResult<Vector<'py>> {
        let target = self.copy();
        let known = known(&target)?;
        let levels: Vec<f64> = x.as_array().rows().into_iter().map(|row| known.level(&row.to_vec())).collect();
        Ok(PyArray1::from_vec(py, levels))
    }
}

/// The target as one whose truth is known.
fn known(target: &AnyTarget) -> PyResult<&dyn Known> {
    target.known().ok_or_else(|| error::setting("target", "its truth is not known"))
}
