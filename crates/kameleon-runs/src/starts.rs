//! Where chains start: given points, draws from a box or a prior, or somewhere near the middle of the unbounded space.

use crate::settings::{Parameter, RunSettings, SettingsError, Start};
use kameleon::Rng;
use kameleon::random::{Purpose, stream};
use kameleon_models::Bound;
use rand::RngExt;

/// How many starts are drawn before a chain that finds no density gives up.
pub const ATTEMPTS: usize = 100;
/// How often a draw that falls outside the bounds is made again.
const TRIES: usize = 1000;

/// The start of a chain, in unbounded coordinates: where starts are drawn, draw number `attempt` from 0. Every parameter of the
/// settings must be there by name.
pub fn start(
    settings: &RunSettings,
    bounds: &[Bound],
    chain: usize,
    attempt: usize,
) -> Result<Vec<f64>, SettingsError> {
    if let Some(points) = &settings.start {
        return given(&points[chain % points.len()], settings, bounds, chain);
    }
    let mut rng = stream(settings.run.seed, chain as u64, Purpose::Start);
    let mut draw = || -> Result<Vec<f64>, SettingsError> {
        let coordinate = |((name, parameter), bound): (&(String, Parameter), &Bound)| {
            one(parameter, *bound, &mut rng, chain)
                .map_err(|what| SettingsError::new(format!("parameters.{name}.start"), what))
        };
        settings.parameters.0.iter().zip(bounds).map(coordinate).collect()
    };
    (0..attempt).try_for_each(|_| draw().map(drop))?;
    draw()
}

/// Whether another attempt may give another start.
pub fn are_drawn(settings: &RunSettings) -> bool {
    let is_given =
        |(_, parameter): &(String, Parameter)| matches!(parameter.start, Some(Start::At(_) | Start::Each(_)));
    settings.start.is_none() && !settings.parameters.0.iter().all(is_given)
}

/// A point from the settings.
fn given(x: &[f64], settings: &RunSettings, bounds: &[Bound], chain: usize) -> Result<Vec<f64>, SettingsError> {
    let key = "start";
    let (found, wanted) = (x.len(), bounds.len());
    let of = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let there = if wanted == 1 { "is" } else { "are" };
    let (found_words, wanted_words) = (of(found, "coordinate"), of(wanted, "parameter"));
    let what = format!("the point for chain {chain} has {found_words}, but there {there} {wanted_words}");
    SettingsError::demand(key, found == wanted, &what)?;
    for ((x, bound), (name, _)) in x.iter().zip(bounds).zip(&settings.parameters.0) {
        let what = format!("{name} = {x} is not strictly inside its bounds");
        SettingsError::demand(key, bound.contains(*x), &what)?;
    }
    Ok(x.iter().zip(bounds).map(|(x, bound)| bound.unbounded(*x)).collect())
}

/// One coordinate.
fn one(parameter: &Parameter, bound: Bound, rng: &mut Rng, chain: usize) -> Result<f64, String> {
    let mut draw = |make: &mut dyn FnMut(&mut Rng) -> f64| {
        let inside = (0..TRIES).map(|_| make(rng)).find(|x| bound.contains(*x));
        inside.map(|x| bound.unbounded(x)).ok_or(format!("all of {TRIES} draws were outside the bounds; give a number"))
    };
    match (&parameter.start, parameter.prior) {
        (Some(Start::At(x)), _) => Ok(bound.unbounded(*x)),
        (Some(Start::Each(values)), _) => match values.get(chain) {
            Some(x) => Ok(bound.unbounded(*x)),
            None => Err(format!("has {} numbers, none of them for chain {chain} (counted from 0)", values.len())),
        },
        (Some(Start::Box { from, to }), _) => draw(&mut |rng| rng.random_range(*from..*to)),
        (_, Some(prior)) => draw(&mut |rng| prior.sample(rng)),
        _ => Ok(rng.random_range(-2.0..2.0)),
    }
}
