//! The check of a run that ended by slopes of its log density, which are measured at some of its draws.

use crate::output::circles::see_from_emptiest;
use crate::output::{ChainDraws, Posterior, forget_bounded};
use crate::prepare::Prepared;
use crate::remote::RemoteRunner;
use crate::search;
use kameleon::Control;
use kameleon::circles::Circles;
use kameleon::diagnose::{Places, Stein};
use kameleon::plan::has_edge;
use kameleon::population::Prior;
use kameleon_models::Bound;

/// What measured slopes say of the means; none where the plan does not ask for them, where they cannot be had, where chains
/// disagree, so that no error can be believed, and for a part of a plan, which others join.
pub fn check(
    prepared: &Prepared<'_>,
    posterior: &Posterior,
    runner: Option<&dyn RemoteRunner>,
    control: Control<'_>,
) -> Option<Stein> {
    let (plan, spent) = (&prepared.settings.run, posterior.evaluations());
    let left = plan.max_evaluations.map(|most| most.saturating_sub(spent));
    let wanted = plan.check.differences(spent, left, posterior.stein.as_ref());
    let differences = wanted.filter(|_| !posterior.noisy && plan.chain.is_none())?;
    if posterior.chains.iter().any(|chain| has_edge(&chain.statistics)) || !posterior.summary().verdict.agree {
        return None;
    }
    let (bounds, dim) = (prepared.target.bounds(), posterior.dim());
    let mut draws: Vec<(Vec<f64>, Vec<f64>)> =
        posterior.chains.iter().filter(|chain| !chain.draws.is_empty()).map(|chain| unbounded(chain, bounds)).collect();
    let circles = see_from_emptiest(&mut draws, bounds);
    let chains: Vec<(&[f64], &[f64])> = draws.iter().map(|(points, log)| (&points[..], &log[..])).collect();
    let places = Places::new(&chains, dim, differences)?;
    let (mut points, mut changes) = (places.neighbours(), Vec::new());
    if left.is_some_and(|left| (points.len() / dim) as u64 > left) {
        return None;
    }
    circles.seen_from(&Circles::default(), &mut points, dim, |_, change| changes.push(change));
    let late = prepared.late();
    let stop = || control.is_stopped() || late();
    let each: Vec<&[f64]> = points.chunks_exact(dim).collect();
    // A model that fails now has given all draws of the run.
    let mut evaluator = search::evaluator(prepared, runner, prepared.plan.threads()).ok()?;
    let mut values = evaluator.evaluate(&each, 0, &stop).ok()?;
    let priors = prepared.target.log_densities(&points);
    values.iter_mut().zip(priors.iter().zip(changes)).for_each(|(value, (prior, change))| *value += prior - change);
    let measured = places.stein(&values).unwrap_or_else(|| Stein::silent(values.len() as u64));
    let mut found = measured.after(posterior.stein.as_ref());
    forget_bounded(&mut found, bounds);
    Some(found)
}

/// The draws of a chain as it made them, on the unbounded scale.
fn unbounded(chain: &ChainDraws, bounds: &[Bound]) -> (Vec<f64>, Vec<f64>) {
    let draws = &chain.draws;
    let (mut points, mut log_density) = (draws.points.clone(), draws.log_density.clone());
    for (x, log_density) in points.chunks_exact_mut(bounds.len()).zip(&mut log_density) {
        for (x, bound) in x.iter_mut().zip(bounds) {
            *x = bound.unbounded(*x);
            *log_density += bound.bounded(*x).1;
        }
    }
    (points, log_density)
}
