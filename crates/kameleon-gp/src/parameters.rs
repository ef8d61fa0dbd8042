//! The meaning of θ: names, prior, length scales and amplitude.

use crate::covariance::Hyper;
use crate::settings::{Parametrisation, Settings};
use std::f64::consts::{SQRT_2, TAU};

impl Settings {
    pub(crate) fn names(&self, columns: &[String]) -> Vec<String> {
        let prefix = match self.parametrisation {
            Parametrisation::LogSquaredLengthScale => "log_l2",
            Parametrisation::Published => "log_weight",
        };
        let amplitude = self.amplitude.then(|| "log_amplitude2".to_owned());
        columns.iter().map(|column| format!("{prefix}[{column}]")).chain(amplitude).collect()
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
        hyper.amplitude2 = if self.amplitude { theta[hyper.inverse_scales.len()].exp() } else { 1.0 };
    }
}
