//! Whether draws pile up at a bound, nearer to it than numbers can tell: there the model is asked at the last number inside, and what it
//! would have said nearer to the bound is not known.

use crate::output::{CROWDED, ChainDraws};
use kameleon_models::Bound;

/// The share of draws from which on a word is due, if there are at least as many as the second: one or two are there by chance where numbers are
/// coarse.
const SHARE: f64 = 0.001;
const LEAST: usize = 10;

/// A warning for each parameter some of whose draws are at the last number inside a bound.
pub fn warnings(names: &[String], bounds: &[Bound], chains: &[ChainDraws]) -> Vec<String> {
    let warning = |(i, (name, bound)): (usize, (&String, &Bound))| {
        let values = || chains.iter().flat_map(|chain| chain.draws.points.iter().skip(i).step_by(bounds.len()));
        crowded(*bound, values).map(|(end, share)| words(name, end, share))
    };
    names.iter().zip(bounds).enumerate().filter_map(warning).collect()
}

/// The end that draws are as near to as numbers can be, and their share, if it is not small.
fn crowded<'a, V: Iterator<Item = &'a f64>>(bound: Bound, values: impl Fn() -> V) -> Option<(f64, f64)> {
    if bound.is_periodic() || bound == Bound::FREE {
        return None;
    }
    let all = values().count() as f64;
    let near = |last: f64| values().filter(|x| **x == last).count();
    let ends = [bound.lower().map(|a| (a, a.next_up())), bound.upper().map(|b| (b, b.next_down()))];
    let crowded = ends.into_iter().flatten().map(|(end, last)| (end, near(last))).filter(|(_, count)| *count >= LEAST);
    crowded.map(|(end, count)| (end, count as f64 / all)).find(|(_, share)| *share >= SHARE)
}

fn words(name: &str, end: f64, share: f64) -> String {
    let advice = if end == 0.0 {
        "Give a proper prior: it may have no finite integral"
    } else {
        "Make the distance from that bound the parameter: numbers near 0 are much finer"
    };
    let share = 100.0 * share;
    format!(
        "{name}: {share:.1} % of the draws are {CROWDED} {end} as numbers can be. The density rises so steeply there that its mass is not \
         known. {advice}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_at_the_last_number_inside_a_bound_are_counted() {
        let unit = Bound::between(0.0, 1.0).unwrap();
        let mut draws = vec![0.5; 1000];
        assert_eq!(crowded(unit, || draws.iter()), None);
        draws[..9].fill(1.0_f64.next_down());
        assert_eq!(crowded(unit, || draws.iter()), None);
        draws[9] = 1.0_f64.next_down();
        assert_eq!(crowded(unit, || draws.iter()), Some((1.0, 0.01)));
        assert_eq!(crowded(Bound::FREE, || draws.iter()), None);
        assert_eq!(crowded(Bound::circle(0.0, 1.0).unwrap(), || draws.iter()), None);
        assert_eq!(crowded(unit, || [].iter()), None);
        draws[20..40].fill((-3.0_f64).next_up());
        assert_eq!(crowded(Bound::above(-3.0).unwrap(), || draws.iter()), Some((-3.0, 0.02)));
    }
}
