//! Draws of periodic parameters, unrolled around their circular mean or as points of a circle: figures of them then do not depend on where
//! the circle is cut.

use std::borrow::Cow;
use std::f64::consts::TAU;

/// The ends of the interval that a periodic parameter is reported in; none for any other parameter.
pub type Period = Option<(f64, f64)>;

/// The draws of chains, one point after another, with each periodic parameter within half a period of the circular mean of all its draws.
/// Parameters beyond the periods have none.
pub fn unrolled<'a>(chains: &[&'a [f64]], dim: usize, periods: &[Period]) -> Vec<Cow<'a, [f64]>> {
    let mut unrolled: Vec<Cow<'a, [f64]>> = chains.iter().map(|draws| Cow::Borrowed(*draws)).collect();
    for (i, (lower, upper)) in periods.iter().enumerate().filter_map(|(i, period)| Some((i, (*period)?))) {
        let period = upper - lower;
        let all = || chains.iter().flat_map(|draws| draws.iter().skip(i).step_by(dim));
        let turn = mean_angle(all().map(|x| TAU * (x - lower) / period)) / TAU;
        let from = lower + period * (if turn < 0.0 { turn + 1.0 } else { turn }) - 0.5 * period;
        for draws in &mut unrolled {
            for x in draws.to_mut().iter_mut().skip(i).step_by(dim) {
                *x -= period * libm::floor((*x - from) / period);
            }
        }
    }
    unrolled
}

/// The draws, one point after another, with the cosine and the sine of the angle from the circular mean in the place of each periodic
/// parameter; and the new number of coordinates.
pub fn on_circles<'a>(draws: &'a [f64], dim: usize, periods: &[Period]) -> (Cow<'a, [f64]>, usize) {
    let circles = periods.iter().flatten().count();
    if circles == 0 {
        return (Cow::Borrowed(draws), dim);
    }
    let angle = |x: f64, (lower, upper): (f64, f64)| TAU * (x - lower) / (upper - lower);
    let mean = |(i, period): (usize, &Period)| {
        let period = (*period)?;
        Some((period, mean_angle(draws.iter().skip(i).step_by(dim).map(|x| angle(*x, period)))))
    };
    let means: Vec<Option<((f64, f64), f64)>> = periods.iter().enumerate().map(mean).collect();
    let mut points = Vec::with_capacity(draws.len() / dim * (dim + circles));
    for (x, mean) in draws.chunks_exact(dim).flat_map(|x| x.iter().zip(means.iter().chain(std::iter::repeat(&None)))) {
        match mean {
            Some((period, mean)) => {
                let (sine, cosine) = libm::sincos(angle(*x, *period) - mean);
                points.extend([cosine, sine]);
            }
            None => points.push(*x),
        }
    }
    (Cow::Owned(points), dim + circles)
}

/// The circular mean of angles.
fn mean_angle(angles: impl Iterator<Item = f64>) -> f64 {
    let (sine, cosine) = angles.fold((0.0, 0.0), |(sine, cosine), angle| {
        let (s, c) = libm::sincos(angle);
        (sine + s, cosine + c)
    });
    libm::atan2(sine, cosine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_around_the_cut_come_together_and_others_stay() {
        let (a, b) = ([5.0, 0.1, 6.0, 6.2], [7.0, 6.1, 8.0, 0.2]);
        let found = unrolled(&[&a, &b], 2, &[None, Some((0.0, TAU))]);
        let second: Vec<f64> = found.iter().flat_map(|draws| [draws[1], draws[3]]).collect();
        let (least, most) = second.iter().fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(*x), b.max(*x)));
        assert!(most - least < 0.5 && second.iter().any(|x| *x == 6.2 || *x == 0.1), "{second:?}");
        assert_eq!((found[0][0], found[1][2]), (5.0, 8.0));
        assert!(matches!(unrolled(&[&a], 2, &[])[0], Cow::Borrowed(_)));
    }

    #[test]
    fn points_of_a_circle_are_the_same_wherever_it_is_cut() {
        let (a, b) = ([5.0, 0.1, 6.0, 6.2, 7.0, 1.0], [5.0, 2.1, 6.0, 8.2 - TAU, 7.0, 3.0]);
        let [(a, d), (b, _)] = [&a, &b].map(|draws| on_circles(draws, 2, &[None, Some((0.0, TAU))]));
        assert!(d == 3 && a.len() == 9 && a[0] == 5.0 && (a[1].hypot(a[2]) - 1.0).abs() < 1e-12, "{a:?}");
        assert!(a.iter().zip(b.iter()).all(|(a, b)| (a - b).abs() < 1e-12), "{a:?} {b:?}");
        assert!(matches!(on_circles(&[1.0, 2.0], 2, &[None, None]), (Cow::Borrowed([1.0, 2.0]), 2)));
    }

    #[test]
    fn turning_draws_turns_their_mean_by_as_much() {
        let draws: Vec<f64> = (0..100).map(|k| 0.02 * f64::from(k * k % 37)).collect();
        let spread = |turn: f64| {
            let turned: Vec<f64> = draws.iter().map(|x| (x + turn).rem_euclid(3.0) - 1.0).collect();
            let found = unrolled(&[&turned], 1, &[Some((-1.0, 2.0))]).remove(0);
            let mean = found.iter().sum::<f64>() / 100.0;
            (mean, found.iter().map(|x| (x - mean).powi(2)).sum::<f64>())
        };
        let (mean, squares) = spread(0.0);
        for turn in [0.4, 1.0, 1.9, 2.7] {
            let (turned, same) = spread(turn);
            assert!((same - squares).abs() < 1e-9 && (-1.5..2.5).contains(&turned));
            assert!(((turned - mean - turn) / 3.0 - ((turned - mean - turn) / 3.0).round()).abs() < 1e-9);
        }
    }
}
