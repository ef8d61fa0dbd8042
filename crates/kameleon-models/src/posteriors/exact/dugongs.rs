//! Dugongs: a growth curve that levels off.

use crate::number::Number;
use crate::posteriors::exact::likelihood::Likelihood;
use crate::posteriors::{log_normal, table};

/// length ~ N(α − β γ^age, σ²)
#[derive(Clone)]
pub(crate) struct Dugongs {
    /// Ages with lengths.
    animals: Vec<(f64, f64)>,
}

impl Likelihood for Dugongs {
    const NAME: &'static str = "dugongs";
    const ABOUT: &'static str = "lengths of 27 dugongs by age: nonlinear growth curve";
    const CLASS: &'static str = "Dugongs";
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[
        ("alpha", "half-normal(10)"),
        ("beta", "half-normal(10)"),
        ("gamma", "uniform(0.5, 1)"),
        ("sigma", "half-normal(1)"),
    ];

    fn new() -> Self {
        let csv = include_str!("../../../data/dugongs.csv");
        Self { animals: table::rows(csv).map(|row| row.map(table::number)).map(|[age, y]| (age, y)).collect() }
    }

    fn log_likelihood<N: Number>(&self, x: &[N]) -> N {
        let [alpha, beta, gamma, sigma] = [x[0], x[1], x[2], x[3]];
        let error = |age: f64, length: f64| N::of(length) - alpha + beta * gamma.powf(age);
        self.animals.iter().map(|(age, length)| log_normal(error(*age, *length), sigma)).sum()
    }
}
