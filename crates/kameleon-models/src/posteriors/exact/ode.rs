//! The method of Dormand and Prince for y' = f(y), with steps chosen by the difference of its two orders.

use crate::number::Number;

/// The largest error of a step, in any coordinate.
const TOLERANCE: f64 = 1e-8;
/// After this many steps the solution is given up.
const MOST_STEPS: usize = 20_000;

/// The stages' weights in the points where f is evaluated, then in the solution of order five (the seventh stage).
const STAGES: [&[f64]; 6] = [
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// The weights of order five less those of order four.
const ERROR: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];

/// A solution on its way. Its steps are chosen by values alone, and slopes are those of the solution with these steps.
pub(crate) struct Solution<F, T, const N: usize> {
    f: F,
    y: [T; N],
    /// f(y)
    slope: [T; N],
    /// The length of the next step.
    step: f64,
    /// How many steps may still be made.
    left: usize,
}

impl<T: Number, F: Fn(&[T; N]) -> [T; N], const N: usize> Solution<F, T, N> {
    /// The solution of y' = f(y) that starts at `y`.
    pub(crate) fn new(f: F, y: [T; N]) -> Self {
        let slope = f(&y);
        let steepest = slope.iter().fold(1.0, |most: f64, slope| most.max(slope.value().abs()));
        Self { f, y, slope, step: 0.01 / steepest, left: MOST_STEPS }
    }

    /// y after this time, or nothing if it takes too many steps or leaves the numbers.
    pub(crate) fn after(&mut self, time: f64) -> Option<[T; N]> {
        let mut done = 0.0;
        while done < time {
            self.left = self.left.checked_sub(1)?;
            let last = self.step >= time - done;
            let step = if last { time - done } else { self.step };
            let (y, slope, error) = self.tried(step);
            if !error.is_finite() && step < 1e-12 {
                return None;
            }
            if error <= TOLERANCE {
                done = if last { time } else { done + step };
                (self.y, self.slope) = (y, slope);
            }
            let factor = if error.is_finite() { 0.9 * (TOLERANCE / error).powf(0.2) } else { 0.1 };
            let next = step * factor.clamp(0.1, 5.0);
            // A step that was cut short says nothing against a longer one.
            self.step = if last && error <= TOLERANCE { next.max(self.step) } else { next };
        }
        Some(self.y)
    }

    /// y and f(y) after one step, and the largest error of a coordinate.
    fn tried(&self, step: f64) -> ([T; N], [T; N], f64) {
        let mut slopes = [self.slope; 7];
        let mut y = self.y;
        for (stage, weights) in STAGES.iter().enumerate() {
            for i in 0..N {
                y[i] = self.y[i] + weights.iter().zip(&slopes).map(|(w, slope)| slope[i] * *w).sum::<T>() * step;
            }
            slopes[stage + 1] = (self.f)(&y);
        }
        let error =
            |i: usize| (step * ERROR.iter().zip(&slopes).map(|(w, slope)| w * slope[i].value()).sum::<f64>()).abs();
        // A coordinate that is not a number must not be lost in the maximum.
        let largest =
            (0..N).map(error).fold(0.0, |most, error| if error > most || error.is_nan() { error } else { most });
        (y, slopes[6], if largest.is_nan() { f64::INFINITY } else { largest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_followed_for_several_turns() {
        let mut solution = Solution::new(|y: &[f64; 2]| [-y[1], y[0]], [1.0, 0.0]);
        for turn in 1..=40 {
            let y = solution.after(0.5).unwrap();
            let angle = 0.5 * f64::from(turn);
            assert!((y[0] - angle.cos()).abs() < 1e-6 && (y[1] - angle.sin()).abs() < 1e-6, "{turn}: {y:?}");
        }
    }

    #[test]
    fn a_solution_that_leaves_the_numbers_is_given_up() {
        // y = 1/(1 − t)
        let mut solution = Solution::new(|y: &[f64; 1]| [y[0] * y[0]], [1.0]);
        assert!((solution.after(0.9).unwrap()[0] - 10.0).abs() < 1e-5);
        assert_eq!(solution.after(0.2), None);
    }
}
