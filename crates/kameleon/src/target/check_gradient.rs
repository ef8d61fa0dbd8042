//! Whether a gradient is that of the log density, by finite differences at a few points.
//!
//! One step length settles most cases. Where it disagrees, lengths over many orders of magnitude are tried, since nothing is known of the
//! units of a parameter: a gradient is called wrong only if differences that agree among themselves all disagree with it.

use super::{EvalError, Noise, Target};
use crate::Rng;
use crate::random::{Purpose, stream};
use crate::words;
use rand::RngExt;
use rand::seq::index::sample;
use serde::{Deserialize, Serialize};

/// How many points are looked at: the one given, and others near it.
const POINTS: usize = 3;
/// The distance of the others, in units of the coordinates.
const APART: f64 = 0.1;
/// At most this many parameters are looked at in each point.
const MOST: usize = 32;
/// The first step length, in units of the coordinate, and how well its difference has to agree.
const FIRST: (f64, f64) = (1e-5, 1e-4);
/// How well differences of a length and of half of it have to agree to be believed, and a gradient with them.
const BELIEVED: f64 = 1e-3;
const AGREES: f64 = 5e-3;
/// Rounding errors of a difference may be this share of a slope.
const ROUNDED: f64 = 1e-2;
/// By how much the slopes on both sides of a point may differ, as a share; at a kink they differ by more however short the step.
const SMOOTH: f64 = 0.5;

/// An entry of a gradient that finite differences contradict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WrongSlope {
    /// Where.
    pub x: Vec<f64>,
    /// Which parameter.
    pub parameter: usize,
    /// What the gradient says.
    pub given: f64,
    /// What finite differences of the log density say.
    pub found: f64,
}

impl WrongSlope {
    /// What is wrong, and what to do, for parameters of these names.
    pub fn words(&self, names: &[String]) -> String {
        let Self { x, parameter, given, found } = self;
        let unnamed = format!("x{}", parameter + 1);
        let (name, at) = (names.get(*parameter).unwrap_or(&unnamed), words::point(x, names));
        format!(
            "the gradient is wrong: for parameter `{name}` at ({at}) it is {}, where finite differences of the log density give {}; \
             correct it, or choose a sampler that needs none",
            shown(*given),
            shown(*found)
        )
    }
}

/// A slope with as many digits as finite differences have.
fn shown(slope: f64) -> String {
    let usual = slope == 0.0 || (1e-3..1e6).contains(&slope.abs());
    if usual { format!("{slope:.5}") } else { format!("{slope:.5e}") }
}

/// A wrong entry of the gradient at `x` or near it; none where nothing can be said.
pub fn wrong_slope<T: Target + ?Sized>(
    target: &mut T,
    x: &[f64],
    noise: Noise<'_>,
) -> Result<Option<WrongSlope>, EvalError> {
    let mut look = Look { target, rng: noise.rng.clone(), normals: noise.normals };
    if look.is_noisy(x)? {
        // The gradient of an estimate need not be the slope of the estimate.
        return Ok(None);
    }
    let mut rng = stream(0, 0, Purpose::Start);
    for point in 0..POINTS {
        let away = |x: &f64| if *x == 0.0 { APART } else { APART * x.abs() };
        let moved = x.iter().map(|x| x + if point == 0 { 0.0 } else { away(x) * rng.random_range(-1.0..1.0) });
        let x: Vec<f64> = moved.collect();
        let mut gradient = vec![0.0; x.len()];
        let Some(value) = look.usable(|target, noise| target.gradient(&x, noise, &mut gradient))? else { continue };
        for parameter in sample(&mut rng, x.len(), x.len().min(MOST)) {
            let given = gradient[parameter];
            if let Some(found) = look.wrong(&x, parameter, value, given)? {
                return Ok(Some(WrongSlope { x, parameter, given, found }));
            }
        }
    }
    Ok(None)
}

/// A target that is asked with the same noise again and again.
struct Look<'a, T: ?Sized> {
    target: &'a mut T,
    rng: Rng,
    normals: &'a [f64],
}

impl<T: Target + ?Sized> Look<'_, T> {
    /// What the target says, if it is a finite number.
    fn usable(
        &mut self,
        ask: impl FnOnce(&mut T, Noise<'_>) -> Result<f64, EvalError>,
    ) -> Result<Option<f64>, EvalError> {
        let noise = Noise { rng: &mut self.rng.clone(), normals: self.normals };
        match ask(self.target, noise) {
            Ok(value) => Ok(Some(value).filter(|value| value.is_finite())),
            Err(EvalError::Fatal(why)) => Err(EvalError::Fatal(why)),
            Err(EvalError::Reject(_) | EvalError::Failed(_)) => Ok(None),
        }
    }

    /// Whether the log density depends on the noise.
    fn is_noisy(&mut self, x: &[f64]) -> Result<bool, EvalError> {
        let first = self.usable(|target, noise| target.log_density(x, noise))?;
        let mut rng = stream(1, 0, Purpose::Noise);
        let other: Vec<f64> = self.normals.iter().map(|u| u + 1.0).collect();
        let noise = Noise { rng: &mut rng, normals: &other };
        match self.target.log_density(x, noise) {
            Ok(second) => Ok(first.is_some_and(|first| first != second)),
            Err(EvalError::Fatal(why)) => Err(EvalError::Fatal(why)),
            Err(EvalError::Reject(_) | EvalError::Failed(_)) => Ok(first.is_some()),
        }
    }

    /// The slope along parameter i by steps of length h in both directions, and by how much those of the two sides differ, for a log
    /// density that is `value` at x.
    fn slope(&mut self, x: &[f64], i: usize, value: f64, h: f64) -> Result<Option<(f64, f64)>, EvalError> {
        let mut moved = x.to_vec();
        let mut ends = [(0.0, 0.0); 2];
        for (end, step) in ends.iter_mut().zip([h, -h]) {
            moved[i] = x[i] + step;
            let Some(value) = self.usable(|target, noise| target.log_density(&moved, noise))? else { return Ok(None) };
            *end = (moved[i], value);
        }
        let slope = (ends[0].1 - ends[1].1) / (ends[0].0 - ends[1].0);
        let sides = ends.map(|(at, there)| (there - value) / (at - x[i]));
        Ok(Some((slope, (sides[0] - sides[1]).abs())).filter(|(slope, gap)| slope.is_finite() && gap.is_finite()))
    }

    /// The slope along parameter i, where it is known and not what the gradient says.
    fn wrong(&mut self, x: &[f64], i: usize, value: f64, given: f64) -> Result<Option<f64>, EvalError> {
        let rounding = |h: f64| 32.0 * f64::EPSILON * (value.abs() + 1.0) / h;
        // An infinite slope agrees with nothing.
        let size = |slope: f64| slope.abs().max(if given.is_finite() { given.abs() } else { 0.0 });
        let (share, tolerance) = FIRST;
        let h = share * x[i].abs().max(1.0);
        if let Some((slope, _)) = self.slope(x, i, value, h)?
            && (slope - given).abs() <= tolerance * size(slope) + rounding(h)
        {
            return Ok(None);
        }
        let powers = (1..=9).map(|k| 10f64.powi(-k));
        let relative = powers.clone().map(|h| h * x[i].abs()).filter(|h| *h > 0.0);
        let (mut believed, mut best) = (0, (f64::INFINITY, 0.0));
        for h in powers.chain(relative) {
            let Some((long, gap)) = self.slope(x, i, value, h)? else { continue };
            let Some((short, _)) = self.slope(x, i, value, 0.5 * h)? else { continue };
            let size = size(short);
            let apart = (long - short).abs() / size;
            if apart > BELIEVED || rounding(h) > ROUNDED * size || gap > SMOOTH * size {
                continue;
            }
            if (short - given).abs() <= AGREES * size {
                return Ok(None);
            }
            believed += 1;
            if apart < best.0 {
                best = (apart, short);
            }
        }
        Ok((believed > 1).then_some(best.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Values;
    use crate::target::{TARGETS, WithGradient};

    fn problem_of(target: &mut dyn Target, x: &[f64]) -> Option<WrongSlope> {
        let mut rng = stream(5, 0, Purpose::Noise);
        let normals = vec![0.3; target.normals()];
        wrong_slope(target, x, Noise { rng: &mut rng, normals: &normals }).unwrap()
    }

    #[test]
    fn the_gradients_of_built_in_targets_are_right() {
        for entry in TARGETS {
            let mut target = entry.build(&Values::new()).unwrap();
            let mut rng = stream(6, 0, Purpose::Start);
            for _ in 0..20 {
                let mut x = vec![0.0; target.dim().unwrap()];
                target.known().unwrap().sample(&mut rng, &mut x);
                assert_eq!(problem_of(&mut target, &x), None, "{}", entry.name);
            }
        }
    }

    /// A quadratic in very different units, whose gradient is `given` by the right one.
    fn quadratic(given: fn(usize, f64) -> f64) -> impl Target {
        WithGradient::new(3, move |x: &[f64], gradient: &mut [f64]| {
            let units = [1e-8, 1.0, 1e6];
            let slope = |i: usize| -(x[i] - units[i]) / (units[i] * units[i]);
            (0..3).for_each(|i| gradient[i] = given(i, slope(i)));
            -0.5 * (0..3).map(|i| ((x[i] - units[i]) / units[i]).powi(2)).sum::<f64>()
        })
    }

    #[test]
    fn a_wrong_entry_is_named_with_both_values_whatever_its_units() {
        let starts = [[0.0; 3], [2e-8, 2.0, 2e6], [1e-8, 1.0, 1e6]];
        for start in starts {
            assert_eq!(problem_of(&mut quadratic(|_, slope| slope), &start), None);
        }
        for (i, start) in (0..3).flat_map(|i| starts.map(|start| (i, start))) {
            let wrongs: [fn(usize, f64) -> f64; 3] = match i {
                0 => [
                    |i, s| if i == 0 { -s } else { s },
                    |i, s| if i == 0 { 2.0 * s } else { s },
                    |i, s| if i == 0 { 0.0 } else { s },
                ],
                1 => [
                    |i, s| if i == 1 { -s } else { s },
                    |i, s| if i == 1 { 1.1 * s } else { s },
                    |i, s| if i == 1 { 0.0 } else { s },
                ],
                _ => [
                    |i, s| if i == 2 { -s } else { s },
                    |i, s| if i == 2 { 2.0 * s } else { s },
                    |i, s| if i == 2 { 0.0 } else { s },
                ],
            };
            for wrong in wrongs {
                let found = problem_of(&mut quadratic(wrong), &start);
                assert_eq!(found.map(|wrong| wrong.parameter), Some(i), "{start:?}");
            }
        }
    }

    #[test]
    fn an_infinite_slope_is_wrong_where_differences_are_finite() {
        for given in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let mut target = WithGradient::new(1, move |x: &[f64], g: &mut [f64]| {
                g[0] = given;
                -0.5 * x[0] * x[0]
            });
            let found = problem_of(&mut target, &[0.7]).unwrap_or_else(|| panic!("{given}"));
            assert!((found.found + 0.7).abs() < 1e-5, "{found:?}");
        }
    }

    #[test]
    fn a_kink_or_single_precision_is_no_mistake() {
        let mut kink = WithGradient::new(1, |x: &[f64], g: &mut [f64]| {
            g[0] = -x[0].signum();
            -x[0].abs()
        });
        assert_eq!(problem_of(&mut kink, &[0.0]), None);
        let mut single = WithGradient::new(1, |x: &[f64], g: &mut [f64]| {
            g[0] = -x[0];
            f64::from((1000.0 - 0.5 * x[0] * x[0]) as f32)
        });
        assert_eq!(problem_of(&mut single, &[0.7]), None);
    }
}
