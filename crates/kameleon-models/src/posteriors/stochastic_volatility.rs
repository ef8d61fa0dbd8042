//! Stochastic volatility: returns whose variance is a latent process.

use crate::posteriors::particle_filter::{LogVolatility, ParticleFilter};
use crate::posteriors::{HALF_LN_TAU, SAMPLES, log_normal, table, usable, wrong_length};
use kameleon::registry::{Settings, SettingsError};
use kameleon::settings;
use kameleon::{EvalError, Evaluation, Noise, Rng, Target};

const CSV: &str = include_str!("../../data/sterling.csv");
const NAMES: [&str; 3] = ["mu", "logit_phi", "log_sigma"];
/// The variance of μ's prior.
const MU_VARIANCE: f64 = 10.0;
/// (1 + φ)/2 ~ Beta(A, B), and ln Γ(A + B)/Γ(A)Γ(B).
const PHI_A: f64 = 20.0;
const PHI_B: f64 = 1.5;
const PHI_LOG_CONSTANT: f64 = 4.632_823_911_110_91;
/// σ² ~ inverse gamma with this shape and scale, and ln of scale^shape/Γ(shape).
const SIGMA_SHAPE: f64 = 2.5;
const SIGMA_SCALE: f64 = 0.025;
const SIGMA_LOG_CONSTANT: f64 = -9.506_881_505_757_761;

settings! {
    /// The settings of [`StochasticVolatility`].
    pub struct StochasticVolatilitySettings {
        /// The number of particles.
        particles: usize = StochasticVolatility::PARTICLES, SAMPLES;
    }
}

/// p(μ, logit φ, ln σ | y) for a series y of returns:
///
/// y_t = exp(h_t/2) e_t, h_t = μ + φ(h_{t−1} − μ) + σ η_t, h_1 ~ N(μ, σ²/(1 − φ²)),
///
/// with e and η standard normal. The coordinates are μ, ln((1 + φ)/(1 − φ)) and ln σ. The priors are those of Kim, Shephard and
/// Chib (1998), with the Jacobians of the coordinates: μ ~ N(0, 10), (1 + φ)/2 ~ Beta(20, 1.5), σ² ~ inverse gamma(2.5, 0.025).
/// A bootstrap particle filter with systematic resampling at every step integrates h out.
#[derive(Clone, Debug)]
pub struct StochasticVolatility {
    /// y_t²
    squares: Vec<f64>,
    filter: ParticleFilter,
}

impl StochasticVolatility {
    /// The default number of particles.
    pub const PARTICLES: usize = 150;

    /// For a series of returns of mean zero.
    pub fn new(returns: &[f64], particles: usize) -> Result<Self, SettingsError> {
        StochasticVolatilitySettings { particles }.check()?;
        let usable = !returns.is_empty() && returns.iter().all(|y| y.is_finite());
        SettingsError::demand("returns", usable, "must have at least one return, and finite numbers only")?;
        Ok(Self { squares: returns.iter().map(|y| y * y).collect(), filter: ParticleFilter::new(particles) })
    }

    /// The series that comes with the crate: 945 daily returns of pound sterling in US dollars from October 1981 to June 1985,
    /// in percent, less their mean.
    pub fn sterling() -> Vec<f64> {
        let logs: Vec<f64> = table::rows(CSV).map(|[_, rate]| table::number(rate).ln()).collect();
        let mean = (logs[logs.len() - 1] - logs[0]) / (logs.len() - 1) as f64;
        logs.windows(2).map(|pair| 100.0 * (pair[1] - pair[0] - mean)).collect()
    }

    /// log p(μ, logit φ, ln σ)
    pub fn log_prior(&self, x: &[f64]) -> Evaluation {
        let [mu, logit_phi, log_sigma] = split(x)?;
        // ln (1 + φ)/2 and ln (1 − φ)/2
        let (up, down) = (-log_one_plus_exp(-logit_phi), -log_one_plus_exp(logit_phi));
        // The Jacobian of the logit raises both powers of the Beta density by one.
        let phi = PHI_LOG_CONSTANT + PHI_A * up + PHI_B * down;
        // With dσ²/d ln σ = 2σ², the power −(shape + 1) of the density becomes −shape.
        let sigma =
            SIGMA_LOG_CONSTANT + 2f64.ln() - 2.0 * SIGMA_SHAPE * log_sigma - SIGMA_SCALE * (-2.0 * log_sigma).exp();
        Ok(log_normal(mu, MU_VARIANCE.sqrt()) + phi + sigma)
    }

    /// log p̂(y | μ, φ, σ) with randomness from `rng`; p̂ is unbiased.
    pub fn log_estimate(&mut self, x: &[f64], rng: &mut Rng) -> Evaluation {
        let [mu, logit_phi, log_sigma] = split(x)?;
        let phi = (0.5 * logit_phi).tanh();
        let sigma = log_sigma.exp();
        // 1/(1 − φ²) = cosh², which loses no digits where φ is near one.
        let start_sd = sigma * (0.5 * logit_phi).cosh();
        if !start_sd.is_finite() {
            return Err(EvalError::reject("the log volatility has no finite variance: φ or σ is too extreme"));
        }
        let process = LogVolatility { mu, phi, sigma, start_sd };
        usable(self.filter.log_estimate(&self.squares, &process, rng) - HALF_LN_TAU * self.squares.len() as f64)
    }
}

fn log_one_plus_exp(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn split(x: &[f64]) -> Result<[f64; 3], EvalError> {
    x.try_into().map_err(|_| wrong_length(NAMES.len(), x.len()))
}

impl Target for StochasticVolatility {
    fn dim(&self) -> Option<usize> {
        Some(NAMES.len())
    }

    fn names(&self, _dim: usize) -> Vec<String> {
        NAMES.map(String::from).to_vec()
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        Ok(self.log_estimate(x, noise.rng)? + self.log_prior(x)?)
    }
}
