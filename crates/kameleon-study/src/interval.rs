//! Means over chains with the paper's error bars.

/// A mean over chains and its 80 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The normal quantile of an 80 % interval.
const EIGHTY_PER_CENT: f64 = 1.28;

impl Interval {
    /// mean ± 1.28 sd/√chains, from one value for each chain.
    pub fn over(values: impl Iterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        let half = EIGHTY_PER_CENT * (variance / n).sqrt();
        Self { mean, low: mean - half, high: mean + half }
    }

    /// `total` over the mean of the values, with the interval on the scale of ratios, so that it stays positive. NaN if all values
    /// are zero, such as the errors of chains that never moved from the true mean.
    pub fn ratio(total: f64, values: impl Iterator<Item = f64>) -> Self {
        let below = Self::over(values);
        let mean = if below.mean > 0.0 { total / below.mean } else { f64::NAN };
        let spread = below.high / below.mean;
        Self { mean, low: mean / spread, high: mean * spread }
    }

    /// Whether this interval lies entirely below the other.
    pub fn below(&self, other: &Self) -> bool {
        self.high < other.low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_1_28_standard_errors_to_either_side() {
        let interval = Interval::over([1.0, 3.0].into_iter());
        assert_eq!(interval.mean, 2.0);
        // sd √2, over √2 chains
        assert!((interval.high - 3.28).abs() < 1e-12 && (interval.low - 0.72).abs() < 1e-12);
    }

    #[test]
    fn a_ratio_stays_positive_and_ordered() {
        let interval = Interval::ratio(100.0, [0.1, 9.9].into_iter());
        assert!(0.0 < interval.low && interval.low < interval.mean && interval.mean < interval.high);
        assert!(Interval::ratio(100.0, [0.0, 0.0].into_iter()).mean.is_nan());
    }
}
