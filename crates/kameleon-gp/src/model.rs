//! K and q(f|y,θ) at one θ, in memory that is reused at the next.

use crate::covariance::{CovarianceMatrix, Hyper};
use crate::ep::Ep;
use crate::laplace::{Accuracy, Laplace};
use crate::latent::{Latent, Work};
use crate::linalg::Cholesky;
use crate::settings::{Approximation, Settings};
use crate::{GpError, Inputs};
use kameleon::EvalError;

/// The first jitter tried if K cannot be factored without.
const FIRST_JITTER: f64 = 1e-12;

#[derive(Clone)]
enum Engine {
    Laplace(Laplace),
    Ep(Ep),
}

/// A classification model over some standardised rows.
#[derive(Clone)]
pub(crate) struct Model {
    pub(crate) settings: Settings,
    pub(crate) hyper: Hyper,
    pub(crate) covariance: CovarianceMatrix,
    pub(crate) y: Vec<f64>,
    /// K + jitter I
    pub(crate) k: Vec<f64>,
    pub(crate) k_factor: Cholesky,
    /// The jitter that the last θ needed.
    pub(crate) jitter: f64,
    engine: Engine,
    pub(crate) latent: Latent,
}

impl Model {
    pub(crate) fn new(settings: &Settings, inputs: &Inputs, y: Vec<f64>) -> Result<Self, GpError> {
        let n = y.len();
        let engine = match settings.approximation {
            Approximation::Laplace => Engine::Laplace(Laplace::new(settings.likelihood, n)),
            Approximation::Ep => Engine::Ep(Ep::new(settings.likelihood, n)),
        };
        let mut model = Self {
            hyper: Hyper { inverse_scales: vec![1.0; inputs.dim()], amplitude2: 1.0 },
            covariance: CovarianceMatrix::new(settings.covariance, inputs),
            y,
            k: vec![0.0; n * n],
            k_factor: Cholesky::new(n),
            jitter: settings.jitter,
            engine,
            latent: Latent::new(n),
            settings: settings.clone(),
        };
        let reference = settings.reference.clone().unwrap_or_else(|| model.prior_mean());
        model.fit(&reference, Accuracy::Converged).map_err(GpError::reference)?;
        match &mut model.engine {
            Engine::Laplace(laplace) => laplace.set_reference(&model.latent),
            Engine::Ep(ep) => ep.set_reference(),
        }
        Ok(model)
    }

    /// The dimension of θ.
    pub(crate) fn dim(&self) -> usize {
        self.settings.dim(self.hyper.inverse_scales.len())
    }

    pub(crate) fn prior_mean(&self) -> Vec<f64> {
        vec![self.settings.prior_mean; self.dim()]
    }

    /// Computes K and its factor, with more jitter if needed: a function of θ alone.
    pub(crate) fn set(&mut self, theta: &[f64]) -> Result<(), EvalError> {
        self.settings.unpack(theta, &mut self.hyper);
        self.jitter = self.settings.jitter;
        if !self.covariance.fill(&self.hyper, self.jitter, &mut self.k) {
            return Err(EvalError::reject("the scaled distances or the amplitude overflow"));
        }
        loop {
            self.k_factor.entries.copy_from_slice(&self.k);
            if self.k_factor.factor() {
                return Ok(());
            }
            let raised = (2.0 * self.jitter).max(FIRST_JITTER);
            let limit = self.settings.jitter_limit;
            if raised > limit {
                return Err(EvalError::reject(format!("K cannot be factored with a jitter below {limit:e}")));
            }
            self.jitter = raised;
            let diagonal = self.hyper.amplitude2 + self.jitter;
            self.k.iter_mut().step_by(self.y.len() + 1).for_each(|entry| *entry = diagonal);
        }
    }

    /// Computes K and q at θ.
    pub(crate) fn fit(&mut self, theta: &[f64], accuracy: Accuracy) -> Result<(), EvalError> {
        self.latent.work = Work::default();
        self.set(theta)?;
        let fitted = match &mut self.engine {
            Engine::Laplace(laplace) => laplace.fit(&self.k, &self.y, accuracy, &mut self.latent),
            Engine::Ep(ep) => ep.fit(&self.k, &self.y, accuracy, &mut self.latent),
        };
        if fitted { Ok(()) } else { Err(EvalError::reject("the approximation of p(f|y,θ) could not be found")) }
    }

    /// The approximate log p(y|θ) after a converged fit.
    pub(crate) fn log_marginal(&self) -> f64 {
        match &self.engine {
            Engine::Laplace(laplace) => laplace.log_marginal(&self.y, &self.latent),
            Engine::Ep(ep) => ep.log_marginal,
        }
    }

    /// Operations of the last fit, including K; an exponential counts as 20.
    pub(crate) fn flops(&self) -> f64 {
        let (n, d) = (self.y.len() as f64, self.hyper.inverse_scales.len() as f64);
        let k_and_its_factor = 0.5 * n * n * (3.0 * d + 22.0) + n * n * n / 3.0;
        k_and_its_factor + self.latent.work.flops(self.y.len())
    }
}
