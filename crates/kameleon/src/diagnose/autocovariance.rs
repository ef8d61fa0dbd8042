//! Autocovariance at every lag, by the fast Fourier transform.

use super::draws::moments;
use rustfft::algorithm::Radix4;
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection};

/// The mean autocovariance of several series of one length. Its plan and buffers serve again and again.
///
/// The transform is made here and not by the planner of `rustfft`, which would bring all its algorithms along: they would take
/// longer to compile than this whole library.
pub(super) struct Autocovariance {
    transform: Radix4<f64>,
    /// Two series, one as real and one as imaginary part, padded with zeros to twice their length, so that the transform does
    /// not wrap around.
    pair: Vec<Complex<f64>>,
    power: Vec<Complex<f64>>,
    scratch: Vec<Complex<f64>>,
    lags: Vec<f64>,
}

impl Autocovariance {
    /// For series of `length` numbers.
    pub fn new(length: usize) -> Self {
        let padded = (2 * length).next_power_of_two();
        let transform = Radix4::new(padded, FftDirection::Forward);
        let zeros = |count| vec![Complex::default(); count];
        Self {
            pair: zeros(padded),
            power: zeros(padded),
            scratch: zeros(transform.get_inplace_scratch_len()),
            lags: vec![0.0; length],
            transform,
        }
    }

    /// (1/n) Σ (x_i − x̄)(x_{i+t} − x̄) at lags t = 0, …, n − 1, averaged over the series.
    ///
    /// The power spectra are summed first, so there is one transform back, not one a series. It is the transform forth, and of
    /// its result the real part: that is the same for |Z|² as for the symmetric |X|² + |Y|² of a pair Z = X + iY.
    pub fn mean_of<'a>(&mut self, mut series: impl Iterator<Item = &'a [f64]>) -> &[f64] {
        self.power.fill(Complex::default());
        let mut count = 0;
        while let Some(x) = series.next() {
            let y = series.next();
            count += 1 + usize::from(y.is_some());
            self.add(x, y);
        }
        self.transform.process_with_scratch(&mut self.power, &mut self.scratch);
        let scale = 1.0 / (self.power.len() * self.lags.len() * count) as f64;
        self.lags.iter_mut().zip(&self.power).for_each(|(c, p)| *c = p.re * scale);
        &self.lags
    }

    fn add(&mut self, x: &[f64], y: Option<&[f64]>) {
        self.pair.fill(Complex::default());
        let (mean, _) = moments(x);
        self.pair.iter_mut().zip(x).for_each(|(z, x)| z.re = x - mean);
        if let Some(y) = y {
            let (mean, _) = moments(y);
            self.pair.iter_mut().zip(y).for_each(|(z, y)| z.im = y - mean);
        }
        self.transform.process_with_scratch(&mut self.pair, &mut self.scratch);
        self.power.iter_mut().zip(&self.pair).for_each(|(p, z)| p.re += z.norm_sqr());
    }
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
    fn of_several_series_it_is_the_mean() {
        let series: Vec<Vec<f64>> =
            (0..5).map(|k| (0..30).map(|i| f64::from(k) + (f64::from(i * (k + 2))).sin()).collect()).collect();
        for count in 1..=5 {
            let mut lags = Autocovariance::new(30);
            let mean = lags.mean_of(series[..count].iter().map(Vec::as_slice));
            for (t, c) in mean.iter().enumerate() {
                let sum: f64 = series[..count].iter().map(|x| autocovariance(x)[t]).sum();
                assert!((c - sum / count as f64).abs() < 1e-14, "{count} series, lag {t}: {c}");
            }
        }
    }

    #[test]
    fn autocorrelation_of_a_constant_is_not_a_number_and_of_nothing_is_empty() {
        assert!(autocorrelation(&[0.1; 10]).iter().all(|c| c.is_nan()));
        assert!(autocorrelation(&[]).is_empty());
    }
}
