//! The likelihood of a label given the latent function: logistic or probit.

mod logistic;
mod probit;

use crate::quadrature::Quadrature;
use serde::{Deserialize, Serialize};

/// p(y|f), with y = ±1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Likelihood {
    /// 1/(1 + exp(−y f))
    #[default]
    Logistic,
    /// Φ(y f)
    Probit,
}

/// The moments of a normal N(mean, variance) times one likelihood term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tilted {
    /// log ∫ p(y|f) N(f; mean, variance) df
    pub log_z: f64,
    /// The mean of the product.
    pub mean: f64,
    /// The variance of the product.
    pub variance: f64,
}

impl Likelihood {
    /// Σ log p(y_i|f_i)
    pub fn log_likelihood(self, y: &[f64], f: &[f64]) -> f64 {
        match self {
            Self::Logistic => logistic::log_likelihood(y, f),
            Self::Probit => y.iter().zip(f).map(|(y, f)| probit::log_cdf(y * f)).sum(),
        }
    }

    /// Σ log p(y_i|f_i) at f = m + e and at f = m − e.
    pub fn log_likelihood_pair(self, y: &[f64], m: &[f64], e: &[f64]) -> (f64, f64) {
        match self {
            Self::Logistic => logistic::log_likelihood_pair(y, m, e),
            Self::Probit => {
                let terms = y.iter().zip(m.iter().zip(e));
                terms.fold((0.0, 0.0), |(plus, minus), (y, (m, e))| {
                    (plus + probit::log_cdf(y * (m + e)), minus + probit::log_cdf(y * (m - e)))
                })
            }
        }
    }

    /// The gradient ∇ log p(y|f) and W = −∇∇ log p(y|f), which is diagonal and nonnegative.
    pub fn derivatives(self, y: &[f64], f: &[f64], gradient: &mut [f64], w: &mut [f64]) {
        match self {
            Self::Logistic => logistic::derivatives(y, f, gradient, w),
            Self::Probit => {
                for i in 0..y.len() {
                    let z = y[i] * f[i];
                    let ratio = probit::hazard(z);
                    gradient[i] = y[i] * ratio;
                    w[i] = (ratio * (ratio + z)).max(0.0);
                }
            }
        }
    }

    /// The moments of p(y|f) N(f; mean, variance): in closed form for the probit, by quadrature for the logistic.
    pub(crate) fn tilted(self, y: f64, mean: f64, variance: f64, quadrature: &Quadrature) -> Tilted {
        match self {
            Self::Logistic => logistic::tilted(y, mean, variance, quadrature),
            Self::Probit => probit::tilted(y, mean, variance),
        }
    }

    /// p(y = +1) when the latent value is N(mean, variance).
    pub(crate) fn probability(self, mean: f64, variance: f64, quadrature: &Quadrature) -> f64 {
        self.tilted(1.0, mean, variance, quadrature).log_z.exp().min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Likelihood; 2] = [Likelihood::Logistic, Likelihood::Probit];

    #[test]
    fn derivatives_match_finite_differences() {
        for likelihood in BOTH {
            for i in -60..=60 {
                let (f, h) = (f64::from(i) * 0.5, 1e-4);
                for y in [-1.0, 1.0] {
                    let value = |f: f64| likelihood.log_likelihood(&[y], &[f]);
                    let (mut gradient, mut w) = ([0.0], [0.0]);
                    likelihood.derivatives(&[y], &[f], &mut gradient, &mut w);
                    let slope = (value(f + h) - value(f - h)) / (2.0 * h);
                    assert!((gradient[0] - slope).abs() < 1e-6, "{likelihood:?} {y} {f}: {} {slope}", gradient[0]);
                    let gradient_at = |f: f64| {
                        let mut gradient = [0.0];
                        likelihood.derivatives(&[y], &[f], &mut gradient, &mut [0.0]);
                        gradient[0]
                    };
                    let curvature = (gradient_at(f - h) - gradient_at(f + h)) / (2.0 * h);
                    assert!((w[0] - curvature).abs() < 1e-6, "{likelihood:?} {y} {f}: {} {curvature}", w[0]);
                }
            }
        }
    }

    #[test]
    fn the_tails_are_finite_and_exact() {
        for (likelihood, expected) in [(Likelihood::Logistic, -1000.0), (Likelihood::Probit, -500_007.826_694_812_2)] {
            let value = likelihood.log_likelihood(&[1.0], &[-1000.0]);
            assert!((value - expected).abs() < 1e-6, "{likelihood:?}: {value}");
            assert_eq!(likelihood.log_likelihood(&[1.0], &[1000.0]), 0.0);
            let (mut gradient, mut w) = ([0.0], [0.0]);
            likelihood.derivatives(&[1.0], &[-1000.0], &mut gradient, &mut w);
            assert!(gradient[0].is_finite() && (0.0..=1.000_001).contains(&w[0]), "{likelihood:?}: {gradient:?} {w:?}");
            for mean in [-1e4, -900.0, -60.0, 60.0, 1e4] {
                let tilted = likelihood.tilted(1.0, mean, 4.0, &Quadrature::new());
                let sound = tilted.log_z <= 1e-12 && (0.0..=4.0 + 1e-9).contains(&tilted.variance);
                assert!(sound && tilted.mean >= mean, "{likelihood:?} {mean}: {tilted:?}");
            }
        }
    }

    #[test]
    fn a_pair_is_two_single_values() {
        let y: Vec<f64> = (0..700).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
        let m: Vec<f64> = (0..700).map(|i| (f64::from(i) * 0.37).sin() * 30.0).collect();
        let e: Vec<f64> = (0..700).map(|i| (f64::from(i) * 0.91).cos() * 5.0).collect();
        let f = |sign: f64| m.iter().zip(&e).map(|(m, e)| m + sign * e).collect::<Vec<_>>();
        for likelihood in BOTH {
            let (plus, minus) = likelihood.log_likelihood_pair(&y, &m, &e);
            assert!((plus / likelihood.log_likelihood(&y, &f(1.0)) - 1.0).abs() < 1e-13);
            assert!((minus / likelihood.log_likelihood(&y, &f(-1.0)) - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn tilted_moments_match_a_fine_sum() {
        let rule = Quadrature::new();
        for likelihood in BOTH {
            for (y, mean, variance) in [(1.0, 0.3, 0.5), (-1.0, 1.2, 2.0), (1.0, -3.0, 1.0), (-1.0, -2.0, 6.0)] {
                let (mut z, mut first, mut second) = (0.0, 0.0, 0.0);
                let (step, sd) = (0.001, f64::sqrt(variance));
                for i in -12_000..=12_000 {
                    let t = f64::from(i) * step;
                    let f = mean + sd * t;
                    let p = (likelihood.log_likelihood(&[y], &[f]) - 0.5 * t * t).exp() * step;
                    (z, first, second) = (z + p, first + p * f, second + p * f * f);
                }
                let tilted = likelihood.tilted(y, mean, variance, &rule);
                assert!((tilted.log_z - (z / std::f64::consts::TAU.sqrt()).ln()).abs() < 1e-10);
                assert!((tilted.mean - first / z).abs() < 1e-9);
                assert!((tilted.variance - (second / z - (first / z).powi(2))).abs() < 1e-9);
            }
        }
    }
}
