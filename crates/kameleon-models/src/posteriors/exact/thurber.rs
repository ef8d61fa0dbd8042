//! Thurber: the rational function of a benchmark for nonlinear least squares.

use crate::number::Number;
use crate::posteriors::exact::likelihood::Likelihood;
use crate::posteriors::{log_normal, table};

/// mobility ~ N((b₁ + b₂ t + b₃ t² + b₄ t³)/(1 + b₅ t + b₆ t² + b₇ t³), σ²), where t is the log density.
#[derive(Clone)]
pub(crate) struct Thurber {
    /// Log densities with mobilities.
    rows: Vec<(f64, f64)>,
}

impl Likelihood for Thurber {
    const NAME: &'static str = "thurber";
    const ABOUT: &'static str = "mobility of electrons at 37 densities: regression on a rational function (NIST)";
    const CLASS: &'static str = "Thurber";
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[
        ("b1", "log-normal(7, 0.5)"),
        ("b2", "log-normal(7, 0.5)"),
        ("b3", "log-normal(6, 0.5)"),
        ("b4", "log-normal(4, 1)"),
        ("b5", "log-normal(0, 0.5)"),
        ("b6", "log-normal(-1, 0.5)"),
        ("b7", "log-normal(-3, 1)"),
        ("sigma", "half-normal(50)"),
    ];

    fn new() -> Self {
        let csv = include_str!("../../../data/thurber.csv");
        Self { rows: table::rows(csv).map(|row| row.map(table::number)).map(|[t, y]| (t, y)).collect() }
    }

    fn log_likelihood<N: Number>(&self, x: &[N]) -> N {
        let sigma = x[7];
        let curve = |t: f64| {
            let above = x[0] + (x[1] + (x[2] + x[3] * t) * t) * t;
            above / ((x[4] + (x[5] + x[6] * t) * t) * t + 1.0)
        };
        self.rows.iter().map(|&(t, mobility)| log_normal(N::of(mobility) - curve(t), sigma)).sum()
    }
}
