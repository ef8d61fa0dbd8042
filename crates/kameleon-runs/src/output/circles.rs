//! Periodic parameters of a run as figures show them: unrolled around their circular means.

use super::Posterior;
use kameleon::circles::Circles;
use kameleon::diagnose::{ParameterSummary, Period, Summary, unrolled};
use kameleon_models::Bound;
use std::borrow::Cow;

/// Sees chains, each its points on the unbounded scale and their log densities, from where their draws are fewest on each circle, and tells
/// where that is. From a cut within the draws, those on its other side would lie far from all others.
pub fn see_from_emptiest(chains: &mut [(Vec<f64>, Vec<f64>)], bounds: &[Bound]) -> Circles {
    let periodic: Vec<usize> = (0..bounds.len()).filter(|i| bounds[*i].is_periodic()).collect();
    let at_lower = Circles::new(&periodic, |_| 0.0);
    let draws = chains.iter().flat_map(|(points, _)| points.chunks_exact(bounds.len())).map(|x| (x, 1.0));
    let circles = at_lower.emptier(draws, 1.0).unwrap_or(at_lower);
    for (points, log_density) in chains {
        Circles::default().seen_from(&circles, points, bounds.len(), |k, change| log_density[k] += change);
    }
    circles
}

impl Posterior {
    /// The same with the draws of periodic parameters unrolled around their circular means, for figures.
    pub fn unrolled(&self) -> Cow<'_, Self> {
        if self.periods.iter().all(Option::is_none) {
            return Cow::Borrowed(self);
        }
        let mut shown = self.clone();
        let points: Vec<&[f64]> = self.chains.iter().map(|chain| chain.draws.points.as_slice()).collect();
        let points = unrolled(&points, self.dim(), &self.periods);
        for (chain, points) in shown.chains.iter_mut().zip(points) {
            chain.draws.points = points.into_owned();
            // An ellipse was looked at where a draw is.
            chain.proposals.iter_mut().for_each(|ellipse| self.move_near(&mut ellipse.centre, &chain.draws.points));
        }
        Cow::Owned(shown)
    }

    /// Moves a point, by whole periods, to where a draw is that is the same place.
    fn move_near(&self, x: &mut [f64], draws: &[f64]) {
        for (i, (lower, upper)) in self.periods.iter().enumerate().filter_map(|(i, period)| Some((i, (*period)?))) {
            let turns = |y: &f64| (y - x[i]) / (upper - lower);
            let same = draws.iter().skip(i).step_by(self.dim()).map(turns).find(|t| (t - t.round()).abs() < 1e-9);
            x[i] += (upper - lower) * same.map_or(0.0, f64::round);
        }
    }

    /// Says of periodic parameters whose figures lie beyond their bounds why they do.
    pub(super) fn remark_on_circles(&self, summary: &mut Summary) {
        let beyond = |(parameter, period): (&ParameterSummary, &Period)| {
            let (lower, upper) = (*period)?;
            (parameter.q5 < lower || parameter.q95 >= upper).then(|| parameter.name.clone())
        };
        let names: Vec<String> = summary.parameters.iter().zip(&self.periods).filter_map(beyond).collect();
        if !names.is_empty() {
            summary.verdict.remarks.push(format!(
                "{}: the table shows the circle unrolled around its circular mean, so that figures may lie beyond the bounds.",
                names.join(", ")
            ));
        }
    }
}
