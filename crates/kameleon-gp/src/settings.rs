//! The settings of a classification model, checked once.

use crate::{Covariance, GpError, Likelihood, Standardise};
use kameleon::SettingsError;
use kameleon::registry::{ANY, AT_LEAST_ONE, NOT_NEGATIVE, POSITIVE};
use serde::{Deserialize, Serialize};

/// The normal approximation of p(f|y,θ) that samples are drawn from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approximation {
    /// The mode and its curvature: fast.
    #[default]
    Laplace,
    /// Expectation propagation: several times the work, and a third of the noise.
    Ep,
}

/// The meaning of the coordinates of θ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parametrisation {
    /// θ_d = log ℓ_d², as in the paper's text: r² = Σ e^{−θ_d} Δ_d².
    #[default]
    LogSquaredLengthScale,
    /// The weights e^{θ_d} of the published runs: r² = 2 Σ e^{2θ_d} Δ_d², so that the Gaussian shape is
    /// exp(−Σ e^{2θ_d} Δ_d²).
    Published,
}

/// A classification model and the estimate of its marginal likelihood.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The shape of the covariance.
    pub covariance: Covariance,
    /// Whether the variance of the latent function is learned (as log amplitude², the last coordinate); otherwise it is one.
    pub amplitude: bool,
    /// p(y|f)
    pub likelihood: Likelihood,
    /// How the columns are scaled.
    pub standardise: Standardise,
    /// The meaning of θ.
    pub parametrisation: Parametrisation,
    /// The mean of the normal prior of each coordinate of θ.
    pub prior_mean: f64,
    /// The variance of the normal prior of each coordinate of θ.
    pub prior_variance: f64,
    /// Added to the diagonal of K: part of the model.
    pub jitter: f64,
    /// Where K cannot be factored, the jitter is doubled up to this limit; then θ is rejected.
    pub jitter_limit: f64,
    /// The approximation that samples are drawn from.
    pub approximation: Approximation,
    /// The number of samples of the latent values in an estimate.
    pub n_imp: usize,
    /// Whether samples come in pairs m ± e.
    pub antithetic: bool,
    /// The θ whose approximation every search starts from; by default the prior mean.
    pub reference: Option<Vec<f64>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            covariance: Covariance::Gaussian,
            amplitude: false,
            likelihood: Likelihood::Logistic,
            standardise: Standardise::Zscore,
            parametrisation: Parametrisation::LogSquaredLengthScale,
            prior_mean: 0.0,
            prior_variance: 5.0,
            jitter: 1e-8,
            jitter_limit: 1e-2,
            approximation: Approximation::Laplace,
            n_imp: 10,
            antithetic: true,
            reference: None,
        }
    }
}

impl Settings {
    /// The model of the published runs on the Glass data, shown in the paper's Figures 3 and 4: whitened columns,
    /// weights instead of length scales, a ridge of 10⁻³ and 100 samples.
    pub fn published() -> Self {
        Self {
            standardise: Standardise::Whiten,
            parametrisation: Parametrisation::Published,
            jitter: 1e-3,
            n_imp: 100,
            ..Self::default()
        }
    }

    /// The dimension of θ for `columns` input columns.
    pub fn dim(&self, columns: usize) -> usize {
        columns + usize::from(self.amplitude)
    }

    /// An error for the first invalid setting.
    pub(crate) fn check(&self, columns: usize) -> Result<(), GpError> {
        let Self { prior_mean, prior_variance, jitter, jitter_limit, n_imp, .. } = self;
        ANY.check("prior_mean", prior_mean)?;
        POSITIVE.check("prior_variance", prior_variance)?;
        NOT_NEGATIVE.check("jitter", jitter)?;
        POSITIVE.check("jitter_limit", jitter_limit)?;
        AT_LEAST_ONE.check("n_imp", n_imp)?;
        SettingsError::demand("jitter_limit", jitter_limit >= jitter, "must be no less than jitter")?;
        let dim = self.dim(columns);
        let fits = |theta: &Vec<f64>| theta.len() == dim && theta.iter().all(|x| x.is_finite());
        let what = format!("must be {dim} finite numbers");
        Ok(SettingsError::demand("reference", self.reference.as_ref().is_none_or(fits), &what)?)
    }
}
