//! The target: p(θ|y) of a classification model, through the unbiased estimate of p(y|θ).

use crate::estimate::Estimator;
use crate::laplace::Accuracy;
use crate::model::Model;
use crate::settings::Settings;
use crate::statistics::{Counters, Statistics};
use crate::{Dataset, GpError, Transform};
use kameleon::{EvalError, Evaluation, Noise, Target};

/// p(θ|y) ∝ p(y|θ) p(θ) for binary labels and a Gaussian-process prior over the latent function.
///
/// Every chain has a clone of its own, with its own working memory; all clones share the counts of [`Statistics`]. The
/// estimate is a function of θ and the standard normals u alone: no search starts from the state of the chain, so the
/// distribution of the estimate depends only on θ and the chain is exact.
#[derive(Clone)]
pub struct GpClassification {
    columns: Vec<String>,
    pub(crate) transform: Transform,
    pub(crate) model: Model,
    pub(crate) estimator: Estimator,
    pub(crate) counters: Counters,
}

impl GpClassification {
    /// A model for `data`.
    pub fn new(data: &Dataset, settings: Settings) -> Result<Self, GpError> {
        settings.check(data.inputs().dim())?;
        let transform = Transform::fit(settings.standardise, data.inputs())?;
        let model = Model::new(&settings, &transform.apply(data.inputs()), data.y().to_vec())?;
        Ok(Self {
            columns: data.inputs().names().to_vec(),
            transform,
            model,
            estimator: Estimator::new(&settings, data.y().len()),
            counters: Counters::default(),
        })
    }

    /// The settings in use.
    pub fn settings(&self) -> &Settings {
        &self.model.settings
    }

    /// The names of the input columns, in order.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The counts so far, of this target and all its clones.
    pub fn statistics(&self) -> Statistics {
        self.counters.get()
    }

    /// Changes the number of samples and nothing else.
    pub fn set_n_imp(&mut self, n_imp: usize) -> Result<(), GpError> {
        let settings = Settings { n_imp, ..self.model.settings.clone() };
        settings.check(self.columns.len())?;
        self.estimator = Estimator::new(&settings, self.model.y.len());
        self.model.settings = settings;
        Ok(())
    }

    /// log p(θ)
    pub fn log_prior(&self, theta: &[f64]) -> f64 {
        self.model.settings.log_prior(theta)
    }

    /// The converged approximation of log p(y|θ): Laplace's or EP's, according to the settings.
    pub fn log_marginal(&mut self, theta: &[f64]) -> Evaluation {
        self.check_length(theta)?;
        self.model.fit(theta, Accuracy::Converged)?;
        Ok(self.model.log_marginal())
    }

    /// log p̂(y|θ), a function of θ and of [`Target::normals`] standard normals: p̂ is unbiased for p(y|θ).
    pub fn log_estimate(&mut self, theta: &[f64], normals: &[f64]) -> Evaluation {
        self.check_length(theta)?;
        if normals.len() != self.normals() {
            let why = format!("{} normals are needed, not {}", self.normals(), normals.len());
            return Err(EvalError::fatal(why));
        }
        let estimate = self.estimate(theta, normals);
        self.counters.evaluation(estimate.is_err());
        estimate
    }

    /// The log weights of the last estimate, which is the mean of the weights; they vary as log p̂ with one sample does.
    pub fn log_weights(&self) -> &[f64] {
        &self.estimator.log_weights
    }

    /// K + jitter I at θ, by columns.
    pub fn covariance(&mut self, theta: &[f64]) -> Result<&[f64], EvalError> {
        self.check_length(theta)?;
        self.model.set(theta)?;
        Ok(&self.model.k)
    }

    fn estimate(&mut self, theta: &[f64], normals: &[f64]) -> Evaluation {
        self.model.fit(theta, Accuracy::Loose)?;
        let model = &self.model;
        self.counters.jitter(model.jitter, model.jitter > self.model.settings.jitter);
        let value = self.estimator.log_estimate(&model.y, &model.k_factor, &model.latent, normals);
        if value.is_finite() { Ok(value) } else { Err(EvalError::reject("the estimate of p(y|θ) is not finite")) }
    }

    pub(crate) fn check_length(&self, theta: &[f64]) -> Result<(), EvalError> {
        let dim = self.model.dim();
        if theta.len() == dim {
            return Ok(());
        }
        Err(EvalError::fatal(format!("θ must have {dim} coordinates, not {}", theta.len())))
    }
}

impl Target for GpClassification {
    fn dim(&self) -> Option<usize> {
        Some(self.model.dim())
    }

    fn names(&self, _dim: usize) -> Vec<String> {
        self.model.settings.names(&self.columns)
    }

    fn normals(&self) -> usize {
        self.estimator.normals()
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        Ok(self.log_estimate(x, noise.normals)? + self.log_prior(x))
    }
}
