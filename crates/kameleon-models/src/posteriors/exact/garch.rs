//! GARCH: returns of sterling whose variance follows from earlier returns.

use crate::number::Number;
use crate::posteriors::exact::likelihood::Likelihood;
use crate::posteriors::{HALF_LN_TAU, table};

/// y_t ~ N(`mean`, v_t) with v_{t+1} = ω + α (y_t − mean)² + β v_t. The parameters are the standard deviation in the long run
/// s = √(ω/(1 − α − β)), the persistence α + β, and the share α/(α + β); so every point of the prior is a stationary process.
/// The first variance is s².
#[derive(Clone)]
pub(crate) struct Garch {
    /// Daily returns in percent.
    returns: Vec<f64>,
}

impl Likelihood for Garch {
    const NAME: &'static str = "garch";
    const ABOUT: &'static str = "945 daily returns of sterling: GARCH(1, 1)";
    const CLASS: &'static str = "Garch";
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[
        ("mean", "normal(0, 1)"),
        ("sd", "half-normal(2)"),
        ("persistence", "uniform(0, 1)"),
        ("share", "uniform(0, 1)"),
    ];

    fn new() -> Self {
        let csv = include_str!("../../../data/sterling.csv");
        let logs: Vec<f64> = table::rows(csv).map(|[_, rate]| table::number(rate).ln()).collect();
        Self { returns: logs.windows(2).map(|pair| 100.0 * (pair[1] - pair[0])).collect() }
    }

    fn log_likelihood<N: Number>(&self, x: &[N]) -> N {
        let [mean, sd, persistence, share] = [x[0], x[1], x[2], x[3]];
        let (alpha, beta) = (persistence * share, persistence * (N::of(1.0) - share));
        let omega = sd * sd * (N::of(1.0) - persistence);
        let mut variance = sd * sd;
        let mut total = N::of(-HALF_LN_TAU * self.returns.len() as f64);
        for y in &self.returns {
            let error = N::of(*y) - mean;
            let square = error * error;
            total -= (variance.ln() + square / variance) * 0.5;
            variance = omega + alpha * square + beta * variance;
        }
        total
    }
}
