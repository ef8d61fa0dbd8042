//! Stack loss: a linear regression with Student-t errors, since some observations lie far off.

use crate::number::Number;
use crate::posteriors::exact::design::standardised;
use crate::posteriors::exact::likelihood::Likelihood;
use crate::posteriors::table;

/// loss ~ Student-t(ν, η, scale²), where η is linear in the three covariates, which are standardised.
#[derive(Clone)]
pub(crate) struct StackLoss {
    /// Covariates with the loss.
    days: Vec<([f64; 3], f64)>,
}

impl Likelihood for StackLoss {
    const NAME: &'static str = "stack-loss";
    const ABOUT: &'static str = "ammonia lost by a plant on 21 days: linear regression with Student-t errors";
    const CLASS: &'static str = "StackLoss";
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[
        ("intercept", "normal(20, 10)"),
        ("air", "normal(0, 10)"),
        ("water", "normal(0, 10)"),
        ("acid", "normal(0, 10)"),
        ("scale", "half-normal(10)"),
        ("freedom", "gamma(2, 0.1)"),
    ];

    fn new() -> Self {
        let csv = include_str!("../../../data/stack-loss.csv");
        let rows: Vec<[f64; 4]> = table::rows(csv).map(|row| row.map(table::number)).collect();
        let [air, water, acid] = [0, 1, 2].map(|i| standardised(&rows.iter().map(|row| row[i]).collect::<Vec<_>>()));
        let day = |(i, row): (usize, &[f64; 4])| ([air[i], water[i], acid[i]], row[3]);
        Self { days: rows.iter().enumerate().map(day).collect() }
    }

    fn log_likelihood<N: Number>(&self, x: &[N]) -> N {
        let [intercept, air, water, acid, scale, freedom] = [x[0], x[1], x[2], x[3], x[4], x[5]];
        let half = (freedom + 1.0) * 0.5;
        let log_constant =
            half.ln_gamma() - (freedom * 0.5).ln_gamma() - (freedom * std::f64::consts::PI).ln() * 0.5 - scale.ln();
        let term = |&([a, w, c], loss): &([f64; 3], f64)| {
            let error = (N::of(loss) - intercept - air * a - water * w - acid * c) / scale;
            half * (error * error / freedom).ln_1p()
        };
        log_constant * self.days.len() as f64 - self.days.iter().map(term).sum::<N>()
    }
}
