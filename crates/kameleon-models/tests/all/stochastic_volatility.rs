//! The particle filter: right on average, as noisy as documented, and a function of its random stream.

use crate::exact::{self, bias, moments};
use kameleon::random::{Purpose, stream};
use kameleon::{EvalError, Rng};
use kameleon_models::posteriors::StochasticVolatility;

/// The maximum of the likelihood: μ, φ, σ.
const BEST: [f64; 3] = [-0.76157, 0.97121, 0.15975];

/// The coordinates of the target.
fn coordinates([mu, phi, sigma]: [f64; 3]) -> [f64; 3] {
    [mu, ((1.0 + phi) / (1.0 - phi)).ln(), sigma.ln()]
}

fn randomness(seed: u64) -> Rng {
    stream(seed, 0, Purpose::Noise)
}

/// log p̂ − log p for each of the seeds.
fn log_ratios(y: &[f64], parameters: [f64; 3], particles: usize, seeds: u64) -> Vec<f64> {
    let mut target = StochasticVolatility::new(y, particles).unwrap();
    let exact = exact::stochastic_volatility(y, parameters[0], parameters[1], parameters[2]);
    let x = coordinates(parameters);
    (0..seeds).map(|seed| target.log_estimate(&x, &mut randomness(seed)).unwrap() - exact).collect()
}

#[test]
fn the_exact_likelihood_is_that_of_the_reference() {
    let y = StochasticVolatility::sterling();
    assert_eq!(y.len(), 945);
    let reference = [([2.0 * 0.6488f64.ln(), 0.978, 0.158], -1000.92318429), (BEST, -1000.506046)];
    for ([mu, phi, sigma], expected) in reference {
        let value = exact::stochastic_volatility(&y, mu, phi, sigma);
        assert!((value - expected).abs() < 1e-6, "{value}");
    }
}

#[test]
fn the_estimate_is_unbiased_for_short_series() {
    // Short ones, since a wrong law of the first volatility or a resampling that favours some particles shows there. The
    // last case has one particle, which nothing can favour. Five standard errors: false alarms below 1e-5.
    let y = StochasticVolatility::sterling();
    let strong = [0.5, 0.9, 1.0];
    let cases = [(1, strong, 10, 40_000), (3, strong, 10, 100_000), (20, BEST, 20, 40_000), (20, strong, 7, 100_000)];
    for (length, parameters, particles, seeds) in cases.into_iter().chain([(2, strong, 1, 100_000)]) {
        let (off, error) = bias(&log_ratios(&y[..length], parameters, particles, seeds));
        assert!(off.abs() < 5.0 && error < 0.02, "{length} {particles}: {off} standard errors of {error}");
    }
}

#[test]
fn the_estimate_is_unbiased_for_the_whole_series_and_as_noisy_as_documented() {
    // With 400 particles the noise is small enough for a mean over 600 seeds to be near normal; five standard errors.
    let y = StochasticVolatility::sterling();
    let (off, error) = bias(&log_ratios(&y, BEST, 400, 600));
    assert!(off.abs() < 5.0 && error < 0.05, "{off} standard errors of {error}");
    let sd = moments(&log_ratios(&y, BEST, StochasticVolatility::PARTICLES, 400)).1.sqrt();
    assert!((1.0..1.5).contains(&sd), "{sd}");
}

#[test]
fn the_same_stream_gives_the_same_estimate_whatever_came_before() {
    let mut target = StochasticVolatility::new(&StochasticVolatility::sterling(), 50).unwrap();
    let x = coordinates(BEST);
    let first = target.log_estimate(&x, &mut randomness(1)).unwrap();
    let second = target.log_estimate(&x, &mut randomness(2)).unwrap();
    assert_ne!(first, second);
    target.log_estimate(&[0.0; 3], &mut randomness(3)).unwrap();
    assert_eq!(target.log_estimate(&x, &mut randomness(1)).unwrap(), first);
}

#[test]
fn the_prior_is_a_density_in_the_coordinates_of_the_target() {
    // It is a product, so the integrals along the three axes through a point give its whole mass.
    let target = StochasticVolatility::new(&[1.0], 1).unwrap();
    let centre = [0.0, 3.0, -2.0];
    let log_prior = |x: &[f64]| target.log_prior(x).unwrap();
    let step = 0.01;
    let axis = |i: usize| {
        let mut x = centre;
        let values = (-4000..=4000).map(|k| {
            x[i] = centre[i] + step * f64::from(k);
            log_prior(&x).exp()
        });
        (step * values.sum::<f64>()).ln()
    };
    let mass = axis(0) + axis(1) + axis(2) - 2.0 * log_prior(&centre);
    assert!(mass.abs() < 1e-6, "{mass}");
    // The mode of (1 + φ)/2 ~ Beta(20, 1.5) in the logit is at 20 : 1.5, that of ln σ where σ² = scale/shape = 0.01.
    let best = log_prior(&[0.0, (20.0f64 / 1.5).ln(), 0.1f64.ln()]);
    for nearby in [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, -0.1, 0.0], [0.0, 0.0, 0.1], [0.0, 0.0, -0.1]] {
        let x = [nearby[0], (20.0f64 / 1.5).ln() + nearby[1], 0.1f64.ln() + nearby[2]];
        assert!(log_prior(&x) < best, "{nearby:?}");
    }
}

#[test]
fn what_cannot_be_computed_is_told() {
    let wrong = StochasticVolatility::new(&[1.0], 0).unwrap_err().to_string();
    assert_eq!(wrong, "particles: must be from 1 to 1000000, not 0");
    assert!(StochasticVolatility::new(&[], 10).is_err() && StochasticVolatility::new(&[f64::NAN], 10).is_err());
    let mut target = StochasticVolatility::new(&[1.0, 0.0, -3.0], 10).unwrap();
    assert!(matches!(target.log_estimate(&[0.0; 2], &mut randomness(1)), Err(EvalError::Fatal(_))));
    for extreme in [1e3, -1e3, 1e300, -1e300, f64::NAN] {
        for i in 0..3 {
            let mut x = coordinates(BEST);
            x[i] = extreme;
            let value = target.log_estimate(&x, &mut randomness(1));
            assert!(!matches!(value, Err(EvalError::Fatal(_))) && !value.is_ok_and(|v| v > 100.0), "{x:?}");
        }
    }
}
