//! What speaks against draws besides disagreement of chains, in words.

use kameleon::diagnose::Stein;
use kameleon_models::Bound;

/// Chains move on the unbounded scale, so that an estimate of a mean is one of a parameter only where that has no bounds.
pub fn forget_bounded(stein: &mut Stein, bounds: &[Bound]) {
    for (mean, _) in stein.means.iter_mut().zip(bounds).filter(|(_, bound)| **bound != Bound::FREE) {
        (mean.estimate, mean.error) = (f64::NAN, f64::NAN);
    }
}

/// What Stein's identity has against the draws of parameters with these names, if anything.
pub fn doubt(stein: &Stein, names: &[String]) -> Option<String> {
    let (worst, is_mean, figure) = stein.off().into_iter().max_by(|a, b| a.2.z.abs().total_cmp(&b.2.z.abs()))?;
    let what = if is_mean { "mean" } else { "spread" };
    let name = names.get(worst).map_or("a parameter", String::as_str);
    let better = match figure.is_better() && is_mean && figure.estimate.is_finite() {
        // Its standard error is that of the regression alone, and often many times too small.
        true => format!(" {:.4} is nearer to the mean; how near is not known.", figure.estimate),
        false => String::new(),
    };
    Some(format!(
        "{name}: the {what} of the draws is {:.1} standard errors away from what the log densities at the draws say (Stein's \
         identity, which explains {:.0} % of the variance): all chains missed a part of its tails, or saw it too often. Run longer, with a \
         longer warm-up.{better}",
        figure.z.abs(),
        100.0 * figure.explained,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kameleon::diagnose::SteinFigure;

    const FINE: SteinFigure = SteinFigure { z: 1.0, explained: 1.0, estimate: 2.0, error: 0.125 };

    fn said(means: [SteinFigure; 2], residual: f64) -> Option<String> {
        let names = ["a", "b"].map(String::from);
        doubt(&Stein { residual, means: means.to_vec(), squares: vec![FINE; 2], evaluations: 0 }, &names)
    }

    #[test]
    fn the_worst_parameter_is_named_with_a_better_estimate_and_a_fine_one_is_not() {
        assert_eq!(said([FINE, FINE], 0.01), None);
        let off = SteinFigure { z: -5.26, ..FINE };
        let words = said([FINE, off], 0.01).unwrap();
        assert!(words.starts_with("b: the mean of the draws is 5.3 standard errors away"), "{words}");
        assert!(words.contains("explains 100 %") && words.contains("2.0000 is nearer to the mean"), "{words}");
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
