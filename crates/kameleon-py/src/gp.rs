//! Gaussian-process classification: the class `Gp`, which can be evaluated and gives a target.

use crate::array::{self, Matrix, Vector};
use crate::target::PyTarget;
use crate::{error, json};
use kameleon::random::{Purpose, stream};
use kameleon::{Evaluation, Target};
use kameleon_gp::{Dataset, GpClassification, Inputs, Latents, Settings, glass};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use rand::RngExt;
use rand_distr::StandardNormal;
use std::sync::{Mutex, PoisonError};

/// A classification problem.
#[pyclass(name = "Gp", module = "kameleon._kameleon", frozen)]
pub struct Gp {
    target: Mutex<GpClassification>,
}

impl Gp {
    fn copy(&self) -> GpClassification {
        self.target.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The columns one after another, as the crate expects them.
fn inputs(x: &PyReadonlyArray2<'_, f64>, names: Vec<String>) -> PyResult<Inputs> {
    let x = x.as_array();
    Inputs::new(names, x.t().iter().copied().collect()).map_err(error::gp)
}

fn value(evaluation: Evaluation) -> PyResult<f64> {
    evaluation.map_err(error::evaluation)
}

#[pymethods]
impl Gp {
    /// From rows of inputs, labels ±1, column names, and settings as JSON.
    #[new]
    fn new(
        py: Python<'_>,
        x: PyReadonlyArray2<'_, f64>,
        y: PyReadonlyArray1<'_, f64>,
        names: Vec<String>,
        settings: &str,
    ) -> PyResult<Self> {
        let settings: Settings = json::read(settings)?;
        let data = Dataset::new(inputs(&x, names)?, y.as_array().to_vec()).map_err(error::gp)?;
        let target = py.detach(|| GpClassification::new(&data, settings)).map_err(error::gp)?;
        Ok(Self { target: Mutex::new(target) })
    }

    /// The target to be sampled: p(θ|y) through its estimate.
    fn target(&self) -> PyTarget {
        PyTarget::new(self.copy())
    }

    /// The converged approximation of log p(y|θ).
    fn log_marginal(&self, py: Python<'_>, theta: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        let (mut target, theta) = (self.copy(), theta.as_array().to_vec());
        value(py.detach(|| target.log_marginal(&theta)))
    }

    /// log p̂(y|θ) from `n_imp` importance samples.
    fn estimate(&self, py: Python<'_>, theta: PyReadonlyArray1<'_, f64>, n_imp: usize, seed: u64) -> PyResult<f64> {
        let (mut target, theta) = (self.copy(), theta.as_array().to_vec());
        target.set_n_imp(n_imp).map_err(error::gp)?;
        let mut rng = stream(seed, 0, Purpose::Noise);
        let normals: Vec<f64> = (0..target.normals()).map(|_| rng.sample(StandardNormal)).collect();
        value(py.detach(|| target.log_estimate(&theta, &normals)))
    }

    /// log p(θ)
    fn log_prior(&self, theta: PyReadonlyArray1<'_, f64>) -> f64 {
        self.copy().log_prior(&theta.as_array().to_vec())
    }

    /// The number of importance samples with the most effective draws per unit of work, and why.
    fn choose_n_imp(&self, py: Python<'_>, seed: u64) -> PyResult<(usize, String)> {
        let target = self.copy();
        let pilot = py.detach(|| target.choose_n_imp(seed)).map_err(error::gp)?;
        Ok((pilot.chosen.n_imp, pilot.sentence()))
    }

    /// p(y = +1|x) for new rows, averaged over draws of θ.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        thetas: PyReadonlyArray2<'py, f64>,
        x: PyReadonlyArray2<'py, f64>,
        seed: Option<u64>,
    ) -> PyResult<Vector<'py>> {
        let mut target = self.copy();
        let thetas: Vec<f64> = thetas.as_array().iter().copied().collect();
        let new = inputs(&x, target.columns().to_vec())?;
        let prediction = py.detach(|| match seed {
            None => target.predict(&thetas, &new, Latents::Approximate),
            Some(seed) => {
                let mut rng = stream(seed, 0, Purpose::Noise);
                target.predict(&thetas, &new, Latents::Weighted(&mut rng))
            }
        });
        Ok(PyArray1::from_vec(py, prediction.map_err(error::gp)?.probabilities))
    }
}

/// The UCI Glass data: rows, labels (+1 for window glass), and the names of the columns.
#[pyfunction]
pub fn glass_data(py: Python<'_>) -> PyResult<(Matrix<'_>, Vector<'_>, Vec<String>)> {
    let data = glass();
    let inputs = data.inputs();
    let row = |r: usize| (0..inputs.dim()).map(move |d| inputs.column(d)[r]);
    let values: Vec<f64> = (0..inputs.rows()).flat_map(row).collect();
    let y = PyArray1::from_slice(py, data.y());
    Ok((array::rows(py, &values, inputs.dim())?, y, inputs.names().to_vec()))
}
