//! Draws of periodic parameters, unrolled around their circular mean: figures of them then do not depend on where the circle is cut.

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
        let sum = |of: fn(f64) -> f64| all().map(|x| of(TAU * (x - lower) / period)).sum::<f64>();
        let turn = libm::atan2(sum(libm::sin), sum(libm::cos)) / TAU;
        let from = lower + period * (if turn < 0.0 { turn + 1.0 } else { turn }) - 0.5 * period;
        for draws in &mut unrolled {
            for x in draws.to_mut().iter_mut().skip(i).step_by(dim) {
                *x -= period * libm::floor((*x - from) / period);
            }
        }
    }
    unrolled
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
