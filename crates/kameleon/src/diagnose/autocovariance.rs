//! Autocovariance at every lag, by the fast Fourier transform.

use super::draws::moments;
use realfft::num_complex::Complex;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use std::sync::Arc;

/// The mean autocovariance of several series of one length. Its plans and buffers serve again and again.
pub(super) struct Autocovariance {
    length: usize,
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
    /// A series padded with zeros to twice its length, so that the transform does not wrap around.
    signal: Vec<f64>,
    spectrum: Vec<Complex<f64>>,
    power: Vec<Complex<f64>>,
    scratch: Vec<Complex<f64>>,
}

impl Autocovariance {
    /// For series of `length` numbers.
    pub fn new(length: usize) -> Self {
        let mut planner = RealFftPlanner::new();
        let padded = smooth_length(2 * length);
        let (forward, inverse) = (planner.plan_fft_forward(padded), planner.plan_fft_inverse(padded));
        let zeros = forward.make_output_vec();
        Self {
            length,
            signal: forward.make_input_vec(),
            power: zeros.clone(),
            scratch: vec![Complex::default(); forward.get_scratch_len().max(inverse.get_scratch_len())],
            spectrum: zeros,
            forward,
            inverse,
        }
    }

    /// (1/n) Σ (x_i − x̄)(x_{i+t} − x̄) at lags t = 0, …, n − 1, averaged over the series.
    ///
    /// The power spectra are summed first, so there is one transform back, not one a series.
    pub fn mean_of<'a>(&mut self, series: impl Iterator<Item = &'a [f64]>) -> &[f64] {
        self.power.fill(Complex::default());
        let mut count = 0;
        for x in series {
            self.add(x);
            count += 1;
        }
        // Buffers of the planned sizes: the transform cannot fail.
        self.inverse.process_with_scratch(&mut self.power, &mut self.signal, &mut self.scratch).expect("planned size");
        let scale = 1.0 / (self.signal.len() * self.length * count) as f64;
        let lags = &mut self.signal[..self.length];
        lags.iter_mut().for_each(|c| *c *= scale);
        lags
    }

    fn add(&mut self, x: &[f64]) {
        let (mean, _) = moments(x);
        self.signal.fill(0.0);
        self.signal.iter_mut().zip(x).for_each(|(s, x)| *s = x - mean);
        let (signal, spectrum) = (&mut self.signal, &mut self.spectrum);
        self.forward.process_with_scratch(signal, spectrum, &mut self.scratch).expect("planned size");
        self.power.iter_mut().zip(spectrum).for_each(|(p, s)| p.re += s.norm_sqr());
    }
}

/// The smallest even number 2ᵃ3ᵇ ≥ n: such lengths transform fast.
fn smooth_length(n: usize) -> usize {
    let powers_of_three =
        std::iter::successors(Some(2), |p: &usize| p.checked_mul(3)).take_while(|&p| p < 3 * n.max(2));
    powers_of_three.map(|p| p * n.div_ceil(p).next_power_of_two()).min().unwrap_or(2)
}

/// (1/n) Σ (x_i − x̄)(x_{i+t} − x̄) at lags t = 0, …, n − 1.
pub fn autocovariance(x: &[f64]) -> Vec<f64> {
    if x.is_empty() {
        return Vec::new();
    }
    Autocovariance::new(x.len()).mean_of(std::iter::once(x)).to_vec()
}

/// The autocovariance over that at lag 0: 1 at lag 0, and NaN everywhere for a constant.
pub fn autocorrelation(x: &[f64]) -> Vec<f64> {
    let mut lags = autocovariance(x);
    let variance = lags.first().copied().unwrap_or(0.0);
    lags.iter_mut().for_each(|c| *c /= variance);
    lags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn autocovariance_is_the_sum_it_stands_for() {
        for n in [1, 2, 3, 7, 50, 97] {
            let x: Vec<f64> = (0..n).map(|i| 3.0 + (i as f64 * 1.7).sin() + (i % 4) as f64).collect();
            let mean = x.iter().sum::<f64>() / n as f64;
            for (t, c) in autocovariance(&x).into_iter().enumerate() {
                let sum: f64 = (0..n - t).map(|i| (x[i] - mean) * (x[i + t] - mean)).sum();
                assert!((c - sum / n as f64).abs() < 1e-13, "n = {n}, lag {t}: {c}");
            }
        }
    }

    #[test]
    fn smooth_lengths_are_even_long_enough_and_close() {
        for n in 1..5000 {
            let m = smooth_length(n);
            let mut rest = m;
            while rest.is_multiple_of(3) {
                rest /= 3;
            }
            assert!(m >= n && m.is_multiple_of(2) && rest.is_power_of_two() && m <= 2 * n, "{n}: {m}");
        }
    }

    #[test]
    fn autocorrelation_of_a_constant_is_not_a_number_and_of_nothing_is_empty() {
        assert!(autocorrelation(&[0.1; 10]).iter().all(|c| c.is_nan()));
        assert!(autocorrelation(&[]).is_empty());
    }
}
