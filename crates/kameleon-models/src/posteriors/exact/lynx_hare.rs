//! Lynx and hare: the equations of Lotka and Volterra for predators and their prey.

use crate::number::Number;
use crate::posteriors::exact::likelihood::Likelihood;
use crate::posteriors::exact::ode::Solution;
use crate::posteriors::{log_normal, table};

/// ln pelts ~ N(ln population, σ²) for both kinds, where hare' = (α − β lynx) hare and lynx' = (δ hare − γ) lynx from `hare`
/// and `lynx` in 1900. The equations are solved for the logarithms, which are never negative populations.
#[derive(Clone)]
pub(crate) struct LynxHare {
    /// ln of the pelts of hares and lynxes, in thousands, year by year.
    pelts: Vec<[f64; 2]>,
    /// −Σ ln y: the density is that of the pelts, not of their logarithms.
    log_constant: f64,
}

impl Likelihood for LynxHare {
    const NAME: &'static str = "lynx-hare";
    const ABOUT: &'static str = "pelts of hares and lynxes, 1900 to 1920: differential equations of Lotka and Volterra";
    const CLASS: &'static str = "LynxHare";
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[
        ("alpha", "truncated-normal(1, 0.5, 0, inf)"),
        ("beta", "truncated-normal(0.05, 0.05, 0, inf)"),
        ("gamma", "truncated-normal(1, 0.5, 0, inf)"),
        ("delta", "truncated-normal(0.05, 0.05, 0, inf)"),
        ("hare", "log-normal(2.302585092994046, 1)"),
        ("lynx", "log-normal(2.302585092994046, 1)"),
        ("sd_hare", "log-normal(-1, 1)"),
        ("sd_lynx", "log-normal(-1, 1)"),
    ];

    fn new() -> Self {
        let csv = include_str!("../../../data/lynx-hare.csv");
        let pelts: Vec<[f64; 2]> = table::rows(csv).map(|[_, h, l]| [h, l].map(|y| table::number(y).ln())).collect();
        let log_constant = -pelts.iter().flatten().sum::<f64>();
        Self { pelts, log_constant }
    }

    fn log_likelihood<N: Number>(&self, x: &[N]) -> N {
        let [alpha, beta, gamma, delta] = [x[0], x[1], x[2], x[3]];
        let rates = |y: &[N; 2]| [alpha - beta * y[1].exp(), delta * y[0].exp() - gamma];
        let mut solution = Solution::new(rates, [x[4].ln(), x[5].ln()]);
        let mut total = N::of(self.log_constant);
        for (year, pelts) in self.pelts.iter().enumerate() {
            let Some(state) = solution.after(if year == 0 { 0.0 } else { 1.0 }) else { return N::of(f64::NAN) };
            total += log_normal(N::of(pelts[0]) - state[0], x[6]) + log_normal(N::of(pelts[1]) - state[1], x[7]);
        }
        total
    }
}
