//! The frame that the density is fitted in: x = m + Lu, so that the history has about mean zero and covariance I in u. Of its correlations only
//! that part is believed which helps to predict one half of the history from the other.

use crate::linalg::{cholesky, dot, log_diagonal, multiply_lower, solve_lower};
use serde::{Deserialize, Serialize};

/// The shares by which correlations are shrunk that are tried.
const SHRINKAGES: [f64; 6] = [0.0, 0.03, 0.1, 0.3, 0.6, 1.0];
/// Added to variances, relative to them: coordinates may depend on each other.
const RIDGE: f64 = 1e-9;

/// The least variance, relative to the square of the mean: less is rounding.
const LEAST_VARIANCE: f64 = 1e-26;

/// m and L, and how tight N(0, I/s) must be to be the best of its kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Frame {
    mean: Vec<f64>,
    factor: Vec<f64>,
    /// s, at most 1: the precision of points in the frame that it was not made from.
    pub precision: f64,
}

/// The mean and covariance of some points.
struct Moments {
    mean: Vec<f64>,
    covariance: Vec<f64>,
}

impl Moments {
    fn of(points: &[f64], d: usize) -> Self {
        let count = (points.len() / d) as f64;
        let (mut mean, mut covariance) = (vec![0.0; d], vec![0.0; d * d]);
        points.chunks(d).for_each(|x| mean.iter_mut().zip(x).for_each(|(m, x)| *m += x / count));
        for x in points.chunks(d) {
            for i in 0..d {
                let weighted = (x[i] - mean[i]) / count;
                let row = covariance[i * d..].iter_mut().zip(x.iter().zip(&mean));
                row.take(i + 1).for_each(|(c, (x, m))| *c += weighted * (x - m));
            }
        }
        Self { mean, covariance }
    }

    /// With correlations shrunk by this share; none if that is not positive definite.
    fn frame(&self, shrinkage: f64) -> Option<Frame> {
        let d = self.mean.len();
        let varies = |i: usize| self.covariance[i * d + i] > LEAST_VARIANCE * self.mean[i] * self.mean[i];
        if !(0..d).all(varies) {
            return None;
        }
        let shrunk = |(k, c): (usize, &f64)| if k / d == k % d { c * (1.0 + RIDGE) } else { c * (1.0 - shrinkage) };
        let mut factor: Vec<f64> = self.covariance.iter().enumerate().map(shrunk).collect();
        cholesky(&mut factor, d).then(|| Frame { mean: self.mean.clone(), factor, precision: 1.0 })
    }
}

impl Frame {
    /// The frame of past states, one after another in the order of time; none if they do not vary.
    pub fn new(past: &[f64], d: usize) -> Option<Self> {
        let half = past.len() / d / 2 * d;
        let halves = [(&past[..half], &past[half..]), (&past[half..], &past[..half])];
        let fitted = halves.map(|(fitted, held_out)| (Moments::of(fitted, d), held_out));
        let mut best: Option<(f64, f64, f64)> = None;
        for shrinkage in SHRINKAGES {
            let (mut log_likelihood, mut squares) = (0.0, 0.0);
            for (moments, held_out) in &fitted {
                let Some(frame) = moments.frame(shrinkage) else {
                    log_likelihood = f64::NEG_INFINITY;
                    continue;
                };
                let mean = frame.mean_square(held_out);
                squares += 0.5 * mean;
                log_likelihood -= 0.5 * mean + log_diagonal(&frame.factor, d);
            }
            if log_likelihood.is_finite() && best.is_none_or(|(most, ..)| log_likelihood > most) {
                best = Some((log_likelihood, shrinkage, squares));
            }
        }
        let (_, shrinkage, squares) = best?;
        let frame = Moments::of(past, d).frame(shrinkage)?;
        Some(Self { precision: (d as f64 / squares).min(1.0), ..frame })
    }

    /// The mean of |u|².
    fn mean_square(&self, points: &[f64]) -> f64 {
        let d = self.dim();
        let mut u = vec![0.0; d];
        let square = |x: &[f64]| {
            self.enter(x, &mut u);
            dot(&u, &u)
        };
        points.chunks(d).map(square).sum::<f64>() / (points.len() / d) as f64
    }

    /// u of x.
    pub fn enter(&self, x: &[f64], u: &mut [f64]) {
        u.iter_mut().zip(x).zip(&self.mean).for_each(|((u, x), m)| *u = x - m);
        solve_lower(&self.factor, u);
    }

    /// x of u.
    pub fn leave(&self, u: &[f64], x: &mut [f64]) {
        x.copy_from_slice(u);
        multiply_lower(&self.factor, x);
        x.iter_mut().zip(&self.mean).for_each(|(x, m)| *x += m);
    }

    /// d
    pub fn dim(&self) -> usize {
        self.mean.len()
    }

    /// Whether it is one of `dim` dimensions.
    pub fn fits(&self, dim: usize) -> bool {
        self.mean.len() == dim && self.factor.len() == dim * dim
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use rand::RngExt;
    use rand_distr::StandardNormal;

    /// Pairs with this correlation, in many dimensions.
    fn pairs(count: usize, d: usize, correlation: f64) -> Vec<f64> {
        let mut rng = stream(3, 0, Purpose::Move);
        let mut points: Vec<f64> = (0..count * d).map(|_| rng.sample(StandardNormal)).collect();
        for x in points.chunks_mut(d) {
            (1..d).step_by(2).for_each(|i| {
                x[i] = 5.0 + 3.0 * (correlation * x[i - 1] + (1.0 - correlation * correlation).sqrt() * x[i]);
            });
        }
        points
    }

    #[test]
    fn a_frame_is_entered_and_left() {
        let frame = Frame::new(&pairs(100, 4, 0.5), 4).unwrap();
        let (mut u, mut x) = ([0.0; 4], [0.0; 4]);
        frame.leave(&[0.3, 0.7, -0.2, 1.1], &mut x);
        frame.enter(&x, &mut u);
        assert!(u.iter().zip([0.3, 0.7, -0.2, 1.1]).all(|(a, b)| (a - b).abs() < 1e-12), "{u:?}");
    }

    #[test]
    fn many_points_show_correlations_and_few_do_not() {
        let many = Frame::new(&pairs(4000, 10, 0.9), 10).unwrap();
        assert!((many.precision - 1.0).abs() < 0.03, "{}", many.precision);
        // The slope of the second coordinate on the first is 3 × 0.9.
        assert!((many.factor[10] / many.factor[0] - 2.7).abs() < 0.2);
        let few = Frame::new(&pairs(60, 40, 0.0), 40).unwrap();
        assert!(few.precision > 0.5, "{}", few.precision);
        let off: f64 = (1..40).map(|i| few.factor[i * 40].abs()).fold(0.0, f64::max);
        assert!(off < 0.5, "{off}");
    }

    #[test]
    fn points_that_are_all_the_same_have_no_frame() {
        assert!(Frame::new(&[1.0; 80], 2).is_none());
    }
}
