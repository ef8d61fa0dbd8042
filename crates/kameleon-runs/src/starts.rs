//! Where chains start: given points, draws from a box or a prior, anywhere on a circle, or somewhere near the middle of the unbounded
//! space.

use crate::settings::{Parameter, RunSettings, SettingsError, Start};
use kameleon::Rng;
use kameleon::nearby::{nearby, reach};
use kameleon::random::{Purpose, stream};
use kameleon_models::Bound;
use rand::RngExt;

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
    if let Some(point) = common(settings) {
        let point = given(&point, settings, bounds, chain)?;
        let reach: Vec<f64> = point.iter().zip(bounds).map(reach_of).collect();
        let moved = nearby(&point, &reach, settings.run.seed, chain, attempt);
        return Ok(moved.iter().zip(bounds).map(|(x, bound)| bound.unbounded(*x)).collect());
    }
    if let Some(points) = &settings.start {
        let point = given(&points[chain % points.len()], settings, bounds, chain)?;
        return Ok(point.iter().zip(bounds).map(|(x, bound)| bound.unbounded(*x)).collect());
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

/// Whether starts are drawn, and none is given.
pub fn are_drawn(settings: &RunSettings) -> bool {
    let is_given =
        |(_, parameter): &(String, Parameter)| matches!(parameter.start, Some(Start::At(_) | Start::Each(_)));
    settings.start.is_none() && !settings.parameters.0.iter().all(is_given)
}

/// Whether another attempt gives a chain another start: it is drawn, or near one that all chains are given.
pub fn may_differ(settings: &RunSettings, chain: usize) -> bool {
    are_drawn(settings) || (chain > 0 && common(settings).is_some())
}

/// The one point that is given for all of several chains: once, or the same for each.
fn common(settings: &RunSettings) -> Option<Vec<f64>> {
    let chains = settings.run.chains;
    let at = |(_, parameter): &(String, Parameter)| match &parameter.start {
        Some(Start::At(x)) => Some(*x),
        Some(Start::Each(values)) if values.len() >= chains => {
            values.first().copied().filter(|first| values.iter().all(|x| x == first))
        }
        _ => None,
    };
    match &settings.start {
        _ if chains == 1 => None,
        Some(points) => points.first().filter(|first| points.iter().all(|point| point == *first)).cloned(),
        None if settings.parameters.0.is_empty() => None,
        None => settings.parameters.0.iter().map(at).collect(),
    }
}

/// How far a coordinate is moved at most from the point of all chains: by a share of its size, or of its period, and not up to a bound.
fn reach_of((x, bound): (&f64, &Bound)) -> f64 {
    if let (true, Some(a), Some(b)) = (bound.is_periodic(), bound.lower(), bound.upper()) {
        return reach(b - a);
    }
    let edges = [bound.lower(), bound.upper()].into_iter().flatten().map(|edge| 0.5 * (x - edge).abs());
    edges.fold(reach(*x), f64::min)
}

/// A point from the settings, in the parameters' own units.
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
    Ok(x.to_vec())
}

/// One coordinate.
fn one(parameter: &Parameter, bound: Bound, rng: &mut Rng, chain: usize) -> Result<f64, String> {
    let mut draw = |make: &mut dyn FnMut(&mut Rng) -> f64, within: &mut dyn FnMut(&mut Rng) -> Option<f64>| {
        let inside = (0..TRIES).map(|_| make(rng)).find(|x| bound.contains(*x)).or_else(|| within(rng));
        inside.map(|x| bound.unbounded(x)).ok_or(format!("all of {TRIES} draws were outside the bounds; give a number"))
    };
    match (&parameter.start, parameter.prior) {
        (Some(Start::At(x)), _) => Ok(bound.unbounded(*x)),
        (Some(Start::Each(values)), _) => match values.get(chain) {
            Some(x) => Ok(bound.unbounded(*x)),
            None => Err(format!("has {} numbers, none of them for chain {chain} (counted from 0)", values.len())),
        },
        (Some(Start::Box { from, to }), _) => draw(&mut |rng| rng.random_range(*from..*to), &mut |_| None),
        // Where bounds leave a far part of a tail.
        (_, Some(prior)) => draw(&mut |rng| prior.sample(rng), &mut |rng| prior.sample_within(bound, rng).ok()),
        _ => match (bound.is_periodic(), bound.lower(), bound.upper()) {
            (true, Some(a), Some(b)) => Ok(bound.unbounded(rng.random_range(a..b))),
            _ => Ok(rng.random_range(-2.0..2.0)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kameleon::nearby::ATTEMPTS;

    fn settings(more: &str) -> (RunSettings, Vec<Bound>) {
        let text = format!(
            "{more}\nmodel.log-density = \"-a^2 - b - c^2\"\nparameters.a = {{ start = 1890 }}\n\
             parameters.b = {{ lower = 0, upper = 10, start = 0.001 }}\nparameters.c = {{ prior = \"normal(0, 5)\", start = 0 }}"
        );
        let settings = RunSettings::from_toml(&text, "run.toml").unwrap();
        let bounds = settings.parameters.bounds().unwrap();
        (settings, bounds)
    }

    /// The starts of four chains, in the parameters' own units.
    fn starts(more: &str, attempt: usize) -> Vec<Vec<f64>> {
        let (settings, bounds) = settings(more);
        let own = |u: Vec<f64>| u.iter().zip(&bounds).map(|(u, bound)| bound.bounded(*u).0).collect();
        (0..4).map(|chain| own(start(&settings, &bounds, chain, attempt).unwrap())).collect()
    }

    #[test]
    fn of_chains_with_one_start_the_first_begins_there_and_the_others_near_it_within_bounds() {
        for more in ["", "start = [[1890, 0.001, 0]]"] {
            let found = starts(more, 0);
            assert!((found[0][0] - 1890.0).abs() < 1e-9 && (found[0][1] - 0.001).abs() < 1e-12 && found[0][2] == 0.0);
            for x in &found[1..] {
                assert!(x[0] != found[0][0] && (x[0] - 1890.0).abs() <= 1.9, "{x:?}");
                assert!(x[1] != found[0][1] && (x[1] - 0.001).abs() <= 1e-6, "{x:?}");
                assert!(x[2] != 0.0 && x[2].abs() <= 1e-3, "{x:?}");
            }
            assert!(found[1] != found[2] && found == starts(more, 0));
            let last = starts(more, ATTEMPTS - 1);
            assert_eq!(last[3], last[0]);
        }
        let each = starts("start = [[1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]]", 0);
        assert_eq!(each, starts("start = [[1, 1, 1]]", 0));
        let others = starts("start = [[1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 2]]", 0);
        assert_eq!(others[1], others[0]);
        assert_eq!(starts("run.seed = 7", 0)[0], starts("", 0)[0]);
        assert_ne!(starts("run.seed = 7", 0)[1], starts("", 0)[1]);
    }

    #[test]
    fn the_same_numbers_for_each_chain_are_one_start() {
        let starts = |each: &str| {
            let text = format!("model.log-density = \"-a^2\"\nparameters.a = {{ start = {each} }}");
            let settings = RunSettings::from_toml(&text, "run.toml").unwrap();
            let bounds = settings.parameters.bounds().unwrap();
            let chain = |chain| start(&settings, &bounds, chain, 0).map(|start| start[0]);
            (0..4).map(chain).collect::<Result<Vec<_>, _>>()
        };
        assert_eq!(starts("[3, 3, 3, 3]").unwrap(), starts("3").unwrap());
        assert_eq!(starts("[3, 3, 3, 4]").unwrap(), [3.0, 3.0, 3.0, 4.0]);
        assert!(starts("[3, 3]").is_err());
    }

    #[test]
    fn chains_start_in_what_bounds_leave_of_a_tail() {
        let text = "model.log-density = \"-a^2\"\nparameters.a = { prior = \"normal(0, 1)\", lower = 6 }";
        let settings = RunSettings::from_toml(text, "run.toml").unwrap();
        let bounds = settings.parameters.bounds().unwrap();
        let a: Vec<f64> =
            (0..4).map(|chain| bounds[0].bounded(start(&settings, &bounds, chain, 0).unwrap()[0]).0).collect();
        assert!(a.iter().all(|a| (6.0..8.0).contains(a)) && a[0] != a[1], "{a:?}");
    }

    #[test]
    fn one_chain_begins_where_it_is_told() {
        let (settings, bounds) = settings("run.chains = 1");
        assert!(!may_differ(&settings, 0));
        assert_eq!(start(&settings, &bounds, 0, 0).unwrap()[0], 1890.0);
    }
}
