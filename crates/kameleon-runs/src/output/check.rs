//! What speaks against draws besides disagreement of chains, in words.

use kameleon::diagnose::{Stein, SteinFigure};
use kameleon_models::Bound;

/// How many estimates a message names.
const NAMED: usize = 5;

/// Chains move on the unbounded scale, so that an estimate of a mean is one of a parameter only where that has no bounds.
pub fn forget_bounded(stein: &mut Stein, bounds: &[Bound]) {
    for (mean, _) in stein.means.iter_mut().zip(bounds).filter(|(_, bound)| **bound != Bound::FREE) {
        (mean.estimate, mean.error) = (f64::NAN, f64::NAN);
    }
}

/// What Stein's identity has against the draws of parameters with these names, if anything.
pub fn doubt(stein: &Stein, names: &[String]) -> Option<String> {
    let off = stein.off();
    let (worst, is_mean, figure) = off.iter().max_by(|a, b| a.2.z.abs().total_cmp(&b.2.z.abs()))?;
    let what = if *is_mean { "mean" } else { "spread" };
    let (name, better) = (name_of(*worst, names), better(&off, names));
    Some(format!(
        "{name}: the {what} of the draws is {:.1} standard errors away from what the log densities at the draws say (Stein's \
         identity, which explains {:.0} % of the variance): all chains missed a part of its tails, or saw it too often. Run longer, with a \
         longer warm-up.{better}",
        figure.z.abs(),
        100.0 * figure.explained,
    ))
}

/// The name of a parameter, if it has one.
pub fn name_of(parameter: usize, names: &[String]) -> &str {
    names.get(parameter).map_or("a parameter", String::as_str)
}

/// The estimates of those means of the figures that are off which are known better than by the draws. Their standard errors are those of
/// the regression alone, and often many times too small.
fn better(off: &[(usize, bool, SteinFigure)], names: &[String]) -> String {
    let is_better = |of: &&(usize, bool, SteinFigure)| of.1 && of.2.is_better() && of.2.estimate.is_finite();
    let found: Vec<_> = off.iter().filter(is_better).collect();
    let shown = found.iter().take(NAMED).map(|(i, _, figure)| format!("{} {:.4}", name_of(*i, names), figure.estimate));
    let shown = shown.collect::<Vec<_>>().join(", ");
    let more = if found.len() > NAMED { format!(" and {} more", found.len() - NAMED) } else { String::new() };
    match found.is_empty() {
        true => String::new(),
        false => format!(" Nearer to the truth than the means of the draws, how near is not known: {shown}{more}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINE: SteinFigure = SteinFigure { z: 1.0, explained: 1.0, estimate: 2.0, error: 0.125 };

    fn said_of(means: &[SteinFigure], squares: &[SteinFigure], residual: f64) -> Option<String> {
        let names = ["a", "b", "c", "d", "e", "f"].map(String::from);
        doubt(&Stein { residual, means: means.to_vec(), squares: squares.to_vec(), evaluations: 0 }, &names)
    }

    fn said(means: [SteinFigure; 2], residual: f64) -> Option<String> {
        said_of(&means, &[FINE; 2], residual)
    }

    #[test]
    fn the_worst_parameter_is_named_with_a_better_estimate_and_a_fine_one_is_not() {
        assert_eq!(said([FINE, FINE], 0.01), None);
        let off = SteinFigure { z: -5.26, ..FINE };
        let words = said([FINE, off], 0.01).unwrap();
        assert!(words.starts_with("b: the mean of the draws is 5.3 standard errors away"), "{words}");
        assert!(words.contains("explains 100 %") && words.ends_with("is not known: b 2.0000."), "{words}");
    }

    #[test]
    fn all_means_that_are_off_get_a_better_estimate_also_where_a_spread_is_worse() {
        let (off, worse) = (SteinFigure { z: -5.26, ..FINE }, SteinFigure { z: 9.0, estimate: 7.0, ..FINE });
        let words = said_of(&[off, FINE, off], &[FINE, worse, FINE], 0.01).unwrap();
        assert!(words.starts_with("b: the spread of the draws is 9.0"), "{words}");
        assert!(words.ends_with("not known: a 2.0000, c 2.0000."), "{words}");
        // Of a bounded parameter, and where little is explained, there is none.
        let none = [SteinFigure { estimate: f64::NAN, ..off }, SteinFigure { explained: 0.8, ..off }];
        assert!(said_of(&none, &[worse, FINE], 0.01).unwrap().ends_with("longer warm-up."));
        let many = said_of(&[off; 6], &[FINE; 6], 0.01).unwrap();
        assert!(many.ends_with("d 2.0000, e 2.0000 and 1 more."), "{many}");
    }

    #[test]
    fn nothing_is_said_where_the_slope_is_not_known_or_little_is_explained() {
        let off = SteinFigure { z: -5.26, ..FINE };
        assert_eq!(said([off, off], 0.2), None);
        assert_eq!(said([off, off], f64::NAN), None);
        let vague = SteinFigure { explained: 0.4, ..off };
        assert_eq!(said([vague, vague], 0.01), None);
        let partly = said([SteinFigure { explained: 0.8, ..off }, FINE], 0.01).unwrap();
        assert!(partly.ends_with("longer warm-up."), "{partly}");
    }
}
