//! Eight schools: a hierarchical model of the effects of coaching.

use crate::number::Number;
use crate::posteriors::exact::likelihood::Likelihood;
use crate::posteriors::{log_normal, table};

/// effectᵢ ~ N(μ + τ zᵢ, errorᵢ²): school i has the true effect μ + τ zᵢ with zᵢ ~ N(0, 1), the non-centred form.
#[derive(Clone)]
pub(crate) struct EightSchools {
    /// Effects with their standard errors.
    schools: Vec<(f64, f64)>,
}

impl Likelihood for EightSchools {
    const NAME: &'static str = "eight-schools";
    const ABOUT: &'static str = "effects of coaching in 8 schools: hierarchical normal model, non-centred";
    const CLASS: &'static str = "EightSchools";
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[
        ("mu", "normal(0, 5)"),
        ("tau", "half-cauchy(5)"),
        ("z1", "normal(0, 1)"),
        ("z2", "normal(0, 1)"),
        ("z3", "normal(0, 1)"),
        ("z4", "normal(0, 1)"),
        ("z5", "normal(0, 1)"),
        ("z6", "normal(0, 1)"),
        ("z7", "normal(0, 1)"),
        ("z8", "normal(0, 1)"),
    ];

    fn new() -> Self {
        let csv = include_str!("../../../data/eight-schools.csv");
        Self { schools: table::rows(csv).map(|[_, y, sd]| (table::number(y), table::number(sd))).collect() }
    }

    fn log_likelihood<N: Number>(&self, x: &[N]) -> N {
        let (mu, tau) = (x[0], x[1]);
        let schools = self.schools.iter().zip(&x[2..]);
        schools.map(|(&(effect, error), z)| log_normal(N::of(effect) - mu - tau * *z, N::of(error))).sum()
    }
}
