//! Logistic regression with random effects: contagious bovine pleuropneumonia in 15 herds.

use crate::posteriors::herd::Herd;
use crate::posteriors::{SAMPLES, log_normal, table, usable, wrong_length};
use kameleon::registry::{Settings, SettingsError};
use kameleon::settings;
use kameleon::{EvalError, Evaluation, Noise, Target};

const CSV: &str = include_str!("../../data/cbpp.csv");
const NAMES: [&str; 5] = ["intercept", "period2", "period3", "period4", "log_sd"];
/// The standard deviation of the coefficients' prior, and that of ln σ.
const COEFFICIENT_SD: f64 = 5.0;
const LOG_SD_SD: f64 = 1.0;

settings! {
    /// The settings of [`Cbpp`].
    pub struct CbppSettings {
        /// The number of importance samples for each herd.
        n_imp: usize = Cbpp::N_IMP, SAMPLES;
    }
}

/// p(β, ln σ | y) for the cases y of a disease in herds:
///
/// y ~ Binomial(size, 1/(1 + e^−η)), η = β₁ + β_period + u_herd, u_herd ~ N(0, σ²),
///
/// where β_period is 0 in the first period, the coefficients have priors N(0, 5²) and ln σ has N(0, 1). The random effects are
/// integrated out herd by herd by importance sampling with `n_imp` samples each. The estimate is a smooth function of the
/// parameters and of standard normals, so correlated pseudo-marginal chains can be used.
#[derive(Clone, Debug)]
pub struct Cbpp {
    herds: Vec<Herd>,
    n_imp: usize,
}

impl Cbpp {
    /// The default number of importance samples for each herd.
    pub const N_IMP: usize = 2;

    /// The posterior with `n_imp` importance samples for each herd.
    pub fn new(n_imp: usize) -> Result<Self, SettingsError> {
        CbppSettings { n_imp }.check()?;
        let mut herds: Vec<Herd> = Vec::new();
        for [herd, period, cases, size] in table::rows(CSV).map(|row| row.map(table::number)) {
            herds.resize(herds.len().max(herd as usize), Herd::default());
            herds[herd as usize - 1].add(period as usize - 1, cases, size);
        }
        Ok(Self { herds, n_imp })
    }

    /// log p(β, ln σ)
    pub fn log_prior(&self, x: &[f64]) -> Evaluation {
        let (beta, log_sd) = split(x)?;
        let coefficients: f64 = beta.iter().map(|beta| log_normal(*beta, COEFFICIENT_SD)).sum();
        Ok(coefficients + log_normal(log_sd, LOG_SD_SD))
    }

    /// log p̂(y | β, σ), a function of the parameters and of [`Target::normals`] standard normals: p̂ is unbiased.
    pub fn log_estimate(&self, x: &[f64], normals: &[f64]) -> Evaluation {
        let (beta, log_sd) = split(x)?;
        if normals.len() != self.normals() {
            return Err(EvalError::fatal(format!("{} normals are needed, not {}", self.normals(), normals.len())));
        }
        let eta = [beta[0], beta[0] + beta[1], beta[0] + beta[2], beta[0] + beta[3]];
        let herds = self.herds.iter().zip(normals.chunks_exact(self.n_imp));
        usable(herds.map(|(herd, normals)| herd.log_estimate(&eta, log_sd.exp(), normals)).sum())
    }
}

/// β and ln σ.
fn split(x: &[f64]) -> Result<([f64; 4], f64), EvalError> {
    match *x {
        [b1, b2, b3, b4, log_sd] => Ok(([b1, b2, b3, b4], log_sd)),
        _ => Err(wrong_length(NAMES.len(), x.len())),
    }
}

impl Target for Cbpp {
    fn dim(&self) -> Option<usize> {
        Some(NAMES.len())
    }

    fn names(&self, _dim: usize) -> Vec<String> {
        NAMES.map(String::from).to_vec()
    }

    fn normals(&self) -> usize {
        self.herds.len() * self.n_imp
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        Ok(self.log_estimate(x, noise.normals)? + self.log_prior(x)?)
    }
}
