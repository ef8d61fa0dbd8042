//! The class `Target`: what Python passes to a run, made by one of its constructors.

use crate::array::{self, Matrix, Vector};
use crate::callable::{Callable, Slopes, noise_input};
use crate::pointer::{Function, Pointer};
use crate::python_prior::Under;
use crate::rows::Rows;
use crate::{error, json};
use kameleon::any_target::AnyTarget;
use kameleon::random::{Purpose, stream};
use kameleon::target::{Gaussian, Noisy};
use kameleon::{Evaluation, Known, Noise, Target};
use kameleon_models::{NoiseInput, posteriors};
use kameleon_runs::{Model, RunSettings};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use rand::RngExt;
use rand_distr::StandardNormal;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A log density that chains can sample.
#[pyclass(name = "Target", module = "kameleon._kameleon", frozen)]
pub struct PyTarget {
    /// Behind a lock, because a model may be used by one thread at a time only.
    target: Mutex<AnyTarget<'static>>,
}

impl PyTarget {
    /// This target, whatever its type.
    pub fn new(target: impl Target + Clone + Send + 'static) -> Self {
        Self { target: Mutex::new(AnyTarget::new(target)) }
    }

    /// A copy to be sampled.
    pub fn copy(&self) -> AnyTarget<'static> {
        self.lock().clone()
    }

    /// Asks a copy about a point, with noise of this seed.
    fn ask(
        &self,
        x: &[f64],
        seed: u64,
        what: impl FnOnce(&mut AnyTarget<'static>, &[f64], Noise<'_>) -> Evaluation,
    ) -> PyResult<f64> {
        let mut target = self.copy();
        if let Some(dim) = target.dim().filter(|dim| *dim != x.len()) {
            return Err(error::setting("x", format!("must have {dim} coordinates, not {}", x.len())));
        }
        let mut rng = stream(seed, 0, Purpose::Noise);
        let normals: Vec<f64> = (0..target.normals()).map(|_| rng.sample(StandardNormal)).collect();
        what(&mut target, x, Noise { rng: &mut rng, normals: &normals }).map_err(error::evaluation)
    }

    fn lock(&self) -> MutexGuard<'_, AnyTarget<'static>> {
        self.target.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyTarget {
    /// The model in the settings of a run (JSON).
    #[staticmethod]
    fn open(py: Python<'_>, settings: &str) -> PyResult<Self> {
        let mut settings: RunSettings = json::read(settings)?;
        settings.anchor(&std::env::current_dir().unwrap_or_default());
        // A server may be a thread of this interpreter, which must not wait for us.
        let model = py.detach(|| Model::open(&settings)).map_err(error::run)?;
        Ok(Self::new(model))
    }

    /// The model in the settings of a run (JSON) with the priors of its parameters, in the parameters' own units.
    #[staticmethod]
    fn with_priors(settings: &str) -> PyResult<Self> {
        let settings: RunSettings = json::read(settings)?;
        Ok(Self::new(Model::with_priors(&settings).map_err(error::run)?))
    }

    #[staticmethod]
    fn gaussian(mean: PyReadonlyArray1<'_, f64>, covariance: PyReadonlyArray2<'_, f64>, noise: f64) -> PyResult<Self> {
        let covariance: Vec<f64> = covariance.as_array().iter().copied().collect();
        let target = Gaussian::new(&mean.as_array().to_vec(), &covariance).map_err(error::settings)?;
        Ok(Self::new(Noisy::new(target, noise).map_err(error::settings)?))
    }

    /// A Python function of (x), of (x, seed) if `seeded`, or of (x, normals); `reject`: its exceptions reject a point; `gradient`: a
    /// function of the same arguments, or true if the function returns its log density and the gradient.
    #[staticmethod]
    #[pyo3(signature = (function, seeded, normals, reject, gradient=None))]
    fn callable(
        function: Py<PyAny>,
        seeded: bool,
        normals: usize,
        reject: bool,
        gradient: Option<&Bound<'_, PyAny>>,
    ) -> Self {
        let slopes = gradient.map_or(Slopes::None, Slopes::of);
        Self::new(Callable::new(function, noise_input(seeded, normals), reject, slopes))
    }

    /// A vectorised Python function of (points), of (points, seeds) if `seeded`, or of (points, normals); `gradient` as above, with a
    /// row for each point.
    #[staticmethod]
    #[pyo3(signature = (function, seeded, normals, reject, gradient=None))]
    fn rows(
        function: Py<PyAny>,
        seeded: bool,
        normals: usize,
        reject: bool,
        gradient: Option<&Bound<'_, PyAny>>,
    ) -> Self {
        let slopes = gradient.map_or(Slopes::None, Slopes::of);
        Self::new(Rows::new(function, noise_input(seeded, normals), reject, slopes))
    }

    /// A compiled function at an address, with 2, 3 or 4 arguments; `owner` is kept alive.
    #[staticmethod]
    #[expect(unsafe_code)]
    fn pointer(address: usize, arguments: usize, normals: usize, owner: Py<PyAny>) -> PyResult<Self> {
        // SAFETY: the user vouches for the function, as with every address handed to ctypes.
        let function = unsafe { Function::at(address, arguments, normals) };
        let what = "a compiled log density takes (x, dim), (x, dim, seed) or (x, dim, normals, count)";
        let function = function.ok_or_else(|| error::setting("log_density", what))?;
        Ok(Self::new(Pointer::new(function, owner)))
    }

    /// The same target plus a log prior, a Python function of a point.
    fn under(&self, log_prior: Py<PyAny>) -> Self {
        Self::new(Under::new(self.copy(), Callable::new(log_prior, NoiseInput::Exact, false, Slopes::None)))
    }

    /// The dimension, if it is known.
    #[getter]
    fn dim(&self) -> Option<usize> {
        self.lock().dim()
    }

    /// The number of standard normals that the estimate is a function of.
    #[getter]
    fn normals(&self) -> usize {
        self.lock().normals()
    }

    /// The names of the parameters.
    fn names(&self, dim: usize) -> Vec<String> {
        self.lock().names(dim)
    }

    /// The log density at a point, or an estimate of it with this seed.
    fn log_density(&self, x: PyReadonlyArray1<'_, f64>, seed: u64) -> PyResult<f64> {
        self.ask(&x.as_array().to_vec(), seed, |target, x, noise| target.log_density(x, noise))
    }

    /// Whether the gradient of the log density is known.
    #[getter]
    fn has_gradient(&self) -> bool {
        self.lock().has_gradient()
    }

    /// The gradient of the log density at a point, or an estimate of it with this seed.
    fn gradient<'py>(&self, py: Python<'py>, x: PyReadonlyArray1<'_, f64>, seed: u64) -> PyResult<Vector<'py>> {
        let x = x.as_array().to_vec();
        let mut gradient = vec![0.0; x.len()];
        self.ask(&x, seed, |target, x, noise| target.gradient(x, noise, &mut gradient))?;
        Ok(PyArray1::from_vec(py, gradient))
    }

    /// Exact draws, if they are known.
    fn sample<'py>(&self, py: Python<'py>, count: usize, seed: u64) -> PyResult<Matrix<'py>> {
        let target = self.copy();
        let (known, dim) = (known(&target)?, target.dim().unwrap_or(0));
        let mut rng = stream(seed, 0, Purpose::Start);
        let mut draws = vec![0.0; count * dim];
        draws.chunks_mut(dim).for_each(|x| known.sample(&mut rng, x));
        array::rows(py, &draws, dim)
    }

    /// The exact mean, if it is known.
    fn mean<'py>(&self, py: Python<'py>) -> PyResult<Vector<'py>> {
        Ok(PyArray1::from_vec(py, known(&self.lock())?.mean()))
    }

    /// The exact trace of the covariance, if it is known.
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

/// The exact properties of the target.
fn known<'a>(target: &'a AnyTarget<'_>) -> PyResult<&'a dyn Known> {
    target.known().ok_or_else(|| error::setting("target", "has no known mean, variance and exact draws"))
}

/// What was observed, for a built-in posterior: each column with its name.
#[pyfunction]
pub fn observed(name: &str) -> Vec<(&'static str, Vec<f64>)> {
    posteriors::observed(name)
}
