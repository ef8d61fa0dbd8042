//! The meaning of θ: names, prior, length scales and amplitude.

use crate::covariance::Hyper;
use crate::settings::{Parametrisation, Settings};
use std::f64::consts::{SQRT_2, TAU};

/// The coordinates of θ.
#[derive(Clone)]
pub(crate) struct Parameters {
    columns: usize,
    amplitude: bool,
    parametrisation: Parametrisation,
    prior_mean: f64,
    prior_variance: f64,
}

impl Parameters {
    pub(crate) fn new(settings: &Settings, columns: usize) -> Self {
        let Settings { amplitude, parametrisation, prior_mean, prior_variance, .. } = *settings;
        Self { columns, amplitude, parametrisation, prior_mean, prior_variance }
    }

    pub(crate) fn dim(&self) -> usize {
        self.columns + usize::from(self.amplitude)
    }

    pub(crate) fn names(&self, columns: &[String]) -> Vec<String> {
        let prefix = match self.parametrisation {
            Parametrisation::LogSquaredLengthScale => "log_l2",
            Parametrisation::Published => "log_weight",
        };
        let amplitude = self.amplitude.then(|| "log_amplitude2".to_owned());
        columns.iter().map(|column| format!("{prefix}[{column}]")).chain(amplitude).collect()
    }

    pub(crate) fn prior_mean(&self) -> Vec<f64> {
        vec![self.prior_mean; self.dim()]
    }

    pub(crate) fn log_prior(&self, theta: &[f64]) -> f64 {
        let constant = (TAU * self.prior_variance).ln();
        let term = |x: &f64| -0.5 * ((x - self.prior_mean).powi(2) / self.prior_variance + constant);
        theta.iter().map(term).sum()
    }

    pub(crate) fn unpack(&self, theta: &[f64], hyper: &mut Hyper) {
        for (s, theta) in hyper.inverse_scales.iter_mut().zip(theta) {
            *s = match self.parametrisation {
                Parametrisation::LogSquaredLengthScale => (-0.5 * theta).exp(),
                Parametrisation::Published => SQRT_2 * theta.exp(),
            };
        }
        hyper.amplitude2 = if self.amplitude { theta[self.columns].exp() } else { 1.0 };
    }

    pub(crate) fn blank(&self) -> Hyper {
        Hyper { inverse_scales: vec![1.0; self.columns], amplitude2: 1.0 }
    }
}
