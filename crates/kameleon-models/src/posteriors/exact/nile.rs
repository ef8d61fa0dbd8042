//! Nile: a level that wanders, seen with noise.

use crate::number::Number;
use crate::posteriors::exact::likelihood::Likelihood;
use crate::posteriors::{HALF_LN_TAU, table};

/// flow_t ~ N(level_t, `sd_flow`²) and level_{t+1} ~ N(level_t, `sd_level`²). The level of the first year is a parameter, the
/// others are integrated out by the Kalman filter.
#[derive(Clone)]
pub(crate) struct Nile {
    flows: Vec<f64>,
}

impl Likelihood for Nile {
    const NAME: &'static str = "nile";
    const ABOUT: &'static str = "flow of the Nile, 1871 to 1970: local level model, by the Kalman filter";
    const CLASS: &'static str = "Nile";
    const PARAMETERS: &'static [(&'static str, &'static str)] =
        &[("level", "normal(1000, 500)"), ("sd_flow", "half-normal(500)"), ("sd_level", "half-normal(500)")];

    fn new() -> Self {
        let csv = include_str!("../../../data/nile.csv");
        Self { flows: table::rows(csv).map(|[_, flow]| table::number(flow)).collect() }
    }

    fn log_likelihood<N: Number>(&self, x: &[N]) -> N {
        let (noise, drift) = (x[1] * x[1], x[2] * x[2]);
        // Mean and variance of the level, given the flows so far.
        let (mut level, mut variance) = (x[0], N::of(0.0));
        let mut total = N::of(-HALF_LN_TAU * self.flows.len() as f64);
        for flow in &self.flows {
            let (error, spread) = (N::of(*flow) - level, variance + noise);
            total -= (spread.ln() + error * error / spread) * 0.5;
            let gain = variance / spread;
            level += gain * error;
            variance = variance * (N::of(1.0) - gain) + drift;
        }
        total
    }
}
