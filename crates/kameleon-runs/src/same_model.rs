//! Whether a run is resumed with the model that it sampled: the points where its chains are, or the best point of its population,
//! evaluated again.
//!
//! The chains and their random streams are left as they are. A model whose noise is a function of what it is given must agree to
//! rounding, since the checkpoint keeps the noise of each estimate; one with noise of its own must agree with itself.

use crate::error::RunError;
use crate::place::Place;
use crate::prepare::Prepared;
use crate::settings::Kind;
use crate::store::Search;
use kameleon::engine::Job;
use kameleon::{EvalError, Evaluation, words};

/// Values that differ by less, relative to their size, are the same but for rounding, also on another machine or in single precision, …
const ROUNDING: f64 = 1e-6;
/// … or, where they come as text, but for the last of six digits.
const PRINTED: f64 = 1e-5;
/// But however large they are, by no more than this: the difference of two log densities is a ratio of densities.
const MOST: f64 = 0.1;
/// What rounding may do to doubles of any size.
const OF_DOUBLES: f64 = 1e-12;
/// How often a model with noise of its own is asked.
const TIMES: usize = 8;

/// An error if the model gives other values than the chains have stored; before their first evaluation, than the population found.
pub fn check(place: &Place<'_>, prepared: &Prepared<'_>, jobs: &mut [Job<'_>]) -> Result<(), RunError> {
    if jobs.iter().all(|job| job.chain.statistics().evaluations == 0) {
        return check_population(place, prepared, prepared.search.as_ref());
    }
    for job in jobs.iter_mut().filter(|job| job.chain.statistics().evaluations > 0) {
        let whose = format!("where chain {} is", job.chain.index());
        let (u, stored) = (job.chain.position().to_vec(), job.chain.log_density());
        check_at(prepared, (&u, &whose), stored, || place.evaluate_again(prepared, job))?;
    }
    Ok(())
}

/// An error if the model gives another value at the best point of a population than it did then.
pub fn check_population(place: &Place<'_>, prepared: &Prepared<'_>, search: Option<&Search>) -> Result<(), RunError> {
    let Some(witness) = search.and_then(Search::witness) else { return Ok(()) };
    let whose = "the best point of the population";
    check_at(prepared, (&witness.point, whose), witness.log_posterior(), || place.evaluate_witness(prepared, witness))
}

/// An error if the model gives another value than the stored one at a point. A model that fails is left for the run to tell.
fn check_at(
    prepared: &Prepared<'_>,
    (u, whose): (&[f64], &str),
    stored: f64,
    mut evaluate: impl FnMut() -> Result<Option<Evaluation>, RunError>,
) -> Result<(), RunError> {
    let mut ask = || match evaluate()? {
        None | Some(Err(EvalError::Fatal(_) | EvalError::Failed(_))) => Ok(None),
        Some(value) => Ok(Some(value)),
    };
    let Some(first) = ask()? else { return Ok(()) };
    let rounding = match prepared.settings.model.kind()? {
        Kind::Program(_) | Kind::Server(_) => PRINTED,
        _ => ROUNDING,
    };
    match agrees(&first, stored, rounding, &mut ask)? {
        true => Ok(()),
        false => Err(refusal(prepared, (u, whose), stored, first)),
    }
}

/// Whether the model may have given the stored value: the same again, or one that its own noise explains.
fn agrees(
    first: &Evaluation,
    stored: f64,
    rounding: f64,
    ask: &mut impl FnMut() -> Result<Option<Evaluation>, RunError>,
) -> Result<bool, RunError> {
    let Ok(first) = *first else { return Ok(false) };
    if same(first, stored, rounding) {
        return Ok(true);
    }
    let mut values = vec![first];
    while values.len() < TIMES {
        match ask()? {
            None => return Ok(true),
            Some(Ok(value)) if !same(value, first, rounding) || values.len() > 1 => values.push(value),
            Some(_) => return Ok(false),
        }
    }
    Ok(is_plausible(&values, stored))
}

fn same(a: f64, b: f64, rounding: f64) -> bool {
    a == b || (a - b).abs() <= (rounding * (1.0 + b.abs())).min(MOST).max(OF_DOUBLES * b.abs())
}

/// Whether an estimate that a chain has kept may come from the noise of these. A chain keeps high estimates: with Gaussian noise
/// of variance s², its estimate is higher by s² on average, and more where it is stuck.
fn is_plausible(values: &[f64], stored: f64) -> bool {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64;
    (stored - mean).abs() <= 10.0 * variance.sqrt() + 2.0 * variance
}

/// The error, with the point and both values in the parameters' own units.
fn refusal(prepared: &Prepared<'_>, (u, whose): (&[f64], &str), stored: f64, now: Evaluation) -> RunError {
    let (x, slopes): (Vec<f64>, Vec<f64>) =
        u.iter().zip(prepared.target.bounds()).map(|(u, bound)| bound.bounded(*u)).unzip();
    let (log_jacobian, point) = (slopes.iter().sum::<f64>(), words::point(&x, &prepared.settings.parameters.names()));
    let now = match now {
        Ok(value) => format!("is {} now", value - log_jacobian),
        Err(why) => format!("cannot be had now ({why})"),
    };
    RunError::OtherModel(format!(
        "the model is not the one that was sampled: at {point}, {whose}, its log density was {} and {now}",
        stored - log_jacobian
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_explains_what_is_near_and_what_is_high_but_not_what_is_far() {
        let values = [-10.3, -9.1, -11.2, -10.0, -9.7, -10.9, -8.8, -10.1];
        assert!(is_plausible(&values, -8.0) && is_plausible(&values, -12.0));
        assert!(!is_plausible(&values, -25.0) && !is_plausible(&values, 10.0));
    }

    #[test]
    fn values_agree_to_rounding_and_a_shift_counts_where_they_are_large_too() {
        let same = |a, b| same(a, b, ROUNDING);
        assert!(same(-3.0, -3.000_000_1) && !same(-3.0, -3.001) && !same(-1234.56, -1234.57));
        assert!(same(-1e6 - 1e-3, -1e6) && !same(-1e6 - 0.9, -1e6) && !same(-1e9 - 0.9, -1e9));
        assert!(same(-1e15 - 0.5, -1e15), "doubles there are an eighth apart");
        assert!(!same(f64::NAN, -3.0) && !same(f64::NEG_INFINITY, -3.0));
    }

    #[test]
    fn of_numbers_that_come_as_text_the_last_of_six_digits_may_differ() {
        let same = |a, b| same(a, b, PRINTED);
        assert!(same(-1.23456, -1.23457) && same(-123.456, -123.457) && same(-1234.56, -1234.57));
        assert!(!same(-1.23456, -1.23467) && !same(-1e6 - 0.9, -1e6));
    }
}
